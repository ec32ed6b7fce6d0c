"""The ways in which the tests hand bytes to a classifier, and the shortest form of what comes back."""

from collections.abc import Iterable, Iterator, Sequence

from session_core.model.input_grammar import Kind, Segment
from session_core.model.input_origin import OriginClassifier

Named = tuple[Kind, bytes]


def single_bytes(data: bytes) -> list[bytes]:
    """Return `data` as chunks of one byte."""
    return [data[index : index + 1] for index in range(len(data))]


def cuts(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield both halves of `data` for every position."""
    for at in range(1, len(data)):
        yield data[:at], data[at:]


def chunked(data: bytes, sizes: Sequence[int]) -> list[bytes]:
    """Cut `data` into chunks of `sizes` in turn; the rest is the last chunk."""
    chunks: list[bytes] = []
    for size in sizes:
        chunks.append(data[:size])
        data = data[size:]
    return [*chunks, data]


def feed(*chunks: bytes, classifier: OriginClassifier | None = None) -> list[Segment]:
    """Feed `chunks` at one instant, by default to a new classifier."""
    classifier = classifier or OriginClassifier()
    return [segment for chunk in chunks for segment in classifier.feed(chunk, 0.0)]


def named(segments: Iterable[Segment]) -> list[Named]:
    """Return kind and bytes of each segment; adjacent keystrokes, however they were cut, are one."""
    joined: list[Named] = []
    for segment in segments:
        if joined and segment.kind == joined[-1][0] == "keystroke":
            joined[-1] = (segment.kind, joined[-1][1] + segment.data)
        else:
            joined.append((segment.kind, segment.data))
    return joined


def classify(*chunks: bytes) -> list[Named]:
    """Return what a new classifier makes of `chunks` while no time passes."""
    return named(feed(*chunks))


def kind_of_each_byte(segments: Iterable[Segment]) -> list[Kind]:
    """Return the kind of every byte: what must not depend on the chunks."""
    return [segment.kind for segment in segments for _ in segment.data]
