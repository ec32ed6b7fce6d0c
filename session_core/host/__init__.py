"""The process that owns the PTYs: all I/O of the core, on one event loop, without threads or polling.

`pty` holds the descriptors, `live_pane` moves the bytes of one pane, `host` holds all panes, `handlers` and
`server` offer them over the core API, `main` is the process. What to do is decided in `model` and `protocol`.
"""
