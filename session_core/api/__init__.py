"""The core API as both ends see it: JSON-RPC 2.0, one object a line, over a private unix socket.

`methods` is the table of what can be asked, `messages` the envelopes, `framing` the lines.
Pure: no sockets here. Unknown fields are ignored on both sides; the version is settled by `hello`.
"""
