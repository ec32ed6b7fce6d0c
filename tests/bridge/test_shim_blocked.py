"""The shim while one of its two sides takes nothing any more: it still hears who tells it to end."""

import fcntl
import json
import os
import select
import signal
import struct
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import anyio
import anyio.abc
import psutil
import pytest

from .place import PANEBRIDGE, Place
from .waiting import BOUND_S, eventually

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("lasting_pane")]

_SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
_PIPE_BYTES = 65536


@dataclass(slots=True)
class Piped:
    """A shim on two pipes of which nothing is read or written unless a test does so."""

    process: anyio.abc.Process
    input: int
    output: int
    stdout: int

    def send(self, method: str, **params: object) -> None:
        """Send one request; the pipe must have room for it."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        data = json.dumps(request).encode() + b"\n"
        assert os.write(self.input, data) == len(data)

    def sleeps(self) -> bool:
        """Whether the shim does nothing."""
        return psutil.Process(self.process.pid).status() == psutil.STATUS_SLEEPING

    def may_write(self) -> bool:
        """Whether the pipe that nobody reads takes more of the shim's output."""
        return bool(select.select([], [self.stdout], [], 0)[1])

    async def exit_code(self) -> int:
        """Wait for the end of the shim."""
        with anyio.fail_after(BOUND_S):
            return await self.process.wait()


def _waiting_bytes(pipe: int) -> int:
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))
    return int(count)


@asynccontextmanager
async def _piped(place: Place) -> AsyncIterator[Piped]:
    stdin, our_input = os.pipe()
    our_output, stdout = os.pipe()
    try:
        process = await anyio.open_process(
            [PANEBRIDGE, "mcp"],
            stdin=stdin,
            stdout=stdout,
            env=place.environment(),
            start_new_session=True,
        )
    finally:
        os.close(stdin)
    async with process:
        piped = Piped(process, our_input, our_output, stdout)
        try:
            yield piped
        finally:
            if process.returncode is None:
                process.kill()
            os.close(our_input)
            os.close(stdout)
            with suppress(OSError):
                os.close(our_output)


async def _until_answered(piped: Piped) -> None:
    """Return once the shim has answered a first request, which is left in the pipe."""
    piped.send("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": ""})
    with anyio.fail_after(BOUND_S):
        await anyio.wait_readable(piped.output)


async def test_a_client_that_closed_its_end_ends_it_with_the_next_answer(place: Place) -> None:
    async with _piped(place) as piped:
        await _until_answered(piped)
        os.close(piped.output)
        piped.send("tools/list")
        assert await piped.exit_code() == 0


@pytest.mark.parametrize("number", _SIGNALS, ids=[number.name for number in _SIGNALS])
async def test_a_signal_ends_it_while_its_client_reads_nothing(place: Place, number: signal.Signals) -> None:
    async with _piped(place) as piped:
        await _until_answered(piped)
        for _ in range(_PIPE_BYTES // 2000):
            piped.send("tools/list")
        await eventually(lambda: piped.sleeps() and not piped.may_write())
        piped.process.send_signal(number)
        assert await piped.exit_code() == 0


@pytest.mark.parametrize("number", _SIGNALS, ids=[number.name for number in _SIGNALS])
async def test_a_signal_ends_it_while_the_bridge_reads_nothing(place: Place, number: signal.Signals) -> None:
    async with _piped(place) as piped:
        await _until_answered(piped)
        bridge = place.bridge
        os.kill(bridge, signal.SIGSTOP)
        try:
            os.set_blocking(piped.input, False)
            line = b"{" + b" " * 30_000 + b"}\n"

            def stuck() -> bool:
                """Write on until neither the shim nor the pipe takes any more."""
                with suppress(BlockingIOError):
                    os.write(piped.input, line)
                return _waiting_bytes(piped.input) > _PIPE_BYTES // 2 and piped.sleeps()

            await eventually(stuck)
            piped.process.send_signal(number)
            assert await piped.exit_code() == 0
        finally:
            os.kill(bridge, signal.SIGCONT)
