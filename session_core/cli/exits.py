"""Exit codes of the command line. click itself uses 2 for a usage mistake."""

from enum import IntEnum

from session_core.errors import Code
from session_core.model.outcomes import Outcome


class Exit(IntEnum):
    """What a script can tell apart."""

    OK = 0
    ERROR = 1
    USAGE = 2
    NOT_FOUND = 3
    TIMEOUT = 4
    BLOCKED = 5
    EXITED = 6
    QUIET = 7
    NOT_STARTED = 8


OF_ERROR = {Code.NO_SUCH_PANE: Exit.NOT_FOUND}
OF_OUTCOME = {
    Outcome.SETTLED: Exit.OK,
    Outcome.CHANGED: Exit.OK,
    Outcome.TEXT: Exit.OK,
    Outcome.QUIET: Exit.QUIET,
    Outcome.NOT_STARTED: Exit.NOT_STARTED,
    Outcome.OCCUPANT_CHANGED: Exit.EXITED,
    Outcome.CHECKIN: Exit.TIMEOUT,
    Outcome.BLOCKED: Exit.BLOCKED,
    Outcome.EXITED: Exit.EXITED,
    Outcome.CLOSED: Exit.NOT_FOUND,
    Outcome.NOT_DELIVERED: Exit.ERROR,
    Outcome.RESYNC: Exit.ERROR,
}
