"""What all tests share: where skips are forbidden, a skip fails the run and is named."""

import os
from typing import Any

import pytest

# Interactive shells of the tests must not write into the history of whoever runs them.
os.environ["HISTFILE"] = "/dev/null"

# A second host that waits for the first one's end is work for nothing but the tests that ask for it.
os.environ["PANEBRIDGE_SPARE"] = "0"

MUST_NOT_SKIP = "PANEBRIDGE_TESTS_MUST_NOT_SKIP"


KILLS = 30
"""Kills of a run with random ones, where nobody asks for more."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much `tests/chaos` kills, and the seed from which it draws."""
    group = parser.getgroup("panebridge")
    group.addoption("--kills", type=int, default=KILLS, help="processes that tests/chaos kills at random instants")
    group.addoption("--seed", type=int, default=None, help="what tests/chaos draws from; another one each time")


def pytest_configure(config: pytest.Config) -> None:
    """Draw a seed, which every process of this run then has."""
    if config.option.seed is None:
        config.option.seed = int.from_bytes(os.urandom(4))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell how what was drawn at random can be repeated."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    told = {value for one in reports for name, value in getattr(one, "user_properties", ()) if name == "chaos"}
    for text in sorted(told):
        terminalreporter.write_line(f"tests/chaos was run with {text}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that skipped something although it must not."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get(MUST_NOT_SKIP):
        return
    skipped = reporter.stats.get("skipped", [])
    if skipped:
        for report in skipped:
            reporter.write_line(f"skipped, and must not be: {report.nodeid}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The host's loop is asyncio's."""
    return "asyncio"
