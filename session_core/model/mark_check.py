"""Whether a prompt mark comes from the pane's own shell, which alone knows the pane's nonce.

Until the first mark with the right nonce, and in a pane without one, every mark counts as plain. From then on
a mark without it was printed by a program (a file that was shown, a remote shell) and is forged: it is counted
and changes nothing. The nonce itself leaves this module in no way.
"""

from enum import Enum, auto

from session_core.protocol.shell_marks import ShellMark


class MarkStanding(Enum):
    """What a mark is worth."""

    AUTHENTIC = auto()
    PLAIN = auto()
    FORGED = auto()


class MarkCheck:
    """The judge of one pane's marks; `forged` counts those that somebody else sent, `known`: a right nonce has come."""

    __slots__ = ("forged", "known", "nonce")

    def __init__(self, nonce: str | None) -> None:
        self.nonce = nonce
        self.known = False
        self.forged = 0

    @property
    def signed(self) -> bool:
        """Whether the pane's shell was given a nonce."""
        return self.nonce is not None

    def judge(self, mark: ShellMark) -> MarkStanding:
        """Say what the next mark is worth."""
        if self.nonce is not None and mark.options.get("nonce") == self.nonce:
            self.known = True
            return MarkStanding.AUTHENTIC
        if not self.known:
            return MarkStanding.PLAIN
        self.forged += 1
        return MarkStanding.FORGED
