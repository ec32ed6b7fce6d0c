"""What must hold after a run, of everything that was printed, declared, written, acknowledged and told."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from session_core import Cause, Change, Client, Delivery, Outcome, PaneStatus, Subject
from session_core.model.turns import TURNS

from ..store.naive import in_file
from .seen import Pane, Seen, Write
from .streamer import QUERY_EVERY, reported

_TOKEN = re.compile(rb"<[^<>]*>")


async def check(core: Client, seen: Seen, folder: str) -> None:
    """Hold what everybody saw against what programs and host have kept. Adds to `seen.faults`."""
    statuses = {status.pane: status for status in (await core.list_panes()).panes}
    for write in seen.writes:
        if write.ticket is not None:
            ticket = await core.read_ticket(write.ticket)
            if write.status == Delivery.DELIVERED != ticket.status:
                seen.fault(f"{write} has become {ticket}")
            write.status = ticket.status
    _check_revisions(seen)
    for pane in seen.panes.values():
        _check_output(seen, pane, Path(folder))
        _check_records(seen, pane)
        _check_replies(seen, pane)
        _check_input(seen, pane)
        _check_acknowledged(seen, pane, statuses[pane.pane])
        _check_end(seen, pane, statuses[pane.pane])
    _check_waits(seen)


def _of(seen: Seen, pane: Pane, subject: Subject) -> list[Change]:
    return [change for change in seen.changes if change.pane == pane.pane and change.subject is subject]


def _check_revisions(seen: Seen) -> None:
    for before, after in pairwise(seen.changes):
        if after.revision <= before.revision:
            seen.fault(f"{after} was told after {before}")


def _check_output(seen: Seen, pane: Pane, folder: Path) -> None:
    begin, data = in_file(folder / "state" / "output" / pane.pane)
    printed = pane.printed
    if (begin, data) != (0, printed):
        at = next(
            (at for at, (a, b) in enumerate(zip(data, printed, strict=False)) if a != b), min(len(data), len(printed))
        )
        seen.fault(
            f"the log of {pane} begins at {begin}, has {len(data)} bytes instead of {len(printed)}, and at {at}: "
            f"{data[at - 40 : at + 40]!r} instead of {printed[at - 40 : at + 40]!r}"
        )


def _check_records(seen: Seen, pane: Pane) -> None:
    found = [
        (change.record, change.after) for change in _of(seen, pane, Subject.RECORD) if change.cause is Cause.REPORT
    ]
    if pane.mode == "stream":
        expected = [reported(number) for number in range(pane.pieces)]
    else:
        expected = [("turn", "idle"), *[("turn", "working"), ("turn", "done")] * pane.pieces]
    _check_same(seen, f"reports of {pane.name}", found, expected)


def _check_same(seen: Seen, what: str, found: Sequence[object], expected: Sequence[object]) -> None:
    if list(found) != list(expected):
        at = next((at for at, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), -1)
        seen.fault(
            f"the {what} are {len(found)} instead of {len(expected)}; from {at} on they are "
            f"{found[at : at + 4]} instead of {expected[at : at + 4]}"
        )


def _check_replies(seen: Seen, pane: Pane) -> None:
    """An answer may be lost with the host that had to give it; none is given twice."""
    replies = [int(number) for number, _ in pane.kept("reply")]
    if sorted(set(replies)) != replies:
        seen.fault(f"the answers to {pane.name} are {replies}")
    seen.counts["answers lost"] += max(replies, default=-QUERY_EVERY) // QUERY_EVERY + 1 - len(replies)
    for _, line in pane.kept("reply"):
        _check_unfinished(seen, pane, bytes.fromhex(line), "an answer came amid a line")


def _check_unfinished(seen: Seen, pane: Pane, data: bytes, why: str) -> None:
    """Text without its Enter belongs to writes of which nobody knows whether they arrived."""
    unknown = {write.text.encode() for write in seen.writes if write.status == Delivery.UNKNOWN}
    if not set(_TOKEN.findall(data)) <= unknown or _TOKEN.sub(b"", data):
        seen.fault(f"{pane.name}: {why}: {data!r}")


def _check_input(seen: Seen, pane: Pane) -> None:
    lines = pane.lines
    tokens = [_TOKEN.findall(line) for line in lines]
    found = [token.decode() for line in tokens for token in line]
    writes = {write.text: write for write in seen.writes if write.pane == pane.pane}
    for line, inside in zip(lines, tokens, strict=True):
        whole = inside[-1] if inside else b""
        if not line.endswith(whole):
            seen.fault(f"{pane.name} has read {line!r}")
        _check_unfinished(seen, pane, line.removesuffix(whole), f"was written before {whole!r}")
        if not line and not any(write.status == Delivery.UNKNOWN for write in writes.values()):
            seen.fault(f"{pane.name} has read an Enter of nobody")
    for text, write in writes.items():
        _check_write(seen, write, found.count(text))
    if not set(found) <= writes.keys():
        seen.fault(f"{pane.name} has read what nobody wrote: {set(found) - writes.keys()}")
    for author in {write.author for write in writes.values()}:
        mine = [int(text.strip("<>").rpartition(".")[2]) for text in found if text.startswith(f"<{author}.")]
        if mine != sorted(mine) and pane.mode != "turns":
            seen.fault(f"{pane.name} has read what {author} wrote in another order: {mine}")


def _check_write(seen: Seen, write: Write, times: int) -> None:
    if write.refused is not None:
        allowed = (0,) if write.ticket is None else (0, 1)
    elif write.status == Delivery.DELIVERED or (write.told and write.ticket is None):
        allowed = (1,)
    elif write.status == Delivery.REFUSED:
        allowed = (0,)
    else:
        allowed = (0, 1)
    if times not in allowed:
        seen.fault(f"{write} was read {times} times")


def _check_acknowledged(seen: Seen, pane: Pane, status: PaneStatus) -> None:
    changes = [change for change in _of(seen, pane, Subject.RECORD) if change.cause is Cause.ACKNOWLEDGE]
    ended = [change.record for change in changes]
    ledger = [record for entry in status.acknowledged for record in entry.records]
    if bool(ledger) is not bool(ended):
        seen.fault(f"the ledger of {pane.name} is {ledger}, and {ended} were acknowledged")
    _check_same(seen, f"ledger of {pane.name}", ledger, ended[len(ended) - len(ledger) :])
    told = [record for _, record in seen.acknowledged.get(pane.pane, [])]
    if any(write.pane == pane.pane and write.ticket is None and not write.told for write in seen.writes):
        # Of keys of which nobody knows whether they arrived nobody was told what they have ended.
        every = iter(ended)
        right = all(record in every for record in told)
    else:
        right = told == ended
    if not right:
        seen.fault(f"{pane.name}: {told} were told as acknowledged, and {ended} were")


def _check_end(seen: Seen, pane: Pane, status: PaneStatus) -> None:
    ends = [change for change in _of(seen, pane, Subject.LIFE) if change.after == "exited"]
    if len(ends) != 1 or not seen.is_end(status.exit, pane.ends) or status.life != "exited":
        seen.fault(f"{pane.name} has ended {len(ends)} times, and is {status.life} with {status.exit}")
    told = len([change for change in seen.changes if change.pane == pane.pane])
    if status.changes != told + 1:
        # The first one is told to nobody: the pane is opened before anybody can know of it.
        seen.fault(f"{pane.name} had {status.changes} changes, and {told} were told")


def _check_waits(seen: Seen) -> None:
    revisions = {pane: [change.revision for change in seen.changes if change.pane == pane] for pane in seen.panes}
    ended = {change.pane: change.revision for change in seen.changes if change.after == "exited"}
    for waited in seen.waited:
        result, since = waited.result, waited.since
        news = [revision for revision in revisions[waited.pane] if since < revision <= result.revision]
        match result.outcome:
            case Outcome.CHANGED:
                right = bool(news)
            case Outcome.EXITED:
                right = ended.get(waited.pane, result.revision + 1) <= result.revision
            case outcome:
                # Who was away for more turns than are kept is told to look.
                right = outcome is Outcome.RESYNC and len(news) > TURNS
        if not right:
            seen.fault(f"the wait of {waited.pane} since {since} was answered: {result}")
