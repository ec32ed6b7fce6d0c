"""The tests: `python -m tests` runs every check, `python -m tests.bench` measures."""
