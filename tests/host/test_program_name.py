"""The name of a program, from what the kernel calls it and its arguments."""

import pytest

from session_core.host.occupant import program_name

_NAMES = {
    "/usr/bin/vim notes.txt": "vim",
    "make -j8 all": "make",
    "python3 train.py --fast": "train",
    "/opt/v/bin/python3.12 -u -X dev -W error /srv/tool.py": "tool",
    "python3 -I /srv/tool.py": "tool",
    "python3 -IS /srv/tool.py": "tool",
    "python /srv/agent/main.py": "agent",
    "python /srv/agent/src/main.py": "agent",
    "python main.py": "main",
    "python3 -m http.server": "python3",
    "python3 -c print(1)": "python3",
    "python3 -uc print(1) x.py": "python3",
    "python3": "python3",
    "python3 -": "python3",
    "node /x/node_modules/some-cli/dist/cli.js --chat": "some-cli",
    "node /x/node_modules/some-cli/bin/some-cli.js": "some-cli",
    "node --inspect --require hook.js server.mjs": "server",
    "node -e 1+1": "node",
    "node -pe 1+1": "node",
    "npx prettier --check": "prettier",
    "npx -y @scope/tool": "tool",
    "npm exec prettier": "prettier",
    "uv run x.py": "x",
    "uv run --with rich x.py": "x",
    "uv run python x.py": "x",
    "uv tool run ruff check": "ruff",
    "uvx ruff": "ruff",
    "deno run -A /srv/board/main.ts": "board",
    "bun run build.ts": "build",
    "ruby deploy.rb": "deploy",
    "perl -ne print/x/y file": "perl",
    "bash script.sh": "script",
    "bash -x /srv/deploy.sh now": "deploy",
    "bash -c sleep_1": "bash",
    "bash -lc sleep_1": "bash",
    "bash --norc --noprofile": "bash",
    "bash --rcfile /x/start -i": "bash",
    "sh ./run": "run",
    "-zsh": "zsh",
    "-bash": "bash",
    "env A=1 prog": "env",
    "sudo -u me prog": "sudo",
}


@pytest.mark.parametrize("command", _NAMES)
def test_a_program_is_named_as_a_person_would(command: str) -> None:
    assert program_name("kernel", command.split(" ")) == _NAMES[command]


def test_a_process_without_arguments_has_the_kernels_name() -> None:
    assert program_name("kworker", []) == "kworker"
    assert program_name("odd", [""]) == "odd"
