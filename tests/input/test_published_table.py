"""The table that people read is the table that decides."""

from pathlib import Path

from session_core.model.input_origin import table_rows

README = Path(__file__).resolve().parents[2] / "session_core" / "README.md"


def test_the_published_table_has_every_kind_of_input_and_no_other() -> None:
    lines = README.read_text().splitlines()
    begin = lines.index("| kind | example | what it is | typing | forwarded |") + 2
    published = lines[begin : lines.index("", begin)]
    assert published == ["| " + " | ".join(row) + " |" for row in table_rows()]
