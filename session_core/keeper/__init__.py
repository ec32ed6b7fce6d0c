"""The keeper: parent of host and bridge, which holds what must not die with them. Standard library only.

It holds the listening sockets and a duplicate of every pane's terminal, reaps what the host leaves behind, and
starts host and bridge again when they die. It parses nothing that a program writes. `keeper` is its loop,
`children` its processes, `held` the terminals, `resuming` its own replacement; `link` is the other end, for the
processes that it keeps.
What does not survive a killed keeper: how programs end whose host dies after it (they are no descendants of the
next keeper), as everywhere on systems without sub-reapers. Killed together with its host, it takes the panes along.
"""
