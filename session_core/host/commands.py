"""`run_command`: one shell command, typed at the prompt, awaited, and its own output and exit code read.

The command goes in only while the shell is at its prompt, one at a time a pane, and which of the shell's commands it
became is known by its order and, where the marks carry one, its command line. A shell that shows no reaction is
given C-c, so that half a command is never left at its prompt, not even by a call that is cancelled.
"""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

import anyio

from session_core.api.requests import RunCommand
from session_core.api.results import CommandRun
from session_core.errors import Code, SessionCoreError
from session_core.host.host import Host
from session_core.host.live_pane import LivePane
from session_core.host.write import Write
from session_core.model.changes import Cause
from session_core.model.commands import Command
from session_core.model.composing import Composed, compose
from session_core.model.guard import Conditions
from session_core.model.outcomes import Outcome
from session_core.model.status import Shell, Signal
from session_core.model.tickets import Ticket
from session_core.protocol.shell_marks import line_as_told
from session_core.protocol.text import harmless
from session_core.screen.plain import PlainLines, cut_lines, plain_lines

_BRACKETED_PASTE = 2004
_START_S = 5.0
"""How long a shell at its prompt has to begin what was typed, before it counts as half a command."""
_NEXT_S = 1.0
"""How long after a command's end the shell may take to begin one that is typed already, or to show its prompt."""
_EDITOR_S = 2.0
"""How long a shell that shows its prompt may take to read keys; one that never does reads whole lines."""
_INTERRUPT, _ERASE = b"\x03", b"\x15"
_FISH = ("begin\n", "\nend")
_POSIX = ("{\n", "\n}")
_RAN_NOTHING = (Outcome.NOT_DELIVERED, Outcome.NOT_STARTED)


@dataclass(slots=True)
class _Run:
    """A command on its way; it was typed at output offset `begin`, while process group `front` was in front."""

    pane: LivePane
    text: str
    told: str
    ticket: Ticket | None = None
    begin: int = 0
    front: int | None = None
    accepted: int | None = None

    @classmethod
    def of(cls, pane: LivePane, command: str) -> "_Run":
        """Prepare a command; several lines are made one, with one end and one exit code."""
        text = command.strip("\r\n")
        if not text.strip():
            raise SessionCoreError(Code.BAD_REQUEST, "The command is empty.", "Give one to run.")
        if "\n" in text or "\r" in text:
            shell = PurePath(pane.model.spec.command[0]).name.removeprefix("-")
            opening, closing = _FISH if shell == "fish" else _POSIX
            return cls(pane, opening + text + closing, "")
        return cls(pane, text, (line_as_told(text) or "").strip())

    def go_on(self, ticket: Ticket) -> None:
        """It was typed by an earlier call, at the prompt of the pane's own shell as far as is known."""
        self.ticket, self.begin, self.front = ticket, ticket.offset, self.pane.pid

    @property
    def is_one_line(self) -> bool:
        """Whether it can be typed like by a person, without a paste."""
        return not {"\n", "\r", "\t"} & set(self.text)

    def _later(self) -> list[Command]:
        return [command for command in self.pane.model.commands if command.begin >= self.begin]

    def mine(self) -> Command | None:
        """The shell's command that this is: the one with its line, or the first where lines tell nothing."""
        later = self._later()
        for command in later:
            if command.number == self.accepted or (self.told and command.line and command.line.strip() == self.told):
                return command
        unnamed = later and (later[0].line is None or not self.told)
        return later[0] if unnamed else None

    def accept_first(self) -> None:
        """No command came with this line: the shell has changed it, as its history expansion does."""
        later = self._later()
        self.accepted = later[0].number if later else None

    # ---- what `until` waits for

    def exited(self) -> bool:
        return _exited(self.pane)

    def seen(self) -> bool:
        """Whether the shell has begun a command since this one was typed."""
        return self.exited() or bool(self._later())

    def reacted(self, since: int) -> bool:
        """Whether the shell has begun a command, or has shown its prompt anew since a revision."""
        standing = self.pane.model.standing
        return self.seen() or (standing.cause is Cause.PROMPT and standing.turn_revision > since)

    def begun(self) -> bool:
        return self.exited() or self.mine() is not None

    def begun_or_at_rest(self) -> bool:
        """Whether it has begun, or every command that came before it has ended."""
        newest = self.pane.model.commands.newest
        return self.begun() or newest is None or newest.end is not None

    def begun_or_next(self, total: int) -> bool:
        """Whether it has begun, or another command than the first `total`."""
        return self.begun() or self.pane.model.commands.total > total

    def over(self) -> bool:
        mine = self.mine()
        return self.exited() or (mine is not None and mine.end is not None)

    def prompted(self) -> bool:
        """Whether the shell has gone on after its end."""
        mine, newest = self.mine(), self.pane.model.commands.newest
        return self.exited() or self.pane.model.shell is Shell.PROMPT or mine is not newest


