"""A plain reading of one pane: keys one by one, one word for its program, and each write's fate told in advance.

It takes no decision from the product. Only the numbers of questions are told to it (`asked`).
"""

from dataclasses import dataclass, field

from session_core.model.guard import OnDraft, When

from .desk import Write

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
ENDING = (b"\r", b"\x15", b"\x03")
RESTING = ("idle", "done", "error")
NEVER = -1


@dataclass
class Expected:
    """A write that was not refused, and the bytes that it stands for."""

    write: Write
    data: list[bytes]
    ticket: str = ""


@dataclass
class Reference:
    """`line` counts unsubmitted characters, `word` is the root's state, `sent` is what must arrive, and from whom."""

    bracketed: bool
    line: int = 0
    word: str = "unknown"
    asked: int | None = None
    password: bool = False
    exited: bool = False
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    held: list[Expected] = field(default_factory=list)
    ended: dict[str, str] = field(default_factory=dict)
    acknowledged: list[str] = field(default_factory=list)
    read_at: list[int] = field(default_factory=list)
    _step: int = 0
    _word_step: int = 0
    _line_step: int = 0
    _clock: int = 0
    _turn_at: int = NEVER
    _write_at: int = NEVER

    def expected(self, write: Write) -> Expected:
        """Return the bytes that a write stands for."""
        data = write.text.encode()
        if b"\n" in data:
            data = BEGIN + data.replace(b"\n", b"\r") + END
        return Expected(write, [piece for piece in (data, b"\r" * write.submit) if piece])

    def fate(self, write: Write) -> str:
        """Say of a new write "now", "held", or the code of its refusal."""
        verdict = self._verdict(write)
        if verdict == "now" and write.conditions.when is When.SETTLED and self.held:
            return "held"
        return verdict if verdict != "now" else self._form(write)

    def _verdict(self, write: Write) -> str:
        conditions = write.conditions
        if conditions.if_state is not None and conditions.if_state.value != self.word:
            return "precondition_failed"
        if self.password:
            return "password"
        asked = self.asked if self.word == "blocked" else None
        if conditions.answers is not None and conditions.answers != asked:
            return "stale_answer"
        if conditions.answers is None and asked is not None and conditions.when is When.NOW:
            return "blocked"
        rested = self.word in RESTING and (self._write_at == NEVER or self._turn_at > self._write_at)
        due = rested or conditions.when is not When.SETTLED
        if self.line and (due or conditions.on_draft is OnDraft.HOLD):
            return "held" if conditions.on_draft is OnDraft.HOLD else "human_draft"
        return "now" if due else "held"

    def _form(self, write: Write) -> str:
        return "multiline" if "\n" in write.text and not self.bracketed else "now"

    def deliver(self, expected: Expected) -> None:
        """The write is in line now."""
        assert self.line == 0
        self.sent += [(expected.write.author, data) for data in expected.data]
        self._clock += 1
        self._write_at = self._clock

    def _changed(self) -> None:
        """Something was observed: the head of the held writes goes, stays or is refused, and then the next."""
        while self.held:
            verdict = "pane_exited" if self.exited else self._verdict(self.held[0].write)
            if verdict in ("held", "blocked", "password"):
                return
            expected = self.held.pop(0)
            verdict = verdict if verdict != "now" else self._form(expected.write)
            self.ended[expected.ticket] = verdict
            if verdict == "now":
                self.deliver(expected)

    def types(self, person: str, key: bytes) -> bool:
        """A person pressed one key; True if anything is to be observed by it."""
        self._step += 1
        before = self.line
        if key in ENDING:
            self.line = 0
        elif key == b"\x7f":
            self.line = max(0, self.line - 1)
        elif not key.startswith(b"\x1b"):
            self.line += 1
        return self._did(person, key, before)

    def pastes(self, person: str, text: bytes) -> bool:
        """A person pasted; True if anything is to be observed by it."""
        self._step += 1
        before = self.line
        self.line += sum(character >= " " for character in text.decode())
        return self._did(person, BEGIN + text + END, before)

    def _did(self, person: str, data: bytes, before: int) -> bool:
        if self.line and not before:
            self._line_step = self._step
        self.sent.append((person, data))
        return self._observed(self._seen(person) | (bool(before) != bool(self.line)))

    def acknowledges(self, person: str) -> bool:
        """A person said that they have seen it; True if anything had finished."""
        self._step += 1
        return self._observed(self._seen(person))

    def _observed(self, changed: bool) -> bool:
        if changed:
            self._changed()
        return changed

    def _seen(self, person: str) -> bool:
        finished = self.word in ("done", "error")
        if finished:
            self.word = "idle"
            self._word_step = self._step
            self.acknowledged.append(person)
        return finished

    def reports(self, word: str, revision: int) -> None:
        """The program declared something new, at this revision; it may have read a draft as submit or answer."""
        self._step += 1
        self._clock += 1
        self._turn_at = self._clock
        answered = self.word == "blocked" != word and self._line_step >= self._word_step
        if self.line and (answered or (self.word in RESTING and word == "working")):
            self.line = 0
            self.read_at.append(len(self.sent))
        self.word, self.asked, self._word_step = word, revision, self._step
        self._changed()

    def exits(self) -> None:
        """The process is gone: what is held is refused, and only what had finished stays."""
        self.exited = True
        self._changed()
        self.word = self.word if self.word in ("done", "error") else "unknown"
