"""What the core knows about each pane, decided without I/O.

Pure: the clock, the foreground program and every byte are arguments; each method returns what changed.
The host performs what is decided here. Deliberately absent: any timeout that changes a record, and any
reading of the screen.
"""
