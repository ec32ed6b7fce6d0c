"""Who uses the panes while processes are killed: each has a client of its own, goes on until the run is over, and keeps
what it was told. None of them ever looks at what is killed when."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from random import Random

import anyio

from session_core import (
    ChangeBatch,
    Client,
    Code,
    Delivery,
    ExitStatus,
    Gap,
    HostLost,
    KeystrokeReceipt,
    Outcome,
    SessionCoreError,
    Until,
)

from .programs import command
from .seen import Pane, Seen, Waited, Write

LONG_S = 120.0
"""How long a wait may last that must end before."""
_LONGEST_PAUSE_S = 0.1


class Writer:
    """Writes lines into panes, and now and then the same one again."""

    def __init__(self, seen: Seen, name: str, panes: Sequence[Pane], random: Random) -> None:
        self._seen = seen
        self._name = name
        self._panes = panes
        self._random = random

    async def run(self, core: Client, over: anyio.Event) -> None:
        """Write until it is over."""
        for number in itertools.count():
            if over.is_set():
                return
            await anyio.sleep(self._random.uniform(0, _LONGEST_PAUSE_S))
            pane = self._random.choice(self._panes)
            write = Write(pane.pane, self._name, f"<{self._name}.{number}>", f"{self._seen.run} {self._name} {number}")
            self._seen.writes.append(write)
            settled = pane.mode == "turns" and self._random.random() < 0.3
            for _ in range(1 + (self._random.random() < 0.2)):
                await self._write(core, write, settled=settled)

    async def _write(self, core: Client, write: Write, *, settled: bool) -> None:
        try:
            receipt = await core.write_pane(
                write.pane,
                write.text,
                submit=True,
                key=write.key,
                author=self._name,
                when="settled" if settled else "now",
                hold_s=LONG_S,
            )
        except SessionCoreError as error:
            if isinstance(error, HostLost) or error.code is Code.OUTCOME_UNKNOWN or write.ticket is not None:
                self._seen.fault(f"{write} was answered: {error}")
            write.refused = error.code.value
            return
        ticket = receipt.ticket
        if (
            (write.ticket or ticket.id) != ticket.id
            or write.refused
            or (ticket.pane, ticket.key)
            != (
                write.pane,
                write.key,
            )
        ):
            self._seen.fault(f"{write} was answered by the ticket {ticket}")
        write.ticket, write.status = ticket.id, ticket.status
        self._seen.counts[f"writes {ticket.status.value}"] += 1


class Person:
    """Types lines into a pane and acknowledges what has finished there; nobody else does so in that pane."""

    def __init__(self, seen: Seen, name: str, panes: Sequence[Pane], random: Random) -> None:
        self._seen = seen
        self._name = name
        self._panes = panes
        self._random = random

    async def run(self, core: Client, over: anyio.Event) -> None:
        """Type and acknowledge until it is over."""
        for number in itertools.count():
            if over.is_set():
                return
            await anyio.sleep(self._random.uniform(0, _LONGEST_PAUSE_S))
            pane = self._random.choice(self._panes).pane
            if self._random.random() < 0.5:
                self._note(await core.acknowledge(pane, person=self._name))
                continue
            write = Write(pane, self._name, f"<{self._name}.{number}>", "")
            self._seen.writes.append(write)
            try:
                self._note(await core.send_keystrokes(pane, write.text.encode() + b"\r", person=self._name))
                write.told = True
            except SessionCoreError as error:
                # The host ended while it passed the keys on: that is said, and nothing is typed again.
                if error.code is not Code.OUTCOME_UNKNOWN:
                    self._seen.fault(f"{write} was answered: {error}")
                self._seen.counts["keys unknown"] += 1

    def _note(self, receipt: KeystrokeReceipt) -> None:
        self._seen.counts["acknowledged"] += len(receipt.acknowledged)
        noted = self._seen.acknowledged.setdefault(receipt.pane, [])
        noted += [(self._name, identity) for identity in receipt.acknowledged]


class Waiter:
    """Waits for one change after the other, each since the one before, until the pane's program has exited."""

    def __init__(self, seen: Seen, pane: Pane) -> None:
        self._seen = seen
        self._pane = pane

    async def run(self, core: Client) -> None:
        """Wait until the end of the program."""
        since = (await core.list_panes()).revision
        while True:
            result = await core.wait([self._pane.pane], until=Until.CHANGE, since=since, timeout_s=LONG_S)
            self._seen.waited.append(Waited(self._pane.pane, since, result))
            self._seen.counts["waits"] += 1
            if result.outcome not in (Outcome.CHANGED, Outcome.RESYNC):
                return
            since = result.revision


