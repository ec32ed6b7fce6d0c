"""What else a program tells its terminal: title (0, 2), folder (7), notice (9, 777, 99), progress (9;4).

Each parser returns a value or None; none of them is ever a status. Text is made harmless here, since a title
is shown by people and models alike. A folder is a claim of the program: it is shown, never acted on.
Source: xterm ctlseqs (0, 2), freedesktop OSC 7, iTerm2 and ConEmu (9), urxvt (777), kitty (99).
"""

import binascii
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote, urlsplit

from session_core.protocol import limits
from session_core.protocol.text import disarm


@dataclass(frozen=True, slots=True)
class Title:
    """The window title that a program chose."""

    text: str


@dataclass(frozen=True, slots=True)
class Folder:
    """The working folder that a shell claims; `machine` is empty when it names none."""

    path: str
    machine: str


@dataclass(frozen=True, slots=True)
class Notification:
    """A message for the person at the terminal."""

    title: str
    body: str


class ProgressState(Enum):
    """What `OSC 9;4` says; the value is its state number."""

    CLEAR = 0
    NORMAL = 1
    ERROR = 2
    INDETERMINATE = 3
    PAUSED = 4


@dataclass(frozen=True, slots=True)
class Progress:
    """A progress bar; `percent` is None where it does not apply."""

    state: ProgressState
    percent: int | None


HostEvent = Title | Folder | Notification | Progress


def _shown(raw: bytes, limit: int = limits.SHOWN_TITLE_CHARACTERS) -> str:
    return disarm(raw.decode(errors="replace"), limit)


def parse_title(body: bytes) -> Title:
    """Read the bytes after `0;` or `2;`."""
    return Title(_shown(body))


def parse_folder(body: bytes) -> Folder | None:
    """Read the bytes after `7;`: a `file://machine/path` address."""
    try:
        address = urlsplit(body.decode(errors="replace"))
        path, machine = unquote(address.path), address.hostname or ""
    except ValueError:
        return None
    if address.scheme != "file" or not path.startswith("/"):
        return None
    shown = disarm(path, limits.SHOWN_PATH_CHARACTERS)
    return Folder(shown, disarm(machine, limits.SHOWN_TITLE_CHARACTERS))


def parse_nine(body: bytes) -> Progress | Notification | None:
    """Read the bytes after `9;`: ConEmu's numbered commands or iTerm2's notification."""
    number, separator, rest = body.partition(b";")
    if number.isdigit() and (separator or len(number) == 1):
        return _read_progress(rest) if number == b"4" else None
    return Notification("", _shown(body, limits.SHOWN_MSG_CHARACTERS)) if body else None


def _read_progress(body: bytes) -> Progress | None:
    state, _, percent = body.partition(b";")
    if state not in (b"0", b"1", b"2", b"3", b"4"):
        return None
    kind = ProgressState(int(state))
    if kind in (ProgressState.CLEAR, ProgressState.INDETERMINATE):
        return Progress(kind, None)
    readable = percent.isdigit() and len(percent) <= 3
    return Progress(kind, min(int(percent), 100) if readable else None)


def parse_urxvt(body: bytes) -> Notification | None:
    """Read the bytes after `777;`: `notify;title;body`."""
    command, _, rest = body.partition(b";")
    if command != b"notify":
        return None
    title, _, text = rest.partition(b";")
    return Notification(_shown(title), _shown(text, limits.SHOWN_MSG_CHARACTERS))


def parse_kitty(body: bytes) -> Notification | None:
    """Read the bytes after `99;`: metadata `;` payload. Only a whole notification in one sequence is read."""
    head, separator, payload = body.partition(b";")
    pairs = dict(pair.partition(b"=")[::2] for pair in head.split(b":") if pair)
    part = pairs.get(b"p", b"title")
    if not separator or part not in (b"title", b"body") or pairs.get(b"d") == b"0":
        return None
    if pairs.get(b"e") == b"1":
        try:
            payload = binascii.a2b_base64(payload)
        except ValueError:
            return None
    if part == b"title":
        return Notification(_shown(payload), "")
    return Notification("", _shown(payload, limits.SHOWN_MSG_CHARACTERS))
