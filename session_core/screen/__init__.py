"""Terminal screens of panes: one interface, two engines.

`open_screen` gives a `ScreenEngine`. Importing this package loads neither pyghostty nor pyte; an engine's
module is imported when the first screen of its kind is opened.
"""

from session_core.screen.choose import open_screen
from session_core.screen.engine import (
    Cursor,
    EngineName,
    EngineUnavailableError,
    ReadableScreen,
    ScreenEngine,
    ScreenError,
    Size,
)
from session_core.screen.still import Still

__all__ = [
    "Cursor",
    "EngineName",
    "EngineUnavailableError",
    "ReadableScreen",
    "ScreenEngine",
    "ScreenError",
    "Size",
    "Still",
    "open_screen",
]
