"""Where a text wait goes on whose mark was lost with its host: only where its text cannot have come meanwhile.

The output since the wait began is looked through as plain text. Where the text is in there it may be new, an echo,
or an old line drawn again, and what would tell these apart is gone: then the wait is answered with a resync.
"""

import anyio

from session_core.host.live_pane import LivePane
from session_core.host.pane_text import ScreenMark
from session_core.screen.plain import LOOK_BACK_BYTES, plain_lines


async def mark_after(pane: LivePane, text: str, offset: int | None) -> ScreenMark | None:
    """Return a mark of now if `text` has not come since output `offset`; None if it may have, or nobody knows."""
    if offset is None or offset > pane.offset:
        return None
    mark = pane.text.mark()
    before = pane.log.read(offset - LOOK_BACK_BYTES, offset).data
    logged = pane.log.read(offset - len(before) + before.rfind(b"\n") + 1)
    if logged.missed:
        return None
    shown = await anyio.to_thread.run_sync(plain_lines, logged.data, pane.screen.size)
    return None if shown.left_out or any(text in line for line in shown.lines) else mark
