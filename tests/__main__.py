"""`python -m tests`: every check of the project, in the order in which a mistake is cheapest to see.

Lint, format, types, import contracts, then the tests; arguments go to pytest. Exit code 0: all passed.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports", "--no-cache"),
    ("pytest", *sys.argv[1:]),
)


def main() -> int:
    """Run each check; stop at the first that fails."""
    for name, *arguments in CHECKS:
        print(f"== {' '.join((name, *arguments))}", flush=True)
        command = [str(Path(sys.executable).parent / name), *arguments]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code:
            print(f"== {name} failed", flush=True)
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
