"""Megabytes of hostile output and resizes: no exception, bounded memory, a screen that reads.

A short run is in the default suite; 200 MB for each engine take a few minutes: `python -m pytest -m fuzz tests/screen`.
"""

import random
from typing import cast

import psutil
import pytest

from session_core.protocol.scanner import Scanner
from session_core.screen import EngineName, open_screen
from session_core.screen.pyte_backlog import BACKLOG_BYTES

from .conftest import GHOSTTY
from .soup import CLOSERS, CONTROLS, ESCAPES, MODES, OPENERS, PENS, TEXTS
from .test_fuzz import read_everything
from .test_replies import QUERIES

MB = 1_000_000
GROWTH = 48 * MB
"""Most that a process may grow by while it is fed, whatever it is fed."""
_STEP_BYTES = 32_768
_SEED = 7501


class Hostile:
    """An endless source of output that no program should write."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._pieces = [
            *TEXTS,
            *CONTROLS,
            *ESCAPES,
            *OPENERS,
            *CLOSERS,
            *(query for query, _ in QUERIES.values()),
            *(b"\x1b[?%d%s" % (mode, final) for mode in MODES for final in (b"h", b"l")),
            *(b"\x1b[" + pen + b"m" for pen in PENS),
        ]

    def take(self) -> bytes:
        """About `_STEP_BYTES` of it."""
        kinds = (self._soup, self._bytes, self._sequences, self._flood)
        return self._random.choice(kinds)()

    def size(self) -> tuple[int, int]:
        """A size, now and then a silly one."""
        small, wild = self._random.randint, self._random.random() < 0.02
        return (small(1, 2500), small(1, 90)) if wild else (small(1, 140), small(1, 50))

    @property
    def resizes(self) -> bool:
        """Whether it is time for another size."""
        return self._random.random() < 0.2

    def _soup(self) -> bytes:
        return b"".join(self._random.choices(self._pieces, k=_STEP_BYTES // 6))

    def _bytes(self) -> bytes:
        return self._random.randbytes(_STEP_BYTES // 4)

    def _sequences(self) -> bytes:
        alphabet = b"\x1b\x1b\x1b[[]P_?>=;:0123456789999 $!'\"mHJKLMPXhlrsubcdnqtp\x07\\\x9c\x18\n"
        return bytes(self._random.choices(alphabet, k=_STEP_BYTES))

    def _flood(self) -> bytes:
        return self._random.choice(self._pieces) * (_STEP_BYTES // 4)


def feed_hostile_output(engine: str, amount: int, seed: int) -> None:
    """Feed so many bytes; read the screen now and then, and watch the memory."""
    source, scanner, process = Hostile(seed), Scanner(), psutil.Process()
    screen = open_screen(80, 24, engine=cast(EngineName, engine), scrollback_rows=500)
    fed, before = 0, 0
    while fed < amount:
        data = source.take()
        scanner.feed(data)
        assert len(screen.feed(data, ordinary=scanner.ordinary)) <= 64 * len(data)
        assert screen.backlog <= BACKLOG_BYTES
        if source.resizes:
            screen.resize(*source.size())
            read_everything(screen)
        fed += len(data)
        # The first part fills caches and scrollback.
        before = before or (process.memory_info().rss if fed > amount // 4 else 0)
    screen.resize(80, 24)
    read_everything(screen)
    screen.feed(b"\x18\x1bcok")
    assert screen.text() == "ok"
    assert process.memory_info().rss - before < GROWTH
    screen.close()


each_engine = pytest.mark.parametrize("engine", [GHOSTTY, "pyte"])


@each_engine
def test_hostile_output_raises_nothing_and_fills_no_memory(engine: str) -> None:
    feed_hostile_output(engine, MB // 2 if engine == "pyte" else 2 * MB, _SEED)


@pytest.mark.fuzz
@each_engine
@pytest.mark.parametrize("seed", range(10))
def test_much_hostile_output_raises_nothing_and_fills_no_memory(engine: str, seed: int) -> None:
    feed_hostile_output(engine, 20 * MB, seed)
