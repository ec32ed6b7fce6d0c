"""Which engine a pane gets.

Owns: `open_screen`, the only place that imports an engine module, and only when one is asked for.
Invariant: `auto` always yields an engine; a named engine is that engine or an error.
"""

from __future__ import annotations

from importlib.util import find_spec

from session_core.screen.engine import EngineName, EngineUnavailableError, ScreenEngine, Size


def open_screen(columns: int, rows: int, *, engine: EngineName = "auto", scrollback_rows: int = 2000) -> ScreenEngine:
    """A fresh screen of at most 2000 x 2000 cells (sizes are clamped) keeping about `scrollback_rows` rows.

    Raises EngineUnavailableError when `ghostty` is named and does not load here, ValueError for another name.
    """
    size, kept = Size.clamped(columns, rows), max(scrollback_rows, 0)
    if engine == "ghostty":
        return _ghostty(size, kept)
    if engine == "pyte":
        return _pyte(size, kept)
    if engine != "auto":
        raise ValueError(f"unknown screen engine {engine!r}: use auto, ghostty or pyte")
    try:
        return _ghostty(size, kept)
    except EngineUnavailableError:
        return _pyte(size, kept)


def _ghostty(size: Size, scrollback_rows: int) -> ScreenEngine:
    if find_spec("pyghostty") is None:
        raise EngineUnavailableError(
            "the ghostty screen engine is not installed: pip install 'panebridge[fast]', or use pyte"
        )
    try:
        from session_core.screen.ghostty import GhosttyScreen
    except (ImportError, OSError) as error:
        raise EngineUnavailableError(
            f"the ghostty screen engine does not load here ({error}): use the pyte engine"
        ) from error
    return GhosttyScreen(size, scrollback_rows)


def _pyte(size: Size, scrollback_rows: int) -> ScreenEngine:
    from session_core.screen.pyte_engine import PyteScreen

    return PyteScreen(size, scrollback_rows)
