"""A kept process's end of the connection to its keeper."""

import os
import resource
import socket
from collections.abc import Callable, Iterator

import pytest

from session_core.keeper.descriptors import Channel, Message
from session_core.keeper.link import Link

from ..host.waiting import BOUND_S

HIGH = 1500
"""A number that select() cannot take."""


@pytest.fixture
def ends() -> Iterator[tuple[Link, Channel]]:
    """A process's end, whose descriptor has a high number, and the keeper's."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], 2 * HIGH), limits[1]))
    ours, theirs = socket.socketpair()
    os.dup2(ours.fileno(), HIGH)
    ours.close()
    keeper = Channel(theirs)
    connection = socket.socket(fileno=HIGH)
    yield Link("/nowhere", "host", connection), keeper
    keeper.close()
    connection.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def _says(word: str) -> Callable[[Message], bool]:
    return lambda message: message["say"] == word


def test_what_is_waited_for_comes_first_and_the_rest_later_in_order(ends: tuple[Link, Channel]) -> None:
    link, keeper = ends
    for word in ("a", "b", "c", "d"):
        keeper.send({"say": word})
    for word in ("c", "a", "b", "d"):
        parcel = link.wait_for(_says(word), BOUND_S)
        assert parcel is not None
        assert parcel.message == {"say": word}


def test_a_keeper_that_does_not_answer_is_not_waited_for_for_ever(ends: tuple[Link, Channel]) -> None:
    link, _ = ends
    assert link.wait_for(lambda _: True, 0.01) is None
    assert link.is_kept


def test_a_spare_prepares_while_it_waits_and_ends_with_its_keeper(ends: tuple[Link, Channel]) -> None:
    link, keeper = ends
    assert link.wait_to_serve(keeper.close) is None
    assert not link.is_kept
    link.say("ready")


def test_a_spare_gets_its_socket_when_it_is_told_to_serve(ends: tuple[Link, Channel]) -> None:
    link, keeper = ends
    with socket.socket(socket.AF_UNIX) as listener:
        given = link.wait_to_serve(lambda: keeper.send({"say": "serve"}, listener.fileno()))
    assert given is not None
    assert given.family == socket.AF_UNIX
    given.close()
