"""Whether an injected write may go to a pane now: refused with the reason, held until its time, or allowed.

Checked and performed in one turn of the loop, so that nothing can change in between. The order of the checks is
`_CHECKS`: what the caller got wrong comes before what it may wait for. Nothing is ever merged with a draft, and a
draft counts once the write is due: what a person types during a turn takes nothing away that waits for its end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from session_core.errors import Code, SessionCoreError
from session_core.model.draft import DraftView
from session_core.model.status import Observed, Occupant, RecordView

_AT_REST = frozenset((Observed.IDLE, Observed.DONE, Observed.ERROR))


class OnDraft(StrEnum):
    """What to do with a write while a person has an unsubmitted text in the pane."""

    REFUSE = "refuse"
    HOLD = "hold"


class When(StrEnum):
    """When to write: at once, or when the pane is at rest."""

    NOW = "now"
    SETTLED = "settled"


class Hold(StrEnum):
    """Why a write is held."""

    HUMAN_DRAFT = "human_draft"
    NOT_SETTLED = "not_settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the caller demands: see `docs` of the core API. `from_pane` is the pane that the caller runs in."""

    answers: int | None = None
    if_state: Observed | None = None
    if_revision: int | None = None
    if_occupant: str | None = None
    on_draft: OnDraft = OnDraft.REFUSE
    when: When = When.NOW
    secret: bool = False
    from_pane: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The pane at this instant. `settled_since_write` is False until it has come to rest after the last write."""

    pane: str
    state: Observed
    turn_revision: int
    lead: RecordView | None
    occupant: Occupant | None
    draft: DraftView | None
    password: bool
    settled_since_write: bool


def judge(conditions: Conditions, facts: Facts, now: float) -> Hold | None:
    """Return why the write must be held, None if it may go now. Raises SessionCoreError if it is refused."""
    for check in _CHECKS:
        check(conditions, facts)
    unsettled = conditions.when is When.SETTLED and not (facts.state in _AT_REST and facts.settled_since_write)
    if facts.draft is not None:
        if conditions.on_draft is OnDraft.HOLD:
            return Hold.HUMAN_DRAFT
        if not unsettled:
            raise _draft_refusal(facts, facts.draft, now)
    return Hold.NOT_SETTLED if unsettled else None


def _draft_refusal(facts: Facts, draft: DraftView, now: float) -> SessionCoreError:
    age = max(now - draft.at, 0.0)
    return SessionCoreError(
        Code.HUMAN_DRAFT,
        f"A person has about {draft.characters} typed characters in pane {facts.pane} that are not submitted, "
        f"the last {age:.0f} s ago.",
        'Try again later, or use on_draft="hold" to have it delivered once the person is through. Nothing was typed.',
    )


def _check_own_pane(conditions: Conditions, facts: Facts) -> None:
    if conditions.from_pane == facts.pane:
        raise SessionCoreError(
            Code.OWN_PANE,
            f"Pane {facts.pane} is the one you run in.",
            "Name another pane. Nothing was typed.",
        )


def _check_state(conditions: Conditions, facts: Facts) -> None:
    if conditions.if_state is not None and conditions.if_state is not facts.state:
        raise _unmet(f"if_state={conditions.if_state.value}: the pane is {facts.state.value}")


def _check_revision(conditions: Conditions, facts: Facts) -> None:
    if conditions.if_revision is not None and facts.turn_revision > conditions.if_revision:
        raise _unmet(f"if_revision={conditions.if_revision}: the pane changed at {facts.turn_revision}")


def _check_occupant(conditions: Conditions, facts: Facts) -> None:
    wanted, occupant = conditions.if_occupant, facts.occupant
    if wanted is None or (occupant is not None and wanted in (occupant.name, str(occupant.pid))):
        return
    raise _unmet("if_occupant: another program is in the foreground")


def _unmet(what: str) -> SessionCoreError:
    return SessionCoreError(
        Code.PRECONDITION_FAILED, f"Not as you demanded: {what}.", "Read the status anew. Nothing was typed."
    )


def _check_password(conditions: Conditions, facts: Facts) -> None:
    if facts.password and not conditions.secret:
        raise SessionCoreError(
            Code.PASSWORD,
            f"The program in pane {facts.pane} reads without echo, as for a password.",
            "A person should type it; or say secret=true, and the text is logged nowhere. Nothing was typed.",
        )


def _check_blocked(conditions: Conditions, facts: Facts) -> None:
    asked = facts.lead.revision if facts.lead and facts.state is Observed.BLOCKED else None
    if conditions.answers is not None and conditions.answers != asked:
        raise SessionCoreError(
            Code.STALE_ANSWER,
            f"The question of revision {conditions.answers} is not the one that pane {facts.pane} asks now.",
            "Read the status: it may have been answered. Nothing was typed.",
        )
    if conditions.answers is None and asked is not None and conditions.when is When.NOW:
        raise SessionCoreError(
            Code.BLOCKED,
            f"Pane {facts.pane} is blocked on a question, and your text would answer it.",
            f"Read its kind and msg with read_status; to answer it, say answers={asked}. Nothing was typed.",
        )


_CHECKS: tuple[Callable[[Conditions, Facts], None], ...] = (
    _check_own_pane,
    _check_state,
    _check_revision,
    _check_occupant,
    _check_password,
    _check_blocked,
)
