"""Where the sockets are: the rules of the runtime folder."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from session_core import SessionCoreError, connect, open_runtime_folder

from .hosts import private_folder
from .waiting import BOUND_S

SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
_NOBODY = 65534
_root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")


@pytest.fixture
def base(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private folder with a short path; no variable names a runtime folder."""
    monkeypatch.delenv("PANEBRIDGE_DIR", raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    return private_folder(tmp_path_factory)


@pytest.fixture
def short_folders() -> Iterator[list[str]]:
    """Folders outside of the test's own, removed after it."""
    made: list[str] = []
    yield made
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)


def _refusal() -> SessionCoreError:
    with pytest.raises(SessionCoreError) as raised:
        open_runtime_folder()
    assert raised.value.code == "unsafe_folder"
    assert "PANEBRIDGE_DIR" in raised.value.next_step
    return raised.value


def test_the_chosen_folder_is_made_private_whatever_the_umask(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for umask in (0, 0o077, 0o027):
        folder = base / f"chosen{umask}"
        monkeypatch.setenv("PANEBRIDGE_DIR", str(folder))
        before = os.umask(umask)
        try:
            assert open_runtime_folder() == str(folder)
        finally:
            os.umask(before)
        assert folder.stat().st_mode & 0o777 == 0o700


def test_without_a_choice_it_is_in_the_sessions_runtime_folder(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base))
    assert open_runtime_folder() == str(base / "panebridge")


def _default() -> tuple[str, str]:
    return (f"/run/user/{os.getuid()}/panebridge", f"/tmp/panebridge-{os.getuid()}")


@pytest.mark.parametrize("fault", ["unset", "missing", "open", "a_file", "a_link"])
def test_a_runtime_folder_that_cannot_be_used_leads_to_the_users_default(
    base: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    named = base / "named"
    if fault == "open":
        named.mkdir()
        named.chmod(0o777)
    elif fault == "a_file":
        named.touch()
    elif fault == "a_link":
        named.symlink_to(base)
    if fault != "unset":
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(named))
    assert open_runtime_folder() in _default()


@_root_only
def test_the_runtime_folder_of_another_user_is_not_used(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = base / "theirs"
    named.mkdir(mode=0o700)
    os.chown(named, _NOBODY, _NOBODY)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(named))
    assert open_runtime_folder() in _default()


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o710, 0o701])
def test_a_folder_that_others_can_enter_is_refused_and_not_mended(
    base: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    folder = base / "open"
    folder.mkdir()
    folder.chmod(mode)
    monkeypatch.setenv("PANEBRIDGE_DIR", str(folder))
    assert str(folder) in _refusal().message
    assert folder.stat().st_mode & 0o777 == mode


def test_a_link_is_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = base / "real"
    real.mkdir(mode=0o700)
    (base / "link").symlink_to(real)
    monkeypatch.setenv("PANEBRIDGE_DIR", str(base / "link"))
    _refusal()
    assert list(real.iterdir()) == []


def test_a_file_is_refused_and_left_alone(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (base / "file").write_text("mine")
    monkeypatch.setenv("PANEBRIDGE_DIR", str(base / "file"))
    _refusal()
    monkeypatch.setenv("PANEBRIDGE_DIR", str(base / "file" / "below"))
    _refusal()
    assert (base / "file").read_text() == "mine"


@_root_only
def test_a_folder_of_another_user_is_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = base / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, _NOBODY, _NOBODY)
    monkeypatch.setenv("PANEBRIDGE_DIR", str(folder))
    _refusal()


def _of_length(base: Path, socket_bytes: int, letter: str = "x") -> str:
    """A folder whose longest socket path has this many bytes."""
    room = socket_bytes - len(os.fsencode(base)) - len("/") - len("/bridge.sock")
    count, rest = divmod(room, len(letter.encode()))
    return str(base / (letter * count + "_" * rest))


def test_a_path_that_just_fits_is_used_as_it_is(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _of_length(base, SOCKET_PATH_BYTES)
    monkeypatch.setenv("PANEBRIDGE_DIR", folder)
    assert open_runtime_folder() == folder
    anyio.run(_start_and_stop)


@pytest.mark.parametrize("letter", ["x", "中"])
@pytest.mark.parametrize("extra", [1, 43])
def test_a_path_that_is_too_long_becomes_a_short_one_of_its_own(
    base: Path, monkeypatch: pytest.MonkeyPatch, short_folders: list[str], letter: str, extra: int
) -> None:
    folder = _of_length(base, SOCKET_PATH_BYTES + extra, letter)
    monkeypatch.setenv("PANEBRIDGE_DIR", folder)
    short = open_runtime_folder()
    short_folders.append(short)
    assert len(os.fsencode(short)) + len("/bridge.sock") <= SOCKET_PATH_BYTES
    assert open_runtime_folder() == short
    monkeypatch.setenv("PANEBRIDGE_DIR", folder[:-1] + "z")
    other = open_runtime_folder()
    short_folders.append(other)
    assert other != short
    anyio.run(_start_and_stop)
    assert not os.path.lexists(folder)


async def _start_and_stop() -> None:
    with anyio.fail_after(2 * BOUND_S):
        async with connect() as core:
            assert (await core.list_panes()).panes == ()
            await core.stop()
