"""SGR: how parameters change a style, and how a style is written back.

Owns: both directions of select graphic rendition, with semicolons and with colons.
Invariants: unknown or malformed parameters change nothing; a colour component is 0..255, else the colour is
dropped; values of 38, 48 and 58 are never read as attributes of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from session_core.screen.pyte_cells import PLAIN, Style

_ATTRIBUTES: Final[dict[int, dict[str, Any]]] = {
    1: {"bold": True},
    2: {"faint": True},
    3: {"italic": True},
    4: {"underline": 1},
    5: {"blink": True},
    6: {"blink": True},
    7: {"reverse": True},
    8: {"conceal": True},
    9: {"strike": True},
    21: {"underline": 2},
    22: {"bold": False, "faint": False},
    23: {"italic": False},
    24: {"underline": 0},
    25: {"blink": False},
    27: {"reverse": False},
    28: {"conceal": False},
    29: {"strike": False},
    39: {"foreground": ""},
    49: {"background": ""},
    53: {"overline": True},
    55: {"overline": False},
    59: {"underline_color": ""},
    **{30 + n: {"foreground": f"5;{n}"} for n in range(8)},
    **{40 + n: {"background": f"5;{n}"} for n in range(8)},
    **{90 + n: {"foreground": f"5;{n + 8}"} for n in range(8)},
    **{100 + n: {"background": f"5;{n + 8}"} for n in range(8)},
}
_COLORED: Final = {38: "foreground", 48: "background", 58: "underline_color"}
_COMPONENTS: Final = {5: 1, 2: 3}
_FLAGS: Final = {
    "bold": "1",
    "faint": "2",
    "italic": "3",
    "blink": "5",
    "reverse": "7",
    "conceal": "8",
    "strike": "9",
    "overline": "53",
}


@lru_cache(maxsize=4096)
def styled(style: Style, raw: str) -> Style:
    """`style` changed by the SGR parameters `raw`, as sent between CSI and m."""
    fields = iter(raw.split(";"))
    for field in fields:
        code, *sub = (_number(part) for part in field.split(":"))
        if code == 0:
            style = PLAIN
        elif code in _COLORED:
            color = _colon_color(sub) if sub else _semicolon_color(fields)
            changes: dict[str, Any] = {_COLORED[code]: color} if color else {}
            style = replace(style, **changes)
        elif code == 4 and sub:
            style = replace(style, underline=sub[0]) if 0 <= sub[0] <= 5 else style
        elif code in _ATTRIBUTES:
            style = replace(style, **_ATTRIBUTES[code])
    return style


def parameters(style: Style) -> str:
    """The SGR parameters that give `style` from any other: a reset, then what is set."""
    codes = ["0", *(code for name, code in _FLAGS.items() if getattr(style, name))]
    if style.underline:
        codes.append("4" if style.underline == 1 else f"4:{style.underline}")
    codes += _basic(style.foreground, 30, 90, 38) + _basic(style.background, 40, 100, 48)
    if style.underline_color:
        codes.append(f"58;{style.underline_color}")
    return ";".join(codes)


def _basic(color: str, base: int, bright: int, extended: int) -> list[str]:
    if not color:
        return []
    kind, _, value = color.partition(";")
    number = int(value) if kind == "5" else 16
    if number < 16:
        return [str(base + number if number < 8 else bright + number - 8)]
    return [f"{extended};{color}"]


def _number(text: str) -> int:
    return min(int(text[:6]), 65535) if text else 0


def _color(kind: int, values: list[int]) -> str:
    wanted = _COMPONENTS.get(kind, 0)
    if not wanted or len(values) < wanted or any(not 0 <= value <= 255 for value in values[:wanted]):
        return ""
    return ";".join(map(str, [kind, *values[:wanted]]))


def _colon_color(sub: list[int]) -> str:
    kind, values = sub[0], sub[1:]
    # 38:2 may name a colour space before the components.
    return _color(kind, values[1:] if kind == 2 and len(values) > 3 else values)


def _semicolon_color(fields: Iterator[str]) -> str:
    kind = _number(next(fields, "").partition(":")[0])
    values = [_number(field.partition(":")[0]) for field in islice(fields, _COMPONENTS.get(kind, 0))]
    return _color(kind, values)
