"""A process of another user gets no answer, even where the folder is open to it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .hosts import RunningHost, start_host, stop_host

_NOBODY = 65534
_CONNECT = """
import os, socket, sys
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(10)
try:
    connection.connect(sys.argv[1])
    connection.sendall(b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"x"}}\\n')
    print("answer", connection.recv(100))
except PermissionError:
    print("no entry")
except OSError:
    print("dropped")
"""

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")


@pytest.fixture
def host() -> Iterator[RunningHost]:
    """A host in a folder that others can be let into."""
    with tempfile.TemporaryDirectory(prefix="pb", dir="/tmp") as folder:
        running = start_host(Path(folder))
        yield running
        stop_host(Path(folder), running.pid)


def _connect_as(user: int, path: str) -> str:
    command = [sys.executable, "-IS", "-c", _CONNECT, path, str(user)]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.strip()


def test_the_modes_of_folder_and_socket_keep_others_out(host: RunningHost) -> None:
    assert host.folder.stat().st_mode & 0o777 == 0o700
    assert os.stat(host.socket).st_mode & 0o777 == 0o600
    assert _connect_as(_NOBODY, host.socket) == "no entry"


def test_another_user_who_reaches_the_socket_is_refused_and_the_owner_is_served(host: RunningHost) -> None:
    host.folder.chmod(0o755)
    os.chmod(host.socket, 0o666)
    assert _connect_as(_NOBODY, host.socket) in ("dropped", "answer b''")
    assert _connect_as(0, host.socket).startswith("answer b'{")
    assert "another user" in host.log
    host.folder.chmod(0o700)
