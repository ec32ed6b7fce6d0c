"""The program of a pane: what it prints is known in advance, and what it reads it keeps in a file of its own.

Run as `python -IS streamer.py FILE NAME STOP MODE [AFTER END]`. In mode `stream` it prints a numbered piece every
`TICK_S`, in mode `turns` one for each line that it reads, until the file STOP exists, or it has printed AFTER pieces
and ends as END says: a code, or the name of a signal. A piece is a line, reports, and now and then a query whose answer
tells which query it belongs to. FILE gets `line HEX` for each line that was read, `reply NUMBER HEX` for each answer,
with what had been read of a line by then, and at last `end PIECES`.
"""

import os
import re
import select
import signal
import sys
import tty

TICK_S = 0.05
RECORDS, STATES = 8, ("working", "done", "error")
QUERY_EVERY, FIRST_MODE = 3, 7000
_TOKEN = re.compile(rb"\x1b\[\?(\d+);\d+\$y|\r|[^\r\x1b]+")


def reported(number: int) -> tuple[str, str]:
    """Return the id and the state of the report in a piece."""
    return f"r{number % RECORDS}", STATES[number // RECORDS % len(STATES)]


def query_in(number: int) -> bool:
    """Return whether a piece has a query."""
    return number % QUERY_EVERY == 0


def piece(name: str, number: int) -> bytes:
    """Return what a stream has as its piece `number`."""
    identity, state = reported(number)
    line = f"{name} line {number:06d} {'.' * (number * 37 % 160)}\r\n"
    report = f"\x1b]7501;state={state}:id={identity}\x1b\\"
    query = f"\x1b[?{FIRST_MODE + number}$p" if query_in(number) else ""
    return (line + report + query).encode()


def turn(line: bytes) -> bytes:
    """Return what a program of turns prints for one line."""
    report = b"\x1b]7501;state=%s:id=turn\x1b\\"
    return report % b"working" + b"answer to " + line + b"\r\n" + report % b"done"


def first_turn() -> bytes:
    """Return what a program of turns prints at first."""
    return b"\x1b]7501;state=idle:id=turn\x1b\\"


class Program:
    """One run."""

    def __init__(self, file: str, name: str, stop: str, mode: str) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._name = name
        self._stop = stop
        self._streams = mode == "stream"
        self._pieces = 0
        self._unread = self._line = b""

    def run(self, after: int, end: str) -> None:
        """Print and read until the end."""
        tty.setraw(0)
        if not self._streams:
            self._say(first_turn())
        while not os.path.exists(self._stop) and (after == 0 or self._pieces < after):
            if self._streams:
                self._say(piece(self._name, self._pieces))
                self._pieces += 1
            self._read()
        self._read(all_of_it=True)
        self._keep(f"end {self._pieces}")
        if end.isdecimal():
            os._exit(int(end))
        os.kill(os.getpid(), signal.Signals[end])

    def _say(self, data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def _keep(self, text: str) -> None:
        os.write(self._file, text.encode() + b"\n")

    def _read(self, *, all_of_it: bool = False) -> None:
        while select.select([0], [], [], TICK_S)[0]:
            self._take(os.read(0, 65536))
            if self._streams and not all_of_it:
                return

    def _take(self, data: bytes) -> None:
        data, at = self._unread + data, 0
        while token := _TOKEN.match(data, at):
            at = token.end()
            if token[1]:
                self._keep(f"reply {int(token[1]) - FIRST_MODE} {self._line.hex()}")
            elif token[0] == b"\r":
                self._end_line()
            else:
                self._line += token[0]
        self._unread = data[at:]

    def _end_line(self) -> None:
        line, self._line = self._line, b""
        self._keep(f"line {line.hex()}")
        if not self._streams:
            self._say(turn(line))
            self._pieces += 1


if __name__ == "__main__":
    _file, _name, _stop, _mode, *_rest = sys.argv[1:]
    Program(_file, _name, _stop, _mode).run(int(_rest[0]) if _rest else 0, _rest[1] if _rest else "0")