async def run_command(host: Host, request: RunCommand, pane: LivePane) -> CommandRun:
    """Run a command at the pane's shell, or go on with the one of its key. Raises SessionCoreError where it cannot be.

    It waits at most `timeout_s`, and `_START_S` more where the shell does not begin what was typed.
    """
    began = time.monotonic()
    run = _Run.of(pane, request.command)
    outcome = await _run_alone(host, run, request, began + request.timeout_s)
    return await _result(host, run, outcome, request.max_bytes, time.monotonic() - began)


async def _run_alone(host: Host, run: _Run, request: RunCommand, deadline: float) -> Outcome:
    """Run it once the commands that were asked for before are over."""
    with anyio.move_on_after(request.timeout_s) as waiting:
        await run.pane.command_line.acquire()
    if waiting.cancelled_caught:
        return Outcome.NOT_DELIVERED
    try:
        return await _run(host, run, request, deadline)
    finally:
        run.pane.command_line.release()


async def _run(host: Host, run: _Run, request: RunCommand, deadline: float) -> Outcome:
    until = partial(host.waiting.until, run.pane.pane)
    known = host.writes.tickets.by_key(run.pane.pane, request.key)
    if known is not None:
        run.go_on(known)
        with anyio.CancelScope(shield=True):
            if not await _begin(host, run, known, request, deadline):
                return Outcome.NOT_STARTED
    while run.ticket is None:
        if not await _prompt(host, run, deadline):
            return Outcome.NOT_DELIVERED
        with anyio.CancelScope(shield=True):
            if not await _start(host, run, request, deadline):
                return Outcome.NOT_STARTED
    while not run.begun():
        # A person's own command may have come first, and the shell reads ours next.
        if not await until(run.begun_or_at_rest, deadline):
            return Outcome.CHECKIN
        total = run.pane.model.commands.total
        if not await until(partial(run.begun_or_next, total), time.monotonic() + _NEXT_S):
            run.accept_first()
            break
    if not await until(run.over, deadline):
        return Outcome.CHECKIN
    # The new prompt tells the folder, and that the shell is ready for more.
    await until(run.prompted, min(deadline, time.monotonic() + _NEXT_S))
    mine = run.mine()
    return Outcome.EXITED if run.exited() and (mine is None or mine.exit_code is None) else Outcome.SETTLED


async def _prompt(host: Host, run: _Run, deadline: float) -> bool:
    """Wait until the shell is at its prompt and reads keys. Raises SessionCoreError where that will never be."""
    pane, until = run.pane, partial(host.waiting.until, run.pane.pane)
    _check_can_run(pane)
    if not await until(lambda: _exited(pane) or _at_prompt(host, pane), deadline):
        return False
    _check_can_run(pane)
    # It has announced its prompt, but may still be making it. What comes too early the terminal would edit itself.
    patience = time.monotonic() + _EDITOR_S
    edits = await until(lambda: not _at_prompt(host, pane) or _edits(run), min(deadline, patience))
    return edits or patience <= deadline


def _edits(run: _Run) -> bool:
    """Whether the shell's editor takes keys, and for what must be pasted, pastes."""
    pane = run.pane
    return not pane.reads_lines and (run.is_one_line or pane.screen.mode(_BRACKETED_PASTE))


def _exited(pane: LivePane) -> bool:
    return pane.model.life.over


def _at_prompt(host: Host, pane: LivePane) -> bool:
    model = pane.model
    # Marks of the pane's own shell tell every command's begin: what is declared then comes from the background.
    prompt = model.shell is Shell.PROMPT and (model.marks.signed or model.signal is Signal.PROMPT)
    return prompt and host.writes.is_clear(pane)


def _check_can_run(pane: LivePane) -> None:
    model = pane.model
    if model.life.over:
        raise SessionCoreError(Code.PANE_EXITED, f"The program of pane {pane.pane} has exited.", "Open a new pane.")
    if model.shell is None and not model.marks.signed:
        raise SessionCoreError(
            Code.NO_PROMPT_MARKS,
            f"Pane {pane.pane} runs no shell that marks its prompts.",
            "Open bash, zsh or fish in a pane of its own, or use write_pane and wait_idle.",
        )


