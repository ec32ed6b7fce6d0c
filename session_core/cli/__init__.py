"""The command line over the core API: thin commands, each of which is one or two calls of the client.

`command_line` is the click group. What a command prints for a program to read is JSON (`--json`); exit codes
are those of `exits`. Deliberately absent: anything that the client cannot do.
"""

from session_core.cli import input as input
from session_core.cli import panes as panes
from session_core.cli import reading as reading
from session_core.cli import upgrade as upgrade
from session_core.cli import waiting as waiting
from session_core.cli.group import command_line as command_line
