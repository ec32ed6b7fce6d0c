"""Builds the panes of an earlier host anew, from the journal and what the keeper holds.

A pane that the keeper holds goes on at exactly the byte where its output was parsed. One that it does not hold has
exited, or is lost where nobody saw how; either stays readable. One that was never started is forgotten. A pane that
only the keeper knows, because the journal is gone, goes on as a new one, so that its program lives.
"""

import logging
import os
import signal
import time
from functools import partial
from itertools import takewhile

from session_core.host import kept
from session_core.host.durability import Mirror
from session_core.host.handlers import remake
from session_core.host.host import Host
from session_core.host.keeper_link import Held
from session_core.host.kept import KeptPane
from session_core.host.live_pane import LivePane
from session_core.host.occupant import look_up
from session_core.host.pane_output import Checkpoint
from session_core.host.pty import NOT_BEGUN, Pty
from session_core.model.changes import RECENT_CHANGES
from session_core.model.output_index import OutputIndex, Places
from session_core.model.pane import PaneModel, PaneSpec
from session_core.model.pane_state import PaneHistory, revive
from session_core.model.status import ExitStatus, Life
from session_core.model.turns import TURNS
from session_core.screen import ScreenEngine, open_screen
from session_core.store.output_log import Mark, OutputLog

KILLS = 3
"""So many hosts in a row that were killed while they gave the screen the same bytes make those suspect."""

_CRASHES = frozenset(
    number.name for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
)

logger = logging.getLogger(__name__)


def restore(host: Host) -> None:
    """Go on with all that an earlier host has left. Called once, before anybody is served."""
    held = {one.pane: one for one in host.keeper.inventory}
    host.answers.restore(host.journal)
    panes = {pane: value for pane, _, value in kept.PANE.read(host.journal)}
    host.writes.restore((ticket for _, _, ticket in kept.TICKET.read(host.journal)), host.issued)
    found = [_restore_pane(host, panes[pane], held.pop(pane, None)) for pane in sorted(panes, key=_number)]
    restored = [live for live in found if live is not None]
    for pane in sorted(held, key=_number):
        _adopt_unknown(host, held[pane])
    _restore_changes(host)
    host.state.keep_only(host.panes)
    _restore_writes(host)
    for live in restored:
        live.resume()
        host.resumed(live)
        _answer_opening(host, live)


def _restore_changes(host: Host) -> None:
    changes = [change for _, _, change in kept.RECENT.read(host.journal)][-RECENT_CHANGES:]
    # Of what came before the oldest that is kept nobody knows.
    host.recent.forgotten = changes[0].revision - 1 if changes else host.revisions.current
    host.recent.add(changes)
    newest = changes[-1].revision if changes else host.revisions.current
    logs = (reversed(pane.model.log) for pane in host.panes.values())
    untold = [change for log in logs for change in takewhile(lambda change: change.revision > newest, log)]
    if untold:
        # The host died after it had kept a change, as what it did next had to wait for that, and before it told it.
        untold.sort(key=lambda change: change.revision)
        host.recent.add(untold)
        host.durability.changed(untold)


def _answer_opening(host: Host, live: LivePane) -> None:
    """Whoever asked for this pane may ask again, not having had the answer."""
    key = live.model.spec.key
    if key is not None and host.answers.get("open_pane", key) is None:
        host.answers.keep("open_pane", key, live.status(look=False))


def _number(pane: str) -> int:
    return int(pane[1:])


