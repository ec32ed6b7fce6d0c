"""What is done to the processes in a run: drawn from a seed, so that the same seed makes the same plan."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random

LONGEST_PAUSE_S = 1.2
EARLY = 2
"""So many hosts in a run are killed before they serve; with more of them their keeper would take them for broken."""
UPGRADE_EVERY = 50


class Target(StrEnum):
    """Which process is killed. UPGRADE: none, but the keeper is replaced in place, and host and bridge with it."""

    HOST = "host"
    BRIDGE = "bridge"
    SHIM = "shim"
    UPGRADE = "upgrade"


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill, `after_s` after its target serves; an `early` one, after it was started."""

    target: Target
    after_s: float
    early: bool = False


WEIGHTS = {Target.HOST: 4, Target.BRIDGE: 1, Target.SHIM: 7}


def plan(seed: int, count: int) -> list[Kill]:
    """Return `count` kills and, among them, an upgrade for each `UPGRADE_EVERY` or part of them."""
    random = Random(seed)
    targets = random.choices([*WEIGHTS], [*WEIGHTS.values()], k=count)
    kills = [Kill(target, _pause(random)) for target in targets]
    hosts = [at for at, kill in enumerate(kills) if kill.target is Target.HOST]
    for at in random.sample(hosts, min(EARLY, len(hosts) // 4)):
        kills[at] = Kill(Target.HOST, _pause(random), early=True)
    for _ in range(-(-count // UPGRADE_EVERY)):
        kills.insert(random.randrange(len(kills) + 1), Kill(Target.UPGRADE, _pause(random)))
    return kills


def _pause(random: Random) -> float:
    """Short ones come more often than long ones."""
    return LONGEST_PAUSE_S * random.random() ** 3
