"""`panebridge mcp`: what a client starts; pumps its stdio to the bridge. Standard library only.

It starts what is missing, and writes nothing but protocol to stdout. The first line it sends says where and
for whom it runs; after that lines pass through unchanged. It remembers the handshake and the open requests:
when the bridge goes away, the open ones are answered with an error, the bridge is dialled again, and the
handshake is replayed, so that the next call works. It ends on the end of stdin, SIGINT, SIGTERM, or when its
parent is gone. A line is at most `LINE_BYTES`; a longer one ends the connection.
"""

import contextlib
import json
import os
import re
import select
import signal
import socket
import sys
from typing import Any

from session_core import SessionCoreError, __version__, dial_or_start, open_runtime_folder

LINE_BYTES = 8 * 1024 * 1024
_READ_BYTES = 65536
_ORPHAN_CHECK_S = 2.0
_SERVER_ERROR = -32000
_STDIN, _STDOUT = 0, 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(arguments: list[str]) -> int:
    """Serve one client until it is done; the exit code is 0 then, and 1 if no bridge could be reached."""
    read_only = _reads_only(arguments)
    preamble = {
        "panebridge": 1,
        "version": __version__,
        "folder": _folder(),
        "environment": dict(os.environ),
        "read_only": read_only,
    }
    try:
        return Shim(preamble).run()
    except Ended:
        return 0
    except (SessionCoreError, OSError) as error:
        print(f"panebridge mcp: {error}", file=sys.stderr)  # noqa: T201 - stderr is where a client shows it
        return 1


class Ended(BaseException):
    """A signal told the shim to end; raised out of whatever it is blocked in."""


def _reads_only(arguments: list[str]) -> bool:
    if not arguments:
        return False
    from argparse import ArgumentParser

    parser = ArgumentParser(
        prog="panebridge mcp",
        description="Serve MCP on stdin and stdout. Meant to be started by an MCP client, not by hand.",
    )
    parser.add_argument("--read-only", action="store_true", help="offer only the tools that look and wait")
    return bool(parser.parse_args(arguments).read_only)


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.environ.get("HOME", "/")


