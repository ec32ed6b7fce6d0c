"""panebridge's session core: panes, and what their programs declare. See README.md beside this file.

The names below are the whole public interface. They are loaded on first use, so that importing this package
costs next to nothing: the shim and the reporter start with the standard library alone.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from session_core.api.requests import Format as Format
    from session_core.api.requests import What as What
    from session_core.api.results import ChangeBatch as ChangeBatch
    from session_core.api.results import Closed as Closed
    from session_core.api.results import CommandRun as CommandRun
    from session_core.api.results import Gap as Gap
    from session_core.api.results import HeldWrites as HeldWrites
    from session_core.api.results import KeystrokeReceipt as KeystrokeReceipt
    from session_core.api.results import OutputNews as OutputNews
    from session_core.api.results import PaneList as PaneList
    from session_core.api.results import PaneText as PaneText
    from session_core.api.results import ViewerEnded as ViewerEnded
    from session_core.api.results import ViewerOutput as ViewerOutput
    from session_core.api.results import ViewerScreen as ViewerScreen
    from session_core.api.results import WriteReceipt as WriteReceipt
    from session_core.cli import command_line as command_line
    from session_core.client import Client as Client
    from session_core.client import connect as connect
    from session_core.daemon import Daemon as Daemon
    from session_core.daemon import run_daemon as run_daemon
    from session_core.errors import Code as Code
    from session_core.errors import HostLost as HostLost
    from session_core.errors import NoSuchPane as NoSuchPane
    from session_core.errors import SessionCoreError as SessionCoreError
    from session_core.launch import dial_or_start as dial_or_start
    from session_core.launch import stop_process as stop_process
    from session_core.model.changes import Cause as Cause
    from session_core.model.changes import Change as Change
    from session_core.model.changes import Subject as Subject
    from session_core.model.commands import Command as Command
    from session_core.model.last_key import KeyKind as KeyKind
    from session_core.model.outcomes import Mode as Mode
    from session_core.model.outcomes import Outcome as Outcome
    from session_core.model.outcomes import PaneOutcome as PaneOutcome
    from session_core.model.outcomes import Until as Until
    from session_core.model.outcomes import WaitResult as WaitResult
    from session_core.model.status import ExitStatus as ExitStatus
    from session_core.model.status import Life as Life
    from session_core.model.status import Observed as Observed
    from session_core.model.status import Occupant as Occupant
    from session_core.model.status import PaneStatus as PaneStatus
    from session_core.model.status import RecordView as RecordView
    from session_core.model.status import Shell as Shell
    from session_core.model.status import Signal as Signal
    from session_core.model.text_watch import TextMatch as TextMatch
    from session_core.model.tickets import Delivery as Delivery
    from session_core.model.tickets import Ticket as Ticket
    from session_core.protocol.program_status import Kind as Kind
    from session_core.protocol.program_status import State as State
    from session_core.runtime_folder import open_runtime_folder as open_runtime_folder
    from session_core.sockets import dial as dial
    from session_core.sockets import peer_uid as peer_uid

_HOMES = {
    "api.requests": ("Format", "What"),
    "api.results": (
        "ChangeBatch",
        "Closed",
        "CommandRun",
        "Gap",
        "HeldWrites",
        "KeystrokeReceipt",
        "OutputNews",
        "PaneList",
        "PaneText",
        "ViewerEnded",
        "ViewerOutput",
        "ViewerScreen",
        "WriteReceipt",
    ),
    "model.tickets": ("Delivery", "Ticket"),
    "client": ("Client", "connect"),
    "errors": ("Code", "HostLost", "NoSuchPane", "SessionCoreError"),
    "daemon": ("Daemon", "run_daemon"),
    "launch": ("dial_or_start", "stop_process"),
    "cli": ("command_line",),
    "model.changes": ("Cause", "Change", "Subject"),
    "model.commands": ("Command",),
    "model.status": (
        "ExitStatus",
        "Life",
        "Observed",
        "Occupant",
        "PaneStatus",
        "RecordView",
        "Shell",
        "Signal",
    ),
    "model.last_key": ("KeyKind",),
    "model.text_watch": ("TextMatch",),
    "model.outcomes": ("Mode", "Outcome", "PaneOutcome", "Until", "WaitResult"),
    "protocol.program_status": ("Kind", "State"),
    "runtime_folder": ("open_runtime_folder",),
    "sockets": ("dial", "peer_uid"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted((*_HOME_OF, "__version__"))


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
