"""What programs in a pane say on their output: bytes in, typed events out.

Pure: no clock, no I/O, no logging. Bad bytes are counted, never raised, and every buffer has a bound.
The way through: `scanner` finds control strings, `events` routes each to its parser, one file a sequence.
Deliberately absent: the screen (see `session_core.screen`) and any memory of earlier reports (see `model`).
"""
