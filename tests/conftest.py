"""What all tests share: where skips are forbidden, a skip fails the run and is named."""

import os

import pytest

# Interactive shells of the tests must not write into the history of whoever runs them.
os.environ["HISTFILE"] = "/dev/null"

MUST_NOT_SKIP = "PANEBRIDGE_TESTS_MUST_NOT_SKIP"


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
