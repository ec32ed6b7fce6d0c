"""The hosts and clients of these tests are those of the host's own tests."""

from ..host.conftest import anyio_backend, core, engine, host

__all__ = ["anyio_backend", "core", "engine", "host"]
