"""What persons have typed in a pane and not yet submitted, as far as keystrokes tell.

Text adds characters, backspace takes one, and Enter, C-c or C-u end the draft, each in its legacy or its kitty
form; a paste that has begun and not ended is a draft whatever is in it. So does a turn that the program begins at
rest, or goes on with after a question: the keys have been read as its submit or answer. It is an estimate that
errs on the side of a draft, so the age goes with it. Nothing typed is kept, only counts and times.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

_PASTE_BEGIN, _PASTE_END = b"\x1b[200~", b"\x1b[201~"
_TOKEN = re.compile(
    rb"(?P<kitty>\x1b\[(?P<code>\d{1,8})(?::[\d:]*)?(?:;(?P<held>\d{0,8})(?::\d*)?)?(?P<text>;\d[\d:]*)?u)"
    rb"|(?P<keypad>\x1bO[Xj-y])|(?P<submit>[\r\n\x03\x15]|\x1bOM)|(?P<erase>[\x7f\x08])"
    rb"|\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\x1b])?|[\x00-\x1f]|[^\x00-\x1f\x7f]+",
    re.DOTALL,
)
_CONTINUATION = re.compile(rb"[\x80-\xbf]")
_CONTROL = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?|[\x00-\x1f]", re.DOTALL)
_ENTERS, _BACKSPACE = frozenset((13, 57414)), 127
_CLEARING = frozenset(map(ord, "cu"))
_SHIFT, _CTRL, _LOCKS = 1, 4, 64 | 128
_TEXT_CODES = (range(32, 127), range(128, 57344), range(57399, 57414), range(57415, 57417))


class _Key(Enum):
    SUBMIT = auto()
    ERASE = auto()


@dataclass(frozen=True, slots=True)
class DraftView:
    """An unsubmitted text: about how many characters, and when (epoch seconds) the last of them came."""

    characters: int
    at: float


@dataclass(frozen=True, slots=True)
class DraftState:
    """All that is known of a draft; `paste_tail` are the newest bytes of a paste, as Latin-1."""

    characters: int = 0
    text_at: float = 0.0
    began_at: float = 0.0
    in_paste: bool = False
    paste_tail: str = ""
    keystroke_at: float | None = None


class Draft:
    """The draft of one pane, over all persons who type in it; `keystroke_at` is their last key of any kind."""

    __slots__ = ("_began_at", "_characters", "_in_paste", "_paste_tail", "_text_at", "keystroke_at")

    def __init__(self) -> None:
        self._characters = 0
        self._text_at = self._began_at = 0.0
        self._in_paste = False
        self._paste_tail = b""
        self.keystroke_at: float | None = None

    @property
    def state(self) -> DraftState:
        """The draft as a value; one that is set is gone on with."""
        tail = self._paste_tail.decode("latin-1")
        return DraftState(self._characters, self._text_at, self._began_at, self._in_paste, tail, self.keystroke_at)

    @state.setter
    def state(self, state: DraftState) -> None:
        self._characters, self._text_at, self._began_at = state.characters, state.text_at, state.began_at
        self._in_paste, self._paste_tail = state.in_paste, state.paste_tail.encode("latin-1")
        self.keystroke_at = state.keystroke_at

    @property
    def view(self) -> DraftView | None:
        """The draft, None where there is none."""
        characters = self._characters or int(self._in_paste)
        return DraftView(characters, self._text_at) if characters else None

    def end(self, began_since: float = 0.0) -> bool:
        """The program has read it; True if there was one that began at `began_since` or later."""
        if self.view is None or self._in_paste or self._began_at < began_since:
            return False
        self._characters = 0
        return True

    def typed(self, data: bytes, now: float) -> bool:
        """Take keystrokes; True if a draft ended by them."""
        self.keystroke_at = now
        ended = False
        for key in _keys(data):
            had = self.view is not None
            match key:
                case _Key.SUBMIT:
                    # Whose paste is still open has gone away in the middle of it.
                    self._characters, self._in_paste = 0, False
                case _Key.ERASE:
                    self._characters = max(0, self._characters - 1)
                case int():
                    self._add(key, now)
            ended = ended or (had and self.view is None)
        return ended

    def pasted(self, data: bytes, now: float) -> None:
        """Take a paste or a piece of one: its lines are content and submit nothing."""
        self.keystroke_at = now
        if data.startswith(_PASTE_BEGIN):
            self._in_paste, self._text_at, self._paste_tail = True, now, b""
        self._paste_tail = (self._paste_tail + data)[-len(_PASTE_END) :]
        if self._paste_tail == _PASTE_END:
            self._in_paste = False
        self._add(len(_CONTINUATION.sub(b"", _CONTROL.sub(b"", data))), now)

    def _add(self, count: int, now: float) -> None:
        if not self._characters:
            self._began_at = now
        self._characters += count
        if count > 0:
            self._text_at = now


def _keys(data: bytes) -> Iterator[_Key | int]:
    """Yield the keys in turn: what submits or clears, what erases, and how many characters were typed."""
    for token in _TOKEN.finditer(data):
        match token.lastgroup:
            case "kitty":
                key = _kitty(int(token["code"]), int(token["held"] or 1) - 1, token["text"] is not None)
                if key is not None:
                    yield key
            case "submit":
                yield _Key.SUBMIT
            case "erase":
                yield _Key.ERASE
            case "keypad":
                yield 1
            case _ if token[0][0] >= 0x20:
                yield len(_CONTINUATION.sub(b"", token[0]))


def _kitty(code: int, held: int, has_text: bool) -> _Key | int | None:
    """Say what a `CSI u` key does; the locks change nothing."""
    held &= ~_LOCKS
    if (code in _ENTERS and not held) or (code in _CLEARING and held == _CTRL):
        return _Key.SUBMIT
    if code == _BACKSPACE and not held:
        return _Key.ERASE
    if has_text or (not held & ~_SHIFT and any(code in codes for codes in _TEXT_CODES)):
        return 1
    return None