class Shim:
    """One client's pump."""

    def __init__(self, preamble: dict[str, Any]) -> None:
        self._preamble = json.dumps(preamble).encode() + b"\n"
        self._handshake: list[bytes] = []
        self._replayed: set[Any] = set()
        self._open: dict[Any, None] = {}
        self._from_client = b""
        self._from_bridge = b""
        self._bridge: socket.socket | None = None
        self._parent = os.getppid()
        self._wake, self._waker = os.pipe()

    def run(self) -> int:
        """Pump until one side ends."""
        self._watch_signals()
        try:
            self._dial()
            return self._pump()
        finally:
            if self._bridge is not None:
                self._bridge.close()

    def _pump(self) -> int:
        parent = _watch_parent(self._parent)
        while True:
            sources: list[Any] = [_STDIN, self._wake]
            if parent is not None:
                sources.append(parent)
            if self._bridge is not None:
                sources.append(self._bridge)
            ready, _, _ = select.select(sources, [], [], None if parent is not None else _ORPHAN_CHECK_S)
            if self._wake in ready or parent in ready or os.getppid() != self._parent:
                return 0
            if self._bridge in ready and not self._pump_bridge():
                return 0
            if _STDIN in ready and not self._pump_client():
                return 0

    def _watch_signals(self) -> None:
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker)
        for number in _SIGNALS:
            signal.signal(number, _end)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)

    # ---- the bridge

    def _dial(self) -> None:
        self._bridge = dial_or_start(open_runtime_folder(), "bridge", "mcp_bridge")
        self._from_bridge = b""
        self._bridge.sendall(self._preamble)
        for line in self._handshake:
            self._bridge.sendall(line)
            _, identity = _envelope(line)
            if identity is not None:
                self._replayed.add(identity)

    def _lose(self) -> bool:
        """The bridge is gone: answer what was open. False if the client cannot be told."""
        if self._bridge is not None:
            self._bridge.close()
            self._bridge = None
        self._replayed.clear()
        opened, self._open = self._open, {}
        return all(self._refuse(identity, _LOST) for identity in opened)

    def _refuse(self, identity: Any, why: str) -> bool:
        error = {"code": _SERVER_ERROR, "message": why}
        return _write(json.dumps({"jsonrpc": "2.0", "id": identity, "error": error}).encode() + b"\n")

    def _pump_bridge(self) -> bool:
        assert self._bridge is not None
        try:
            data = self._bridge.recv(_READ_BYTES)
        except OSError:
            data = b""
        if not data:
            return self._lose()
        lines, self._from_bridge = _split(self._from_bridge + data)
        passed = [line for line in lines if self._passes(line)]
        return len(self._from_bridge) <= LINE_BYTES and _write(b"".join(passed))

    def _passes(self, line: bytes) -> bool:
        """Whether the client should see this line: the answer to a replayed handshake is not for it."""
        method, identity = _envelope(line)
        if method is not None:
            return True
        self._open.pop(identity, None)
        if identity in self._replayed:
            self._replayed.discard(identity)
            return False
        return True

    # ---- the client

    def _pump_client(self) -> bool:
        data = os.read(_STDIN, _READ_BYTES)
        if not data:
            return False
        lines, self._from_client = _split(self._from_client + data)
        for line in lines:
            if line.strip() and not self._pass_on(line):
                return False
        return len(self._from_client) <= LINE_BYTES

    def _pass_on(self, line: bytes) -> bool:
        method, identity = _envelope(line)
        if method is not None and identity is not None:
            if _holds_half_a_pair(line):
                return self._refuse(identity, _HALF_A_PAIR)
            self._open[identity] = None
        try:
            if self._bridge is None:
                self._dial()
            assert self._bridge is not None
            if method == "initialize":
                self._handshake = [line]
            elif method == "notifications/initialized":
                self._handshake.append(line)
            elif method == "notifications/cancelled":
                self._open.pop(_cancelled(line), None)
            self._bridge.sendall(line)
        except OSError:
            return self._lose()
        except SessionCoreError as error:
            self._open.pop(identity, None)
            return identity is None or self._refuse(identity, str(error))
        return True


_LOST = (
    "The panebridge bridge ended during this call, and whether it took effect is not known. "
    "Look with list_panes or read_status before you repeat a write; the next call works again."
)


_HALF_A_PAIR = "The message holds half of a character pair (a lone surrogate). Send well-formed Unicode."
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _holds_half_a_pair(line: bytes) -> bool:
    """Whether the bridge could not read this line and would leave it unanswered."""
    if not _SURROGATE.search(line):
        return False
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _end(*_: object) -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise Ended


def _split(data: bytes) -> tuple[list[bytes], bytes]:
    *lines, rest = data.split(b"\n")
    return [line + b"\n" for line in lines], rest


def _envelope(line: bytes) -> tuple[str | None, Any]:
    """Return the method and the id of a message, None where it has none; the bridge judges the rest."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(value, dict):
        return None, None
    method, identity = value.get("method"), value.get("id")
    return (
        method if isinstance(method, str) else None,
        identity if isinstance(identity, (str, int)) else None,
    )


def _cancelled(line: bytes) -> Any:
    """Return the id that a cancellation names: nobody waits for its answer any more."""
    params = json.loads(line).get("params")
    identity = params.get("requestId") if isinstance(params, dict) else None
    return identity if isinstance(identity, (str, int)) else None


def _write(data: bytes) -> bool:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(_STDOUT, view) :]
        except BlockingIOError:
            select.select([], [_STDOUT], [])
        except OSError:
            return False
    return True


def _watch_parent(parent: int) -> int | None:
    """A descriptor that becomes readable when the parent is gone; None where there is none to have."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return os.pidfd_open(parent)
    return None
