"""Builds one OSC 7501 sequence from what a program says, so that a strict terminal accepts it.

Pure. Names and numbers that a terminal would drop are a ValueError that says what is allowed; texts for
people are cleaned and cut, never refused, since they often hold what a program did not choose.
Deliberately absent: what was reported before (`lifecycle`). Source: OSC 7501 revision 0.4, sections 1 and 2.
"""

import re

from session_core.protocol import limits
from session_core.protocol.program_status import Clear, Kind, Report, State, encode, is_id

_STYLING = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_PROGRESS_STATES = (State.WORKING, State.BLOCKED)
_NAME_RULE = f"1 to {limits.STATUS_ID_SEGMENT} of the characters A-Z a-z 0-9 _ . + -"


def clean_text(text: str, limit_bytes: int) -> str:
    """Return `text` as one line of at most `limit_bytes` bytes of UTF-8, cut between characters.

    Colour and cursor sequences go, each run of controls and line ends becomes one space, a lone surrogate
    becomes `?`, and the ends are stripped. Raises ValueError if `limit_bytes` is negative.
    """
    if limit_bytes < 0:
        raise ValueError(f"limit_bytes is {limit_bytes}; give 0 or more")
    line = _CONTROLS.sub(" ", _STYLING.sub("", text)).strip()
    raw = line.encode(errors="replace")
    return raw[:limit_bytes].decode(errors="ignore").rstrip()


def compose(
    state: State | str,
    *,
    id: str = "",
    kind: Kind | str | None = None,
    progress: int | None = None,
    app: str | None = None,
    title: str | None = None,
    msg: str | None = None,
) -> Report:
    """Return the report that `build` encodes; same arguments, same errors."""
    state = _read_state(state)
    return Report(
        state=state,
        id=checked_id(id) if id else "",
        kind=_read_kind(kind, state),
        progress=_read_progress(progress, state),
        app=checked_app(app),
        title=clean_text(title or "", limits.STATUS_TITLE) or None,
        msg=clean_text(msg or "", limits.STATUS_MSG) or None,
    )


def build(
    state: State | str,
    *,
    id: str = "",
    kind: Kind | str | None = None,
    progress: int | None = None,
    app: str | None = None,
    title: str | None = None,
    msg: str | None = None,
) -> bytes:
    r"""Return one whole report, ESC to `ESC \`; an empty `id` is the root record, the program itself.

    `progress` is 0 to 100 percent, for working and blocked; `kind` is for blocked; `app` and each name of
    `id` are at most 32 characters, `id` at most 128 and 8 levels. `title` (192 bytes) and `msg` (2048 bytes)
    are cleaned and cut. A report replaces its record whole: repeat `app` and `title` each time.
    Raises ValueError for a state, id, kind, progress or app that a terminal would not take.
    """
    report = compose(state, id=id, kind=kind, progress=progress, app=app, title=title, msg=msg)
    return encode(report)


def clear(id: str = "") -> bytes:
    """Return the sequence that removes the record `id` and all beneath it.

    Without an id it removes every record of the terminal, also those of other programs.
    Raises ValueError for an id that a terminal would not take.
    """
    return encode(Clear(checked_id(id) if id else ""))


def checked_id(id: str) -> str:
    """Return `id`; raises ValueError where it is not names joined by single slashes (section 2)."""
    if is_id(id.encode(errors="replace")):
        return id
    raise ValueError(
        f"id {id!r} cannot be used; give names joined by single '/', each {_NAME_RULE},"
        f" at most {limits.STATUS_ID_LEVELS} names and {limits.STATUS_ID} characters in all"
    )


def checked_app(app: str | None) -> str | None:
    """Return `app`; raises ValueError where it is neither None nor one name of at most 32 characters."""
    if app is None or ("/" not in app and is_id(app.encode(errors="replace"))):
        return app
    raise ValueError(f"app {app!r} cannot be used; give one name, {_NAME_RULE}")


def _read_state(state: State | str) -> State:
    try:
        return State(state)
    except ValueError:
        hint = "; call clear() to remove a record" if state == "clear" else ""
        raise ValueError(f"state {state!r} does not exist; give one of {', '.join(State)}{hint}") from None


def _read_kind(kind: Kind | str | None, state: State) -> Kind | None:
    if kind is None:
        return None
    if kind not in list(Kind):
        raise ValueError(f"kind {kind!r} does not exist; give one of {', '.join(Kind)}, or none")
    if state is not State.BLOCKED:
        raise ValueError(f"kind {kind!s} belongs to state blocked; leave it out of {state}")
    return Kind(kind)


def _read_progress(progress: int | None, state: State) -> int | None:
    if progress is None:
        return None
    if isinstance(progress, bool) or not isinstance(progress, int) or not 0 <= progress <= 100:
        raise ValueError(f"progress {progress!r} cannot be used; give a whole number from 0 to 100, or none")
    if state not in _PROGRESS_STATES:
        raise ValueError(f"progress belongs to state working or blocked; leave it out of {state}")
    return progress
