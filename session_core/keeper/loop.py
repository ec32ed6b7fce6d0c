"""The keeper's event loop: channels, other descriptors, signals and timers, on one thread.

A handler that fails is logged and its channel dropped; the loop goes on. Nothing in here knows what is kept.
"""

import contextlib
import logging
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator

from session_core.keeper.descriptors import Channel, Parcel, Unreadable, close_all

logger = logging.getLogger(__name__)

Take = Callable[[Channel, Parcel], None]


class Loop:
    """Calls back what is ready. Times are those of the monotonic clock, in seconds."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[float, Callable[[], None]]] = []

    def turn(self) -> None:
        """Wait for something, and handle all that is ready."""
        wait = None if not self._timers else max(0.0, self._timers[0][0] - time.monotonic())
        for key, events in self._selector.select(wait):
            # An earlier handler of this turn may have closed it.
            if self._selector.get_map().get(key.fd) is key:
                self._guarded(lambda key=key, events=events: key.data(events), key.fileobj)  # type: ignore[misc]
        while self._timers and self._timers[0][0] <= time.monotonic():
            self._guarded(self._timers.pop(0)[1])
        for key in tuple(self._selector.get_map().values()):
            if isinstance(key.fileobj, Channel):
                wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if key.fileobj.has_unsent else 0)
                if key.events != wanted:
                    self._selector.modify(key.fileobj, wanted, key.data)

    def _guarded(self, handle: Callable[[], None], source: object = None) -> None:
        try:
            handle()
        except Exception:
            logger.exception("a handler failed")
            if isinstance(source, Channel):
                self.forget(source)

    def later(self, delay_s: float, action: Callable[[], None]) -> None:
        """Do `action` in `delay_s`."""
        self._timers.append((time.monotonic() + delay_s, action))
        self._timers.sort(key=lambda timer: timer[0])

    def watch_readable(self, source: socket.socket | int, ready: Callable[[], None]) -> None:
        """Call `ready` whenever `source` can be read."""
        self._selector.register(source, selectors.EVENT_READ, lambda _: ready())

    def unwatch(self, source: socket.socket | int) -> None:
        """Stop that."""
        self._selector.unregister(source)

    def watch(self, channel: Channel, take: Take, lost: Callable[[], None]) -> None:
        """Give each message of `channel` to `take` from now on, and call `lost` at its end."""

        def ready(events: int) -> None:
            if events & selectors.EVENT_WRITE:
                channel.flush()
            if events & selectors.EVENT_READ:
                self._read(channel, take, lost)

        if channel.fileno() in self._selector.get_map():
            self._selector.unregister(channel)
        self._selector.register(channel, selectors.EVENT_READ, ready)

    def _read(self, channel: Channel, take: Take, lost: Callable[[], None]) -> None:
        try:
            parcels = channel.receive()
        except Unreadable as error:
            logger.error("a connection was dropped: %s", error)
            parcels = None
        if parcels is None:
            self.forget(channel)
            lost()
            return
        for number, parcel in enumerate(parcels):
            if channel.closed:
                close_all(parcels[number:])
                return
            take(channel, parcel)

    def forget(self, channel: Channel) -> None:
        """Watch a channel no longer, and close it. Idempotent."""
        if not channel.closed:
            with contextlib.suppress(KeyError):
                self._selector.unregister(channel)
            channel.close()

    @contextlib.contextmanager
    def signals(self, numbers: tuple[int, ...], arrived: Callable[[set[int]], None]) -> Iterator[None]:
        """Call `arrived` with the signals of `numbers` that came, on the loop."""
        woken, waker = socket.socketpair()

        def ready() -> None:
            with contextlib.suppress(BlockingIOError):
                arrived(set(woken.recv(4096)))

        with woken, waker:
            for end in (woken, waker):
                end.setblocking(False)
            signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
            for number in numbers:
                signal.signal(number, lambda *_: None)
            self.watch_readable(woken, ready)
            try:
                yield
            finally:
                self.unwatch(woken)
                signal.set_wakeup_fd(-1)
