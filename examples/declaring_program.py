"""A small interactive program that declares its turns: the stand-in for a coding agent.

    python examples/declaring_program.py [--pace SECONDS] [--no-query]

It asks the terminal with `?` and reports only after a reply, as most agents do (OSC 7501 sections 5 and 11).
A line is a turn: `deploy` in it asks for permission, `fail` in it ends in error, `spawn` alone leaves
background work with a record of its own, `exit` leaves. Standard library and `session_core.report` only.
Invariants: replies of the terminal never reach the line input; the terminal's modes are restored.
"""

import argparse
import os
import re
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from session_core.report import Reporter

NO_QUERY_VARIABLE = "DECLARING_PROGRAM_NO_QUERY"
REPLY_WAIT_S = 2.0
QUERY = b"\x1b]7501;?\x1b\\\x1b[c"
STATUS_REPLY = re.compile(rb"\x1b\]7501;\?[^\x07\x1b]*(?:\x07|\x1b\\)")
DEVICE_REPLY = re.compile(rb"\x1b\[\?[0-9;]*c")
ANY_REPLY = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]")
MESSAGE_CHARACTERS = 60
PROMPT = "> "


class Console:
    """Standard input and output: lines in, lines out, and the one question to the terminal."""

    def __init__(self, pace_s: float) -> None:
        self._pace_s = pace_s
        self._typed = b""

    def say(self, text: str, end: str = "\n") -> None:
        """Show `text` at once."""
        print(text, end=end, flush=True)

    def pause(self) -> None:
        """Wait long enough for a reader to follow."""
        time.sleep(self._pace_s)

    def read_line(self, prompt: str) -> str | None:
        """Return the next line without its end, or None at the end of input."""
        self.say(prompt, end="")
        while b"\n" not in self._typed:
            try:
                chunk = os.read(0, 4096)
            except OSError:  # The terminal hung up.
                return None
            if not chunk:
                return None
            # A reply that came after the wait for it is no line either.
            self._typed = ANY_REPLY.sub(b"", self._typed + chunk)
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode(errors="replace").strip()

    def ask_terminal(self) -> bool:
        """Ask whether reports are understood; a device reply first, or none at all, means no.

        What a person types meanwhile stays for `read_line`. Waits at most `REPLY_WAIT_S` seconds.
        """
        if not (os.isatty(0) and os.isatty(1)):
            return False
        deadline = time.monotonic() + REPLY_WAIT_S
        with raw_input():
            os.write(1, QUERY)
            while not DEVICE_REPLY.search(self._typed):
                wait_s = max(0.0, deadline - time.monotonic())
                chunk = os.read(0, 4096) if select.select([0], [], [], wait_s)[0] else b""
                if not chunk:
                    break
                self._typed += chunk
        status, device = STATUS_REPLY.search(self._typed), DEVICE_REPLY.search(self._typed)
        self._typed = ANY_REPLY.sub(b"", self._typed).replace(b"\r", b"\n")
        os.write(1, self._typed)  # The terminal did not echo it while the input was raw.
        return status is not None and (device is None or status.start() < device.start())


@contextmanager
def raw_input() -> Iterator[None]:
    """Take the terminal's input byte by byte and unechoed for the length of a `with` block."""
    before = termios.tcgetattr(0)
    raw = termios.tcgetattr(0)
    raw[3] &= ~(termios.ICANON | termios.ECHO)
    raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
    try:
        termios.tcsetattr(0, termios.TCSADRAIN, raw)
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def run_turn(line: str, console: Console, reporter: Reporter) -> None:
    """Work on one line, declaring each step."""
    reporter.working(line[:MESSAGE_CHARACTERS])
    if re.search(r"\bdeploy\b", line):
        reporter.blocked("permission", "Run deploy to production?")
        if not is_allowed(console):
            console.say("Not deployed.")
            reporter.idle()
            return
        reporter.working("Deploying to production")
    for step in ("Reading", "Thinking", "Writing"):
        console.say(f"  {step} ...")
        console.pause()
    if "fail" in line:
        console.say("It failed.")
        reporter.error(f"Failed: {line[:MESSAGE_CHARACTERS]}")
    else:
        console.say("Finished.")
        reporter.done(f"Finished: {line[:MESSAGE_CHARACTERS]}")


def is_allowed(console: Console) -> bool:
    """Ask the person until the answer is y or n; the end of input is a no."""
    while True:
        answer = console.read_line("Run deploy to production? [y/n] ")
        if answer is None or answer.lower() in ("n", "no"):
            return False
        if answer.lower() in ("y", "yes"):
            return True


def spawn(console: Console, reporter: Reporter) -> None:
    """End the turn at once and leave work behind: `done` is held back until that work ends."""
    reporter.working("spawn")
    reporter.begin_background()
    child = reporter.child("spawned", title="Spawned work")
    child.working("Counting")
    console.say("Spawned; the prompt is free meanwhile.")
    reporter.done("Finished: spawn")

    def work() -> None:
        console.pause()
        child.done("Counted")
        console.pause()
        child.clear()
        reporter.end_background()

    threading.Thread(target=work, daemon=True).start()


def converse(console: Console, reporter: Reporter) -> None:
    """Read lines and run their turns until `exit` or the end of input; Ctrl-C ends one turn."""
    reporter.idle()
    while (line := console.read_line(PROMPT)) not in (None, "exit"):
        try:
            if line == "spawn":
                spawn(console, reporter)
            elif line:
                run_turn(line, console, reporter)
        except KeyboardInterrupt:
            console.say("Interrupted.")
            reporter.idle()


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Declare turns with OSC 7501 like a coding agent does.")
    parser.add_argument("--pace", type=float, default=0.3, metavar="SECONDS", help="pause between steps")
    parser.add_argument(
        "--no-query",
        action="store_true",
        default=bool(os.environ.get(NO_QUERY_VARIABLE)),
        help=f"report without asking the terminal first (also: {NO_QUERY_VARIABLE}=1)",
    )
    return parser.parse_args()


def main() -> int:
    """Run the program and return its exit code."""
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console(max(0.0, options.pace))
    try:
        wanted = options.no_query or console.ask_terminal()
        with Reporter("demo-agent", terminal=1 if wanted else os.devnull) as reporter:
            converse(console, reporter)
    except KeyboardInterrupt:
        console.say("")
    return 0


if __name__ == "__main__":
    sys.exit(main())
