"""A private runtime folder for each module, as in the bridge's own tests."""

from ..bridge.conftest import anyio_backend, place

__all__ = ["anyio_backend", "place"]
