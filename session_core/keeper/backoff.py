"""When a process that died is started again, and when it is given up. Pure: time is an argument.

One that dies soon after its start, or before it serves, is crashing: each death makes the next start later, and
after the last delay it is given up. One that lived for `STEADY_S` starts afresh. A process that served and was
killed from outside (SIGKILL) did not crash: it is started at once, and only a flood of kills is slowed.
"""

DELAYS_S = (0.0, 0.1, 0.5, 2.0, 5.0)
STEADY_S = 10.0
FLOOD, FLOOD_DELAY_S = 50, 1.0
"""So many kills within `STEADY_S` are a flood."""


class Deaths:
    """The deaths of one process."""

    def __init__(self, crashes: int = 0) -> None:
        self.crashes = crashes
        self._kills: list[float] = []

    def delay(self, now: float, served_s: float | None, *, killed: bool) -> float | None:
        """Note a death; return the seconds until the next start, None to give up.

        `served_s` is how long the process served, None if it never did.
        """
        if served_s is not None and killed:
            self._kills = [at for at in self._kills if now - at < STEADY_S] + [now]
            return FLOOD_DELAY_S if len(self._kills) > FLOOD else 0.0
        if served_s is not None and served_s >= STEADY_S:
            self.crashes = 0
        self.crashes += 1
        return DELAYS_S[self.crashes - 1] if self.crashes <= len(DELAYS_S) else None
