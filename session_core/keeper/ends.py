"""How a process ended, as it travels between keeper and host: an exit code, a signal's name, or neither (unknown)."""

import os
import signal

End = dict[str, int | str | None]

UNKNOWN: End = {"code": None, "signal": None}


def end_of(status: int) -> End:
    """Return the end that a status of `waitpid` tells."""
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "signal": None} if code >= 0 else {"code": None, "signal": signal_name(-code)}


def signal_name(number: int) -> str:
    """Return the name of a signal, `SIG` and its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def in_words(end: End | None) -> str | None:
    """Return `code 1` or `SIGKILL`; None where nobody knows."""
    if end is None or end == UNKNOWN:
        return None
    return str(end["signal"]) if end["code"] is None else f"code {end['code']}"