async def wait_for_end(core: Client, seen: Seen, pane: Pane) -> None:
    """Wait for the end of a program, which must come with its true status."""
    result = await core.wait([pane.pane], until=Until.EXITED, timeout_s=LONG_S)
    if result.outcome is not Outcome.EXITED or not seen.is_end(result.panes[0].exit, pane.ends):
        seen.fault(f"the wait for the end of {pane} was answered: {result}")


class Asker:
    """Gives a program of turns one line after the other, and waits for what each leads to, by its ticket."""

    def __init__(self, seen: Seen, name: str, pane: Pane) -> None:
        self._seen = seen
        self._name = name
        self._pane = pane

    async def run(self, core: Client, over: anyio.Event) -> None:
        """Ask until it is over."""
        for number in itertools.count():
            if over.is_set():
                return
            write = Write(
                self._pane.pane, self._name, f"<{self._name}.{number}>", f"{self._seen.run} {self._name} {number}"
            )
            self._seen.writes.append(write)
            receipt = await core.write_pane(
                write.pane, write.text, submit=True, key=write.key, author=self._name, on_draft="hold"
            )
            write.ticket, write.status = receipt.ticket.id, receipt.ticket.status
            if receipt.ticket.status is not Delivery.DELIVERED:
                continue
            answer = f"answer to {write.text}"
            by_text = number % 2 == 0
            result = await core.wait(
                [write.pane],
                until=Until.SETTLED,
                text=answer if by_text else None,
                since=write.ticket,
                timeout_s=LONG_S,
                start_grace_s=LONG_S,
            )
            self._seen.counts["asked"] += 1
            # A text that came while no host lived may be an echo: the caller is told to look.
            expected = (Outcome.TEXT, Outcome.RESYNC) if by_text else (Outcome.SETTLED,)
            has_read = result.outcome is Outcome.RESYNC or write.text.encode() in self._pane.lines
            if result.outcome not in expected or not has_read:
                self._seen.fault(f"the wait for what {write} led to was answered: {result}")


class Opener:
    """Opens panes that soon end, sees how they end, and closes them; now and then it asks for the same one again."""

    def __init__(self, seen: Seen, name: str, folder: Path, random: Random) -> None:
        self._seen = seen
        self._name = name
        self._folder = folder
        self._random = random

    async def run(self, core: Client, over: anyio.Event) -> None:
        """Open and close until it is over."""
        for number in itertools.count():
            if over.is_set():
                return
            await anyio.sleep(self._random.uniform(0, _LONGEST_PAUSE_S))
            code = self._random.choice((0, 3, 255))
            pane = await self._open(core, number, code)
            result = await core.wait([pane], until=Until.EXITED, timeout_s=LONG_S)
            if result.outcome is not Outcome.EXITED:
                self._seen.fault(f"the wait for the end of {pane} was answered: {result}")
            closed = await core.close_pane(pane)
            for told in (result.panes[0].exit, closed.exit):
                if not self._seen.is_end(told, ExitStatus(code=code)):
                    self._seen.fault(f"the end of {pane} with {code} was told as {told}")
            self._seen.counts["opened"] += 1

    async def _open(self, core: Client, number: int, code: int) -> str:
        name, key = f"{self._name}{number}", f"{self._seen.run} {self._name} {number}"
        program = command(self._folder, name, "stream", self._folder / "none", after=3, end=str(code))
        pane = (await core.open_pane(program, key=key)).pane
        if pane in self._seen.short or pane in self._seen.panes:
            self._seen.fault(f"the pane of {name} is {pane}, which was there already")
        self._seen.short.add(pane)
        if self._random.random() < 0.3:
            again = (await core.open_pane(program, key=key)).pane
            if again != pane:
                self._seen.fault(f"the pane of {name} is {pane}, and then {again}")
        return pane


class Looker:
    """Looks at the list again and again: no revision goes back, and no pane is missing."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._revision = 0

    async def run(self, core: Client, over: anyio.Event) -> None:
        """Look until it is over."""
        while not over.is_set():
            found = await core.list_panes()
            self.check(found.revision, [status.pane for status in found.panes])
            await anyio.sleep(_LONGEST_PAUSE_S)

    def check(self, revision: int, panes: Sequence[str]) -> None:
        """Judge one list."""
        if revision < self._revision:
            self._seen.fault(f"revision {revision} came after {self._revision}")
        self._revision = revision
        missing = self._seen.panes.keys() - set(panes)
        if missing or len(set(panes)) < len(panes):
            self._seen.fault(f"a list has the panes {panes}, and not {missing}")


async def subscribe(core: Client, seen: Seen) -> None:
    """Hear of every change until cancelled."""
    await core.watch_changes(output=False)
    seen.subscribed = True
    async for news in core.changes():
        if isinstance(news, Gap):
            seen.fault(f"changes were left out: {news}")
        elif isinstance(news, ChangeBatch):
            seen.changes += news.changes