def _restore_pane(host: Host, value: KeptPane, held: Held | None) -> LivePane | None:
    pane = value.state.spec.pane
    if value.state.life is Life.STARTING and (held is None or held.exit == ExitStatus(code=NOT_BEGUN)):
        # Its program was never started: whoever asked for it asks again.
        host.durability.drop(pane)
        if held is not None:
            host.keeper.release(pane)
            os.close(held.fd)
        return None
    model = revive(value.state, _history(host, pane), host.revisions, time.monotonic())
    log = host.state.reopen_log(pane, value.parsed)
    parsed = max(value.parsed, log.mark(Mark.PARSED), log.begin)
    if held is not None and model.life.over and held.pid != value.pid:
        # It had just been started again.
        model.reopened(parsed, None)
        model.live(Life.STARTING, time.time())
    pty = Pty.adopt(held.pid, held.fd, model.exit or held.exit) if held else Pty.gone(value.pid, value.state.exit)
    failed = value.engine_failed or _is_poisoned(host, log)
    live = LivePane(
        model,
        pty,
        log,
        partial(_open_screen, host, failed=failed),
        host,
        host.keeper,
        parsed=parsed,
        counted=value.counted,
        index=_index(host, pane),
        engine_failed=failed,
    )
    live.output.warm_from(partial(_find_checkpoint, host, pane))
    host.writes.restore_pane(pane, value.last_write, cleared=value.cleared)
    # Only where they are: their content is read once a screen is painted.
    checkpoints = [int(key) for _, key, _ in host.journal.read(kept.CHECKPOINT.name, pane)]
    host.add(live, Mirror.restored(model, live.index, checkpoints))
    return live


def _history(host: Host, pane: str) -> PaneHistory:
    journal = host.journal
    turns = [turn for _, _, turn in kept.TURN.read(journal, pane)]
    return PaneHistory(
        changes=[change for _, _, change in kept.CHANGE.read(journal, pane)],
        turns=turns[-TURNS:],
        commands=[command for _, _, command in kept.COMMAND.read(journal, pane)],
        records=[record for _, _, record in kept.RECORD.read(journal, pane)],
    )


def _index(host: Host, pane: str) -> OutputIndex:
    index = OutputIndex()
    offsets = [(int(revision), offset) for _, revision, offset in kept.OFFSET.read(host.journal, pane)]
    places = next((value for _, _, value in kept.PLACES.read(host.journal, pane)), Places())
    index.restore(offsets, places)
    return index


def _find_checkpoint(host: Host, pane: str, begin: int, end: int) -> Checkpoint | None:
    for _, offset, value in kept.CHECKPOINT.read(host.journal, pane):
        if begin <= int(offset) <= end:
            return Checkpoint(int(offset), value.columns, value.rows, value.paint)
    return None


def _is_poisoned(host: Host, log: OutputLog) -> bool:
    """Whether the last host died of what it gave this pane's screen."""
    if not log.mark(Mark.SHOWING):
        return False
    log.note(Mark.SHOWING, 0)
    log.note(Mark.KILLED, log.mark(Mark.KILLED) + 1)
    crashed = host.keeper.last_end in _CRASHES
    if crashed or log.mark(Mark.KILLED) >= KILLS:
        logger.error("the screen engine ended the host; the pane goes on with the other engine")
        return True
    return False


def _open_screen(host: Host, columns: int, rows: int, *, failed: bool) -> ScreenEngine:
    return open_screen(columns, rows, engine="pyte" if failed else host.engine)


def _adopt_unknown(host: Host, held: Held) -> None:
    """Nothing is known of this pane but its process and its terminal."""
    pty = Pty.adopt(held.pid, held.fd, held.exit)
    columns, rows = pty.size()
    occupant = look_up(held.pid)
    spec = PaneSpec(
        pane=held.pane, name=None, command=(occupant.name if occupant else "?",), columns=columns, rows=rows
    )
    model = PaneModel(spec, host.revisions, time.time())
    live = LivePane(
        model, pty, host.state.open_log(held.pane), partial(_open_screen, host, failed=False), host, host.keeper
    )
    host.add(live)
    live.begin(_open_screen(host, columns, rows, failed=False))


def _restore_writes(host: Host) -> None:
    pending = [write for _, _, write in kept.PENDING.read(host.journal)]
    tickets = host.writes.tickets
    for write in sorted(pending, key=lambda write: write.begin):
        ticket = tickets.get(write.ticket)
        host.writes.resume(host.panes.get(ticket.pane) if ticket else None, write)
    for _, _, held in kept.HELD.read(host.journal):
        ticket = tickets.get(held.ticket)
        host.writes.held.hold_again(host.panes.get(ticket.pane) if ticket else None, held, remake(held))
    host.writes.held.refuse_lost()
