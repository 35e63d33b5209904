"""The pack's texts, by language, and the quantities and names in its sentences.

Sentences and names are in `texts/<language>.json`. A value inside a sentence is isolated, so that
it keeps its own direction: here, or by the template where only one language needs it.
"""

from __future__ import annotations

from functools import cache

from rollcall.core.errors import InvalidArgument
from rollcall.core.texts import Text, Texts, isolated

TEXTS = Texts(__file__)
FT_PER_M = 1 / 0.3048
MM_PER_IN = 25.4


def number(value: float, *, digits: int = 2) -> str:
    """Format a number with thousands separators and without trailing zeros."""
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def amps(value: float, digits: int = 1) -> str:
    """`16.7 A`, isolated."""
    return isolated(f"{number(value, digits=digits)} A")


def volts(value: float, digits: int = 2) -> str:
    """`7.2 V`, isolated."""
    return isolated(f"{number(value, digits=digits)} V")


def percent(value: float) -> str:
    """`2.8 %`, isolated."""
    return isolated(f"{number(value)} %")


def feet(length_ft: float) -> str:
    """`150 ft (45.7 m)`, isolated."""
    return isolated(
        f"{number(length_ft, digits=1)} ft ({number(length_ft / FT_PER_M, digits=1)} m)"
    )


def inches(length_mm: float) -> str:
    """`18 in (457 mm)`, isolated, from millimetres."""
    return isolated(
        f"{number(length_mm / MM_PER_IN, digits=1)} in ({number(length_mm, digits=0)} mm)"
    )


def unmarked(text: str) -> str:
    """Return somebody's text without direction marks, for a template that isolates it itself."""
    return isolated(text)[1:-1]


def invalid(field: str, key: str, /, **values: object) -> InvalidArgument:
    """Return the error of an argument, with the text `errors.<key>`."""
    return InvalidArgument(TEXTS.text(f"errors.{key}", **values), field=field)


@cache
def pattern(key: str) -> str:
    """Return a regular expression that fits what any language has under a key."""
    return "|".join(TEXTS.every(key))


def panel_text(name: str, *, plain: bool = False) -> Text:
    """A panel by its name; in Hebrew after the word for a panel, unless the name begins with it.

    Args:
        plain: Leaves the name unisolated in English.
    """
    has_word = name.startswith(tuple(TEXTS.data("he", "names.panel_words")))
    if plain:
        key = "names.plain_panel_by_name" if has_word else "names.plain_panel"
        return TEXTS.text(key, name=unmarked(name))
    key = "names.panel_by_name" if has_word else "names.panel"
    return TEXTS.text(key, name=isolated(name))
