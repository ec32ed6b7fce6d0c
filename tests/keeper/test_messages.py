"""Messages and descriptors between keeper and processes, however the stream is cut."""

import json
import os
import socket
from collections.abc import Iterator

import pytest

from session_core.keeper.descriptors import LINE_BYTES, Channel, Framer, Parcel, Unreadable, close_all

Pair = tuple[Channel, Channel]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """The two ends of a connection."""
    one, other = (Channel(end) for end in socket.socketpair())
    yield one, other
    one.close()
    other.close()


def _line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def test_a_message_cut_at_every_byte_is_the_same_message() -> None:
    first, last = _line(say="a", fd=True) + _line(say="b"), _line(say="c", fd=True)
    data = first + last
    for cut in range(1, len(data) + 1):
        framer = Framer()
        early = [7, 8] if cut > len(first) else [7]
        parcels = framer.feed(data[:cut], early) + framer.feed(data[cut:], [8][len(early) - 1 :])
        assert parcels == [Parcel({"say": "a"}, 7), Parcel({"say": "b"}), Parcel({"say": "c"}, 8)]


@pytest.mark.parametrize("data", [b"no json\n", b"[1]\n", b"\xff\n", b"x" * (LINE_BYTES + 1)])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        Framer().feed(data, [])


def test_a_descriptor_that_found_no_room_is_none_for_its_own_message_alone() -> None:
    data = _line(say="a", fd=True) + _line(say="b", fd=True)
    assert [parcel.fd for parcel in Framer().feed(data, [None, 5])] == [None, 5]


def test_a_descriptor_arrives_with_its_message_and_is_closed_on_exec(pair: Pair) -> None:
    sender, receiver = pair
    reading, writing = os.pipe()
    try:
        sender.send({"say": "one"})
        sender.send({"say": "two"}, writing)
        sender.send({"say": "three"})
        parcels = receiver.receive()
        assert parcels is not None
        assert [parcel.message["say"] for parcel in parcels] == ["one", "two", "three"]
        assert [parcel.fd is not None for parcel in parcels] == [False, True, False]
        fd = parcels[1].fd
        assert fd is not None
        assert not os.get_inheritable(fd)
        os.write(fd, b"x")
        os.close(fd)
        assert os.read(reading, 10) == b"x"
    finally:
        os.close(reading)
        os.close(writing)


def test_what_the_other_end_does_not_take_is_kept_and_arrives_in_order(pair: Pair) -> None:
    sender, receiver = pair
    with open(os.devnull) as file:
        for number in range(2000):
            sender.send({"number": number, "text": "x" * 500}, file.fileno() if number % 100 == 0 else None)
        assert sender.has_unsent
        seen: list[int] = []
        while len(seen) < 2000:
            sender.flush()
            for parcel in receiver.receive() or ():
                seen.append(parcel.message["number"])
                assert (parcel.fd is not None) == (parcel.message["number"] % 100 == 0)
                if parcel.fd is not None:
                    os.close(parcel.fd)
    assert seen == list(range(2000))
    assert not sender.has_unsent


def test_a_message_that_goes_in_pieces_brings_its_descriptor_once(pair: Pair) -> None:
    sender, receiver = pair
    with open(os.devnull) as file, socket.socket() as other:
        sender.send({"text": "x" * 1_000_000}, file.fileno())
        sender.send({"text": "next"}, other.fileno())
        parcels: list[Parcel] = []
        while len(parcels) < 2:
            parcels += receiver.receive() or ()
            sender.flush()
        assert [os.fstat(parcel.fd).st_mode for parcel in parcels if parcel.fd is not None] == [
            os.fstat(file.fileno()).st_mode,
            os.fstat(other.fileno()).st_mode,
        ]
    close_all(parcels)


def test_an_end_that_is_gone_is_seen_after_its_last_message_and_takes_everything(pair: Pair) -> None:
    sender, receiver = pair
    sender.send({"say": "last"})
    sender.close()
    assert receiver.receive() == [Parcel({"say": "last"})]
    assert receiver.receive() is None
    receiver.send({"say": "nobody hears"})
    assert not receiver.has_unsent


def test_a_successor_goes_on_in_the_middle_of_a_message_and_with_what_was_not_sent(pair: Pair) -> None:
    sender, receiver = pair
    line = _line(say="whole")
    sender.socket.sendall(line[:5])
    assert receiver.receive() == []
    while not receiver.has_unsent:
        receiver.send({"text": "x" * 1000})
    state = json.loads(json.dumps(receiver.state()))
    state["fd"] = os.dup(state["fd"])
    successor = Channel.resumed(state)
    sender.socket.sendall(line[5:])
    assert successor.receive() == [Parcel({"say": "whole"})]
    count = 0
    while successor.has_unsent:
        count += len(sender.receive() or ())
        successor.flush()
    count += len(sender.receive() or ())
    assert count > 10
    successor.close()
