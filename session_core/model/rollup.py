"""One state out of many records: `blocked > working > error > done > idle`, ties to the newest.

So a blocked child shows under a working root, and a finished root with a child at work is `working`.
The protocol leaves the order to the terminal (section 7).
"""

from collections.abc import Iterable

from session_core.model.records import Record
from session_core.protocol.program_status import State

URGENCY = {
    state: rank for rank, state in enumerate((State.IDLE, State.DONE, State.ERROR, State.WORKING, State.BLOCKED))
}


def leading(records: Iterable[Record]) -> Record | None:
    """Return the record that speaks for the pane, or None where nothing was declared."""
    return max(records, key=lambda record: (URGENCY[record.report.state], record.revision), default=None)
