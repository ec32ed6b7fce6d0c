"""`panebridge mcp`: what a client starts; pumps its stdio to the bridge. Standard library only.

It starts what is missing, and writes nothing but protocol to stdout. The first line it sends says where and for whom
it runs; after that lines pass through unchanged. When the bridge goes away, it is dialled again, at most
`RECONNECT_S`, and gets what `shim_memory` has kept: the client notices nothing but the time. It ends on the end of
stdin, SIGINT, SIGTERM, or when its parent is gone. A line is at most `LINE_BYTES`; a longer one ends the connection.
"""

import contextlib
import json
import os
import re
import select
import signal
import socket
import sys
import time
from typing import Any

from mcp_bridge.shim_memory import Memory
from session_core import SessionCoreError, __version__, dial_or_start, open_runtime_folder

LINE_BYTES = 8 * 1024 * 1024
_READ_BYTES = 65536
RECONNECT_S = 20.0
"""How long a bridge that went away is dialled, for what is open."""
STARTS = 3
"""So often a bridge may say why it does not start before what is open is refused with that."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 1.0
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
        self._memory = Memory(preamble)
        self._from_client = b""
        self._from_bridge = b""
        self._bridge: socket.socket | None = None
        self._parent = os.getppid()
        self._parent_watch = _watch_parent(self._parent)
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
        while True:
            sources: list[Any] = [_STDIN]
            if self._bridge is not None:
                sources.append(self._bridge)
            ready = self._select(sources, None)
            if ready is None:
                return 0
            if self._bridge in ready and not self._pump_bridge():
                return 0
            if _STDIN in ready and not self._pump_client():
                return 0

    def _select(self, sources: list[Any], timeout_s: float | None) -> list[Any] | None:
        """Wait for one of them; None once the shim must end."""
        ends = [self._wake] if self._parent_watch is None else [self._wake, self._parent_watch]
        longest_s = timeout_s if self._parent_watch is not None else min(timeout_s or _ORPHAN_CHECK_S, _ORPHAN_CHECK_S)
        ready, _, _ = select.select(sources + ends, [], [], longest_s)
        return None if any(end in ready for end in ends) or os.getppid() != self._parent else ready

    def _watch_signals(self) -> None:
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker)
        for number in _SIGNALS:
            signal.signal(number, _end)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)

    # ---- the bridge

    def _dial(self) -> None:
        self._from_bridge = b""
        self._bridge = dial_or_start(open_runtime_folder(), "bridge", "mcp_bridge")
        self._bridge.sendall(self._memory.greeting(time.monotonic()))

    def _lose(self) -> bool:
        """The bridge is gone: find another one for what is open. False once the shim must end."""
        self._forget_bridge()
        ending = self._memory.ending
        given_up = self._memory.lost(time.monotonic())
        if ending:
            given_up += self._memory.drop()
        if not all(self._refuse(identity, _LOST) for identity in given_up):
            return False
        return ending or not self._memory.waits or self._dial_again()

    def _forget_bridge(self) -> None:
        if self._bridge is not None:
            self._bridge.close()
            self._bridge = None

    def _dial_again(self) -> bool:
        """Dial until there is a bridge; then what is open is refused. False once the shim must end."""
        deadline = time.monotonic() + _reconnect_s()
        why, pause_s, refused = _LOST, 0.0, 0
        while time.monotonic() < deadline and refused < STARTS:
            if self._select([], pause_s) is None:
                return False
            pause_s = min(pause_s * 2 + _FIRST_PAUSE_S, _LONGEST_PAUSE_S)
            try:
                self._dial()
                return True
            except OSError:
                self._forget_bridge()
            except SessionCoreError as error:
                why, refused = str(error), refused + 1
        return all(self._refuse(identity, why) for identity in self._memory.drop())

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
        passed = [line for line in lines if self._memory.from_bridge(line)]
        return len(self._from_bridge) <= LINE_BYTES and _write(b"".join(passed))

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
        broken = _id_of_broken(line)
        if broken is not None:
            return self._refuse(broken, _HALF_A_PAIR)
        passes, kept = self._memory.from_client(line, time.monotonic())
        try:
            if not passes:
                return True
            if self._bridge is None:
                self._dial()
                if kept:
                    return True
            assert self._bridge is not None
            self._bridge.sendall(line)
        except OSError:
            return self._lose()
        except SessionCoreError as error:
            return all(self._refuse(identity, str(error)) for identity in self._memory.drop())
        return True


_LOST = (
    "The panebridge bridge ended during this call, and whether it took effect is not known. "
    "Look with list_panes or read_status before you repeat a write; the next call works again."
)


def _reconnect_s() -> float:
    try:
        return float(os.environ.get("PANEBRIDGE_RECONNECT_S") or RECONNECT_S)
    except ValueError:
        return RECONNECT_S


_HALF_A_PAIR = "The message holds half of a character pair (a lone surrogate). Send well-formed Unicode."
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _id_of_broken(line: bytes) -> Any:
    """The id of a request that the bridge could not read and would leave unanswered; None for any other line."""
    if not _SURROGATE.search(line):
        return None
    try:
        value = json.loads(line)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        identity = value.get("id") if isinstance(value, dict) and "method" in value else None
        return identity if isinstance(identity, (str, int)) else None
    except (ValueError, RecursionError):
        return None
    return None


def _end(*_: object) -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise Ended


def _split(data: bytes) -> tuple[list[bytes], bytes]:
    *lines, rest = data.split(b"\n")
    return [line + b"\n" for line in lines], rest


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
