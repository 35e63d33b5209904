"""Reads numbers and units as people write them: "1,250", "-0.5", "3/4", "1 1/2", "2.5 ק״ג"."""

from __future__ import annotations

import json
import re
import unicodedata
from fractions import Fraction
from functools import cache
from pathlib import Path

from msgspec import Struct

from packs.education.wording import TEXTS
from rollcall.core.texts import Text, isolated

MAX_LENGTH = 60
MAX_DIGITS = 18
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)\s*(?:(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.(?P<decimals>[0-9]+))?"
    r"|\.(?P<bare>[0-9]+))"
    r"(?:(?:\s+(?P<numerator>[0-9]+))?/(?P<denominator>[0-9]+))?"
)
_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u2044": "/", "\u2215": "/"})
_MARKS = re.compile(r"[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


class Quantity(Struct, frozen=True):
    """A number, and its unit if it has one."""

    value: Fraction
    unit: str | None = None


class Unit(Struct, frozen=True):
    """A unit: the kind of quantity that it measures, and its factor to that kind's base unit."""

    kind: str
    factor: Fraction


def read_number(text: str) -> Fraction:
    """Read a number without a unit.

    Raises:
        ValueError: It is not a number, or has a unit.
    """
    quantity = read_quantity(text)
    if quantity.unit is not None:
        raise ValueError(TEXTS.text("errors.not_a_number", text=isolated(text[:40])))
    return quantity.value


def read_quantity(text: str) -> Quantity:
    """Read a number that may have a unit before or after it.

    Raises:
        ValueError: There is no number, more than one, or one of more than 18 digits.
    """
    wanted = TEXTS.text("errors.not_a_number", text=isolated(text[:40]))
    if len(" ".join(text.split())) > MAX_LENGTH:
        raise ValueError(TEXTS.text("errors.number_too_long", most=MAX_LENGTH))
    plain = plain_numbers(text)
    match = _NUMBER.search(plain)
    if match is None:
        raise ValueError(wanted)
    before, after = plain[: match.start()].strip(), plain[match.end() :].strip()
    if (
        (before and after)
        or re.search(r"[0-9]", before + re.sub(r"(?<=[^\W\d_])[23]$", "", after))
        or (before + after).startswith((".", ",", "/"))
    ):
        raise ValueError(wanted)
    if sum(char.isdigit() for char in match[0]) > MAX_DIGITS:
        raise ValueError(TEXTS.text("errors.too_many_digits", most=MAX_DIGITS))
    return Quantity(_value(match, wanted), (before or after) or None)


def plain_numbers(text: str) -> str:
    """Return a text with its numbers in one spelling: "½" and "1 / 2" as "1/2", "−" as "-"."""
    plain = " ".join(_MARKS.sub("", text).split())
    # "1½" is "1 1/2" in normal form.
    plain = re.sub(r"(?<=[0-9])([¼½¾⅓⅔⅛])", r" \1", plain)
    # "²" and "³" belong to a unit: in normal form they would be digits.
    plain = re.sub(r"[^²³]+", lambda part: unicodedata.normalize("NFKC", part[0]), plain)
    return re.sub(r"(?<=[0-9]) ?/ ?(?=[0-9])", "/", plain.translate(_SIGNS))


def _value(match: re.Match[str], wanted: Text) -> Fraction:
    whole = (match["whole"] or "0").replace(",", "")
    decimals = match["decimals"] or match["bare"]
    if decimals and match["denominator"]:
        raise ValueError(wanted)
    value = Fraction(f"{whole}.{decimals}") if decimals else Fraction(int(whole))
    if match["denominator"]:
        below = int(match["denominator"])
        if below == 0:
            raise ValueError(TEXTS.text("errors.denominator_of_0"))
        above = match["numerator"]
        value = value + Fraction(int(above), below) if above else value / below
    return -value if match["sign"] == "-" else value


def find_unit(name: str) -> Unit | None:
    """Return the unit with a Hebrew or English name or symbol; None if it is unknown."""
    return _units().get(_unit_name(name))


def same_unit(one: str, other: str) -> bool:
    """Tell whether two names mean the same unit: "cm" and "ס״מ"."""
    if _unit_name(one) == _unit_name(other):
        return True
    known = find_unit(one)
    return known is not None and known == find_unit(other)


def write_number(value: Fraction, *, mixed: bool = True) -> str:
    """Write a number in a form that `read_number` reads: a whole number; if `mixed` is false, a
    decimal of at most three places where that is exact; else a fraction or a mixed number."""
    if value.denominator == 1:
        return str(value.numerator)
    if not mixed and 1_000 % value.denominator == 0:
        sign, scaled = "-" if value < 0 else "", abs(value) * 1_000
        return f"{sign}{scaled.numerator // 1_000}.{scaled.numerator % 1_000:03}".rstrip("0")
    whole, rest = divmod(abs(value), 1)
    sign = "-" if value < 0 else ""
    part = f"{rest.numerator}/{rest.denominator}"
    return f"{sign}{whole} {part}" if whole else f"{sign}{part}"


def write_decimal(value: Fraction) -> str:
    """Write a number as a decimal, rounded to 12 places where it has more."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.12f}".rstrip("0").rstrip(".")


def _unit_name(name: str) -> str:
    folded = re.sub(r"[\"'.״׳’”\s]", "", name).casefold()
    return folded.replace("²", "2").replace("³", "3")


@cache
def _units() -> dict[str, Unit]:
    path = Path(__file__).parent / "data" / "units.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    return {
        _unit_name(name): Unit(kind, Fraction(factor))
        for kind, units in found.items()
        for factor, names in units.items()
        for name in names
    }
