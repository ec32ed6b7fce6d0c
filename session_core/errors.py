"""The one tree of errors that the core shows, each with a stable code and the next step.

The text is for people and models and is never matched; `code` is. A time-out of a wait is an outcome of the
wait and not in here, and bad bytes from a program are counted and not in here either.
"""

from enum import StrEnum


class Code(StrEnum):
    """Stable names of everything that can go wrong at the core API."""

    NO_SUCH_PANE = "no_such_pane"
    PANE_RUNNING = "pane_running"
    PANE_EXITED = "pane_exited"
    BAD_REQUEST = "bad_request"
    UNKNOWN_METHOD = "unknown_method"
    NO_SUCH_PROGRAM = "no_such_program"
    NOT_EXECUTABLE = "not_executable"
    NO_SUCH_FOLDER = "no_such_folder"
    SPAWN_FAILED = "spawn_failed"
    NAME_TAKEN = "name_taken"
    HUMAN_DRAFT = "human_draft"
    BLOCKED = "blocked"
    STALE_ANSWER = "stale_answer"
    PRECONDITION_FAILED = "precondition_failed"
    OWN_PANE = "own_pane"
    PASSWORD = "password"
    MULTILINE = "multiline"
    TERMINAL_LINE_TOO_LONG = "terminal_line_too_long"
    UNKNOWN_KEY = "unknown_key"
    NO_SUCH_TICKET = "no_such_ticket"
    NO_SUCH_VIEWER = "no_such_viewer"
    NO_PROMPT_MARKS = "no_prompt_marks"
    NOT_AT_PROMPT = "not_at_prompt"
    QUEUE_FULL = "queue_full"
    LIMIT_REACHED = "limit_reached"
    LINE_TOO_LONG = "line_too_long"
    VERSION_MISMATCH = "version_mismatch"
    NOT_ALLOWED = "not_allowed"
    HOST_UNREACHABLE = "host_unreachable"
    HOST_GONE = "host_gone"
    OUTCOME_UNKNOWN = "outcome_unknown"
    UNSAFE_FOLDER = "unsafe_folder"
    NO_ENGINE = "no_engine"
    INTERNAL = "internal"


class SessionCoreError(Exception):
    """Something could not be done. `next_step` says what the caller can do about it."""

    def __init__(self, code: Code, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class NoSuchPane(SessionCoreError):
    """No pane has this id or name; the text lists the ones that exist."""

    SHOWN = 20

    def __init__(self, pane: str, known: tuple[str, ...]) -> None:
        listed = ", ".join(known[: self.SHOWN]) + (", …" if len(known) > self.SHOWN else "")
        next_step = f"Panes: {listed}." if known else "There are no panes; open one first."
        super().__init__(Code.NO_SUCH_PANE, f"There is no pane {pane!r}.", next_step)

    @classmethod
    def heard(cls, message: str, next_step: str) -> "NoSuchPane":
        """Return the same error at the other end of the wire."""
        error = cls.__new__(cls)
        SessionCoreError.__init__(error, Code.NO_SUCH_PANE, message, next_step)
        return error


class HostLost(SessionCoreError):
    """The connection to the host ended or could not be made."""
