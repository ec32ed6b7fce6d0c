"""Types as pydantic adapters that are built when they are first needed: most processes need few of them."""

from functools import cached_property
from typing import Any

from pydantic import TypeAdapter


class Adapter:
    """Reads and writes values of one type, as a `TypeAdapter` does."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    @cached_property
    def built(self) -> TypeAdapter[Any]:
        """The adapter itself, which takes about a millisecond to build."""
        return TypeAdapter(self._kind)

    def build(self) -> None:
        """Build it now, so that the first use need not."""
        self.built  # noqa: B018 - it is the look that builds it

    def validate_python(self, value: Any) -> Any:
        """Return what `value` says. Raises pydantic.ValidationError."""
        return self.built.validate_python(value)

    def validate_json(self, text: str | bytes) -> Any:
        """Return what a JSON text says. Raises pydantic.ValidationError."""
        return self.built.validate_json(text)

    def dump_python(self, value: Any, **how: Any) -> Any:
        """Return a value in terms of plain ones."""
        return self.built.dump_python(value, **how)

    def dump_json(self, value: Any, **how: Any) -> bytes:
        """Return a value as JSON."""
        return self.built.dump_json(value, **how)
