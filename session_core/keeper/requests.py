"""The keeper's socket: who asks, and what for. One JSON object a line each way; only the user's own are answered.

`start` NAME, `stop` NAME, `status`, `upgrade`, and `adopt` by a process whose keeper is gone: its connection goes on
as its link. Every answer has `ok`, and `why` where that is false.
"""

import logging
import os
import socket
from collections.abc import Callable
from typing import Any

from session_core.keeper.children import NAMES, Child, Command, State
from session_core.keeper.descriptors import Channel, Message, Parcel, close_all
from session_core.keeper.keeper import Keeper
from session_core.sockets import peer_uid

logger = logging.getLogger(__name__)

Upgrade = Callable[[Channel, Message], None]


class Requests:
    """Accepts askers and passes on what they ask."""

    def __init__(self, keeper: Keeper, listener: socket.socket, upgrade: Upgrade) -> None:
        self._keeper = keeper
        self._listener = listener
        self._upgrade = upgrade
        listener.setblocking(False)
        keeper.loop.watch_readable(listener, self._accept)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        if peer_uid(connection) not in (os.getuid(), 0):
            logger.warning("refused a connection of another user")
            connection.close()
            return
        self._keeper.loop.watch(Channel(connection), self._asked, lambda: None)

    def _asked(self, asker: Channel, parcel: Parcel) -> None:
        request = parcel.message
        try:
            if request.get("ask") == "adopt" and parcel.fd is not None:
                self._adopt(asker, request, socket.socket(fileno=parcel.fd))
                return
            close_all([parcel])
            self._answer(asker, request)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            asker.send({"ok": False, "why": f"the request is incomplete ({error!r})"})

    def _answer(self, asker: Channel, request: Message) -> None:
        match request.get("ask"):
            case "start":
                self._keeper.start(asker, str(request["name"]), _command(request))
            case "stop":
                self._keeper.stop(asker, str(request["name"]))
            case "status":
                asker.send({"ok": True, **self._keeper.status()})
            case "upgrade":
                self._upgrade(asker, request)
            case other:
                asker.send({"ok": False, "why": f"the keeper does not know {other!r}"})

    def _adopt(self, link: Channel, request: Message, listener: socket.socket) -> None:
        name = str(request["name"])
        known = self._keeper.children.get(name)
        again = known is not None and known.pid == int(request["pid"])
        if name not in NAMES or (known is not None and known.state is not State.ABSENT and not again):
            listener.close()
            link.send({"ok": False, "why": f"another {name} runs already"})
            return
        if known is not None:
            self._keeper.drop(known)
        child = Child(name, _command(request), State.RUNNING, listener, int(request["pid"]))
        soft, hard = request["files"]
        self._keeper.limits = int(soft), int(hard)
        child.version, child.restarts = str(request["version"]), int(request.get("restarts", 0))
        self._keeper.adopt(link, child)


def _command(request: Message) -> Command:
    environment: dict[str, Any] = request["environment"]
    return Command(
        str(request["module"]),
        tuple(str(argument) for argument in request.get("arguments", ())),
        {str(name): str(value) for name, value in environment.items()},
    )
