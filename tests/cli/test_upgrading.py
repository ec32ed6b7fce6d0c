"""`upgrade` replaces what runs and ends nothing."""

from session_core import __version__

from .commands import Panebridge


def test_an_upgrade_says_the_versions_before_and_after_and_panes_go_on(panebridge: Panebridge) -> None:
    assert panebridge("run", "--", "cat").out == "p1\n"
    ended = panebridge("upgrade")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [f"{name:<6} {__version__} -> {__version__}" for name in ("keeper", "host")]
    (pane,) = panebridge.json("ls")["panes"]
    assert (pane["pane"], pane["life"]) == ("p1", "running")
    assert panebridge("stop").out == "Stopped.\n"
    ended = panebridge("upgrade")
    assert (ended.code, ended.out) == (0, f"Nothing runs; the next command starts panebridge {__version__}.\n")
