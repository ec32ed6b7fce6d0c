"""Which engine a pane gets, and what importing costs."""

import subprocess
import sys
from pathlib import Path

import pytest

from session_core.screen import EngineUnavailableError, ScreenError, open_screen

from .conftest import GHOSTTY_MISSING

ROOT = Path(__file__).parents[2]
needs_ghostty = pytest.mark.skipif(GHOSTTY_MISSING, reason="needs pyghostty (extra `fast`)")


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_the_package_loads_no_engine() -> None:
    code = "import sys, session_core.screen; print({'pyte', 'pyghostty', 'cffi'} & set(sys.modules))"
    assert run_python(code) == "set()"


def test_auto_takes_pyte_where_ghostty_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyghostty", None)
    assert open_screen(20, 6).name == "pyte"


def test_asking_for_ghostty_where_it_is_not_installed_is_an_error_with_a_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyghostty", None)
    with pytest.raises(EngineUnavailableError, match="panebridge\\[fast\\]") as caught:
        open_screen(20, 6, engine="ghostty")
    assert isinstance(caught.value, ScreenError)
    assert caught.value.code == "engine_unavailable"


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown screen engine"):
        open_screen(20, 6, engine="xterm")  # type: ignore[arg-type]


@needs_ghostty
def test_auto_takes_ghostty_where_it_is_installed() -> None:
    assert open_screen(20, 6).name == "ghostty"


@needs_ghostty
def test_the_environment_cannot_name_another_library() -> None:
    code = (
        "import os; os.environ['PYGHOSTTY_LIB'] = '/nonexistent.so'\n"
        "from session_core.screen import open_screen\n"
        "print(open_screen(20, 6, engine='ghostty').name, 'PYGHOSTTY_LIB' in os.environ)"
    )
    assert run_python(code) == "ghostty False"
