"""Reads of a pane: its screen, its last lines, its output since a moment, of a command or of a turn, and finds in it.

The screen and the last lines are the engine's. Output that went by is shown anew on a screen of its own, from the
pane's log and off the event loop. A text is cut at whole lines, keeps its newest ones, and says what was left out.
The pane may be closed while a read waits: all that it needs is taken before.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import replace

import anyio

from session_core.api.requests import READ_BYTES, Format, ReadPane, What
from session_core.api.results import PaneText
from session_core.errors import Code, SessionCoreError
from session_core.host.finding import blocks, finder
from session_core.host.live_pane import LivePane
from session_core.host.writes import Writes
from session_core.model.commands import Command
from session_core.model.tickets import Delivery
from session_core.protocol import limits
from session_core.protocol.text import disarm, harmless, harmless_markup, harmless_styled
from session_core.screen import EngineName
from session_core.screen.plain import cut_lines, plain_lines

SCREEN_BYTES, OTHER_BYTES = 8000, 4000
STYLED_CELLS, STYLED_BYTES = 60_000, 2 * 1024 * 1024
"""Largest screen with styles in one answer; it cannot be cut."""
TAIL_LINES = 40

_OF_THE_SCREEN = (What.SCREEN, What.TAIL, What.FIND)


class Reader:
    """Reads panes of one host, whose revision is `revision`."""

    def __init__(self, pane: LivePane, writes: Writes, revision: int, engine: EngineName) -> None:
        self._pane = pane
        self._writes = writes
        self._revision = revision
        self._engine = engine

    def read(self, request: ReadPane) -> PaneText | Awaitable[PaneText]:
        """Read as asked, the screen at once. Raises SessionCoreError for what there is not."""
        if request.format is not Format.TEXT and request.what is not What.SCREEN:
            raise SessionCoreError(Code.BAD_REQUEST, "Only the screen has styles.", "Leave out `format`.")
        match request.what:
            case What.SCREEN if request.format is not Format.TEXT:
                return self._styled(request)
            case What.SCREEN:
                return self._screen(request)
            case What.TAIL:
                return self._tail(request)
            case What.FIND:
                return self._find(request)
            case What.SINCE:
                begin = self._begin(request)
                return self._went_by(request, self._facts(request), begin, None)
            case What.COMMAND:
                command = self._find_command(request.number)
                return self._went_by(
                    request, replace(self._facts(request), command=command), command.begin, command.end
                )
            case What.TURN:
                return self._turn(request)

    # ---- from the screen

    def _styled(self, request: ReadPane) -> PaneText:
        screen, html = self._pane.shown, request.format is Format.HTML
        limit = request.max_bytes or STYLED_BYTES
        text = ""
        if screen.size.columns * screen.size.rows <= STYLED_CELLS:
            text = screen.html() if html else screen.ansi()
        if not text or len(text.encode()) > limit:
            raise SessionCoreError(
                Code.LIMIT_REACHED,
                f"With its styles the screen is larger than {STYLED_CELLS} cells or {limit} bytes.",
                "Read it as text, which is cut, or give the pane a smaller size.",
            )
        text = "\n".join(map(harmless_markup if html else harmless_styled, text.split("\n")))
        return replace(self._facts(request), text=text)

    def _screen(self, request: ReadPane) -> PaneText:
        screen = self._pane.shown
        above = screen.row_count - screen.size.rows
        return _with_text(self._facts(request), request, screen.text().split("\n"), above=above)

    def _tail(self, request: ReadPane) -> PaneText:
        screen, wanted = self._pane.shown, request.lines or TAIL_LINES
        lines = screen.tail(wanted + 1)
        above = 0
        if len(lines) > wanted:
            blank = screen.size.rows - len(screen.text().split("\n"))
            above = max(1, screen.row_count - blank - wanted)
        return _with_text(self._facts(request), request, lines[-wanted:], above=above)

    async def _find(self, request: ReadPane) -> PaneText:
        if request.pattern is None:
            raise SessionCoreError(Code.BAD_REQUEST, "There is no pattern to find.", "Give `pattern`.")
        facts, lines = self._facts(request), self._pane.shown.lines(0)
        hits = await anyio.to_thread.run_sync(finder(request.pattern, is_regex=request.regex), lines)
        return _with_text(replace(facts, found=len(hits)), request, blocks(lines, hits, request.context))

    # ---- from the log

    def _begin(self, request: ReadPane) -> int:
        if request.offset is not None:
            if request.offset > self._pane.offset:
                raise SessionCoreError(
                    Code.BAD_REQUEST,
                    f"The output of pane {self._pane.pane} ends at {self._pane.offset}.",
                    "Give the `end` of an earlier read of this pane.",
                )
            return request.offset
        if isinstance(request.since, int):
            return self._pane.index.since(request.since)
        if request.since is None:
            raise SessionCoreError(
                Code.BAD_REQUEST, "Since when?", "Say since which ticket, revision, or `end` of an earlier read."
            )
        ticket = self._writes.tickets.get(request.since)
        if ticket is None or ticket.pane != self._pane.pane:
            raise SessionCoreError(
                Code.NO_SUCH_TICKET,
                f"There is no ticket {request.since!r} of pane {self._pane.pane}.",
                "Use the ticket of a write to this pane, or a revision.",
            )
        if ticket.status in (Delivery.HELD, Delivery.REFUSED):
            raise SessionCoreError(
                Code.BAD_REQUEST,
                f"The write of ticket {ticket.id} is {ticket.status.value}: nothing came after it.",
                "Read the screen, or its output since another ticket.",
            )
        return ticket.offset

    def _find_command(self, number: int) -> Command:
        kept = list(self._pane.model.commands)
        if number < 0:
            found = kept[number] if len(kept) >= -number else None
        else:
            found = next((command for command in kept if command.number == number), None)
        if found is None:
            known = f"{kept[0].number} to {kept[-1].number}" if kept else "none"
            raise SessionCoreError(
                Code.BAD_REQUEST,
                f"Command {number} of pane {self._pane.pane} is not known.",
                f"Known are: {known}. Only a shell that marks its prompts has commands.",
            )
        return found

    def _turn(self, request: ReadPane) -> PaneText | Awaitable[PaneText]:
        span = self._pane.index.turn
        if span is None:
            raise SessionCoreError(
                Code.BAD_REQUEST,
                f"Pane {self._pane.pane} has not been at work yet.",
                "Read its screen, or its output since a ticket.",
            )
        return self._went_by(request, self._facts(request), span.begin, span.end)

    def _went_by(
        self, request: ReadPane, facts: PaneText, begin: int, end: int | None
    ) -> PaneText | Awaitable[PaneText]:
        """What went by; of a full-screen program what is visible, for a part of its picture says nothing alone."""
        pane = self._pane
        alternate = pane.index.alternate_at(begin)
        if (alternate and alternate.end is None) or (end is None and pane.shown.alternate):
            missed = max(0, min(pane.log.begin, facts.end) - begin)
            return _with_text(replace(facts, missed_bytes=missed), request, pane.shown.text().split("\n"))
        if alternate is not None and alternate.end is not None:
            begin = alternate.end
        stop = max(facts.end, begin) if end is None else end
        logged = pane.log.read(min(begin, stop), stop)
        data = logged.data
        if logged.missed and data:
            # What is left of a line, or of a sequence, is gone with what was before it.
            data = data[(data.find(b"\n") + 1) % len(data) :]
        missed = logged.missed + len(logged.data) - len(data)
        return self._shown(request, replace(facts, missed_bytes=missed, end=stop), data)

    async def _shown(self, request: ReadPane, facts: PaneText, data: bytes) -> PaneText:
        plain = await anyio.to_thread.run_sync(plain_lines, data, self._pane.shown.size, self._engine)
        # Reads that go on put their texts together: a line that is not ended yet goes on in the next one.
        end = plain.end if request.what is What.SINCE else ""
        return _with_text(facts, request, plain.lines, above=plain.left_out, end=end)

    # ---- the answer

    def _facts(self, request: ReadPane) -> PaneText:
        pane, screen = self._pane, self._pane.shown
        return PaneText(
            pane=pane.pane,
            what=request.what,
            text="",
            columns=screen.size.columns,
            rows=screen.size.rows,
            cursor_column=screen.cursor.column,
            cursor_row=screen.cursor.row,
            alternate=screen.alternate,
            title=disarm(screen.title, limits.SHOWN_TITLE_CHARACTERS) or None,
            left_out_lines=0,
            missed_bytes=0,
            end=pane.whole_offset,
            revision=self._revision,
            updating=pane.output.updating,
            skipped_bytes=screen.skipped if request.what in _OF_THE_SCREEN else 0,
        )


def _with_text(facts: PaneText, request: ReadPane, lines: Sequence[str], *, above: int = 0, end: str = "") -> PaneText:
    """Return the newest lines that are asked for and fit; `above` of them were left out before."""
    default = SCREEN_BYTES if request.what is What.SCREEN else OTHER_BYTES
    limit = min(request.max_bytes or default, READ_BYTES)
    wanted = lines[-request.lines :] if request.lines else lines
    end = end[: limit - 1]
    kept, cut = cut_lines(list(wanted), limit - len(end))
    return replace(
        facts,
        text="\n".join(map(harmless, kept)) + end,
        left_out_lines=above + len(lines) - len(kept),
        left_out_bytes=cut,
    )
