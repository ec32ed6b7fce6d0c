"""Messages between the keeper and others: one JSON object a line, and at most one descriptor with each.

A message that has a descriptor says `"fd": true`; descriptors arrive in the order of their messages and never
after them, so that it does not matter how the stream is cut. Where the receiver had no room for a descriptor its
message has None. A channel never blocks: what the other end does not take is queued, one entry a message.
"""

import array
import base64
import contextlib
import errno
import json
import os
import socket
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

LINE_BYTES = 4 * 1024 * 1024
"""Longest message; an environment is the largest thing in one."""
_READ_BYTES = 65536
_RIGHTS = socket.CMSG_LEN(8 * array.array("i").itemsize)
_CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Parcel:
    """One message, and the descriptor that came with it."""

    message: Message
    fd: int | None = None


class Unreadable(Exception):
    """The other end sent what is no message."""


class Framer:
    """Puts messages and descriptors together, however they were cut."""

    def __init__(self, rest: bytes = b"") -> None:
        self.rest = rest
        self._fds: deque[int | None] = deque()

    def feed(self, data: bytes, fds: Sequence[int | None]) -> list[Parcel]:
        """Return the messages that are whole now. Raises Unreadable."""
        self._fds.extend(fds)
        *lines, self.rest = (self.rest + data).split(b"\n")
        if len(self.rest) > LINE_BYTES:
            raise Unreadable("a line is too long")
        return [self._parcel(line) for line in lines]

    def _parcel(self, line: bytes) -> Parcel:
        try:
            message = json.loads(line)
        except ValueError as error:
            raise Unreadable(str(error)) from error
        if not isinstance(message, dict):
            raise Unreadable("a line is no object")
        if not message.pop("fd", False):
            return Parcel(message)
        return Parcel(message, self._fds.popleft() if self._fds else None)

    def close(self) -> None:
        """Give back the descriptors whose messages did not come."""
        for fd in self._fds:
            if fd is not None:
                os.close(fd)
        self._fds.clear()


class Channel:
    """One end of a connection that carries messages. The descriptors that it sends stay the sender's own."""

    def __init__(self, connection: socket.socket, rest: bytes = b"") -> None:
        connection.setblocking(False)
        self.socket = connection
        self._framer = Framer(rest)
        self._queue: deque[tuple[bytes, int | None]] = deque()

    def fileno(self) -> int:
        """Return the descriptor, for a selector."""
        return self.socket.fileno()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self.socket.fileno() < 0

    @property
    def has_unsent(self) -> bool:
        """Whether something waits for the other end to read."""
        return bool(self._queue)

    def send(self, message: Message, fd: int | None = None) -> None:
        """Send now, or queue. An end that is gone takes everything."""
        if self.closed:
            return
        if fd is not None:
            message = {**message, "fd": True}
        self._queue.append((json.dumps(message).encode() + b"\n", fd))
        self.flush()

    def flush(self) -> None:
        """Send what the other end takes now."""
        while self._queue:
            data, fd = self._queue[0]
            try:
                sent = _send(self.socket, data, fd)
            except BlockingIOError:
                return
            except OSError as error:
                # Too many descriptors are on their way for this user: the other end has to read first.
                if error.errno == errno.ETOOMANYREFS:
                    return
                self._queue.clear()
                return
            if sent < len(data):
                self._queue[0] = data[sent:], None
            else:
                self._queue.popleft()

    def receive(self) -> list[Parcel] | None:
        """Return the messages that are there; None when the other end is gone. Raises Unreadable."""
        parcels: list[Parcel] = []
        while not self.closed:
            try:
                data, fds = _receive(self.socket)
            except BlockingIOError:
                return parcels
            except OSError:
                data, fds = b"", []
            if not data:
                return parcels or None
            parcels += self._framer.feed(data, fds)
        return parcels or None

    def close(self) -> None:
        """Drop the connection and what was queued. Idempotent."""
        self._framer.close()
        self._queue.clear()
        self.socket.close()

    def state(self) -> Message:
        """Return what a successor in this process needs to go on with this connection."""
        queue = [[base64.b64encode(data).decode(), fd] for data, fd in self._queue]
        return {"fd": self.fileno(), "rest": base64.b64encode(self._framer.rest).decode(), "queue": queue}

    @classmethod
    def resumed(cls, state: Message) -> "Channel":
        """Return the channel that `state` describes."""
        channel = cls(socket.socket(fileno=state["fd"]), base64.b64decode(state["rest"]))
        channel._queue.extend((base64.b64decode(data), fd) for data, fd in state["queue"])
        return channel


def _send(connection: socket.socket, data: bytes, fd: int | None) -> int:
    rights = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
    return connection.sendmsg([data], rights)


def _receive(connection: socket.socket) -> tuple[bytes, list[int | None]]:
    data, control, flags, _ = connection.recvmsg(_READ_BYTES, _RIGHTS, _CLOEXEC)
    fds: list[int | None] = []
    for level, kind, content in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers = array.array("i")
            numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
            fds += numbers
    for fd in fds:
        assert fd is not None
        os.set_inheritable(fd, False)
    if flags & socket.MSG_CTRUNC and not fds:
        fds.append(None)
    return data, fds


def close_all(parcels: Sequence[Parcel]) -> None:
    """Give back the descriptors of messages that nobody wants."""
    for parcel in parcels:
        if parcel.fd is not None:
            with contextlib.suppress(OSError):
                os.close(parcel.fd)