async def _start(host: Host, run: _Run, request: RunCommand, deadline: float) -> bool:
    """Type it if the shell is still at its prompt; False where the shell begins nothing, which is then taken back."""
    try:
        run.ticket = await _type(host, run, request)
    except SessionCoreError as error:
        if error.code is Code.NOT_AT_PROMPT:
            return True
        raise
    return await _begin(host, run, run.ticket, request, deadline)


async def _begin(host: Host, run: _Run, ticket: Ticket, request: RunCommand, deadline: float) -> bool:
    """Wait for the shell to begin what is typed; False where it begins nothing, which is then taken back."""
    until = partial(host.waiting.until, run.pane.pane)
    reacted = partial(run.reacted, ticket.revision)
    while not await until(reacted, time.monotonic() + _START_S) and run.pane.input.unread:
        # A long text takes its time, and a key in the middle of it would make another text of it.
        if time.monotonic() > deadline:
            return True
    if reacted():
        # An empty line of a person may have come first.
        await until(run.seen, time.monotonic() + _NEXT_S)
    if run.seen() or run.pane.foreground.group() != run.front:
        return True
    revision = host.revisions.current
    await _interrupt(host, run, request)
    # What it began meanwhile, it began before the key.
    await until(partial(run.reacted, revision), time.monotonic() + _NEXT_S)
    return run.seen()


async def _type(host: Host, run: _Run, request: RunCommand) -> Ticket:
    def compose_for(pane: LivePane) -> Composed:
        if not _at_prompt(host, pane):
            raise SessionCoreError(Code.NOT_AT_PROMPT, "The shell is no longer at its prompt.", "Try again.")
        run.begin, run.front = pane.offset, pane.foreground.group()
        bracketed = pane.screen.mode(_BRACKETED_PASTE)
        composed = compose(run.text, submit=True, bracketed=bracketed, by_line=True, completes=True)
        # An answer of the terminal that no program has read stands at the prompt.
        erase, pane.replied = _ERASE if pane.replied else b"", False
        return replace(composed, data=erase + composed.data)

    return await host.writes.write(run.pane, _write(compose_for, request, submit=True, key=request.key))


async def _interrupt(host: Host, run: _Run, request: RunCommand) -> None:
    def interrupt(_: LivePane) -> Composed:
        return Composed(_INTERRUPT, 0, False)

    # Where a person has gone on with what was typed, it is theirs.
    with contextlib.suppress(SessionCoreError):
        await host.writes.write(run.pane, _write(interrupt, request, submit=False))


def _write(
    bytes_for: Callable[[LivePane], Composed], request: RunCommand, *, submit: bool, key: str | None = None
) -> Write:
    conditions = Conditions(from_pane=request.from_pane)
    author = request.author or "unknown"
    return Write(bytes_for=bytes_for, submit=submit, author=author, conditions=conditions, hold_s=1.0, key=key)


async def _result(host: Host, run: _Run, outcome: Outcome, max_bytes: int, waited: float) -> CommandRun:
    pane, mine = run.pane, None if outcome in _RAN_NOTHING else run.mine()
    shown, missed = PlainLines([], 0), 0
    if mine is not None:
        data, missed = _output(pane, mine)
        shown = await anyio.to_thread.run_sync(plain_lines, data, pane.screen.size, host.engine)
    kept, cut = cut_lines(shown.lines, max_bytes)
    return CommandRun(
        pane=pane.pane,
        outcome=outcome,
        ticket=run.ticket.id if run.ticket else None,
        exit_code=mine.exit_code if mine else None,
        output="\n".join(map(harmless, kept)),
        left_out_lines=shown.left_out + len(shown.lines) - len(kept),
        left_out_bytes=missed + cut,
        folder=pane.model.labels.folder,
        exit=pane.model.exit,
        waited_s=round(waited, 3),
        revision=host.revisions.current,
    )


def _output(pane: LivePane, command: Command) -> tuple[bytes, int]:
    """Return a command's output from its first whole line that is still kept, and how many bytes came before that."""
    logged = pane.log.read(command.begin, command.end)
    if not (logged.missed and logged.data):
        return logged.data, logged.missed
    part = (logged.data.find(b"\n") + 1) % len(logged.data)
    return logged.data[part:], logged.missed + part
