"""Everything may be killed at any instant: real hosts, bridges, shims and keepers are, while everybody works.

A run opens some panes whose programs print numbered lines, reports and queries that are known in advance, and keep what
they read; some end with known exit codes or signals amid it all. Writers, persons, waiters, a subscriber and MCP
clients use them, each with a client of its own that dials again by itself. Meanwhile processes are killed as a plan
says. Afterwards every line, report, answer, ticket, acknowledgement and exit status is there once and in order, every
wait was answered rightly, and no process, zombie, terminal or socket is left. `checking` says what is held to what.

`python -m pytest tests/chaos` is what the default suite runs; `--kills N` kills N processes at random instants, and
`-m slow` adds a run with 100, each named step of `session_core.crash_points` again and again, and killed keepers.
The seed is drawn, told at the end of the run, and shown where it fails: `--seed S` makes the same plan once more.
What the system makes of it in time is another matter, so a rare fault may take some runs to come again.
"""
