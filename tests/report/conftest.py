"""Every test starts with no owner mark and leaves none."""

from collections.abc import Iterator

import pytest

from session_core.report.ownership import VARIABLE

from .pty_end import PtyEnd


@pytest.fixture(autouse=True)
def unowned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark of a program that runs the tests is not theirs."""
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)


@pytest.fixture
def pane() -> Iterator[PtyEnd]:
    """A pseudo-terminal, both ends open in this process."""
    end = PtyEnd()
    yield end
    end.close()
