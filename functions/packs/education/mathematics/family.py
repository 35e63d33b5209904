"""Families of problems: rows of a table, and what they and those in code share: random numbers,
wording, and wrong answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from random import Random
from typing import Any, TypeVar

from msgspec import Struct

from packs.education.arithmetic import schoolbook_notation, value
from packs.education.blocks import Bloom, Item, Level, choices, item
from packs.education.quantities import write_number
from rollcall.core.texts import Texts

TEXTS = Texts(__file__)
T = TypeVar("T")
_WRONG_OPTIONS = 3


class Draw(Struct, frozen=True):
    """The random numbers, grade, language and level of one problem."""

    random: Random
    grade: int
    locale: str = "he"
    level: Level = "core"

    def number(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def by_level(self, support: T, core: T, enrichment: T) -> T:
        """Return the value for this draw's level."""
        return {"support": support, "core": core, "enrichment": enrichment}[self.level]

    @property
    def common(self) -> dict[str, Any]:
        """The fields that all blocks of this draw share."""
        return {"level": self.level, "basis": "computed"}

    def several(self, numbers: Iterable[int], count: int) -> list[int]:
        """Draw several of these numbers, without repeats."""
        return self.random.sample(list(numbers), count)

    def say(self, key: str, **values: Any) -> str:
        return TEXTS.say(self.locale, key, **values)


Source = str | list[int]


class Family(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A family of problems, as its row in `data/families.json` has it. One without a check is made
    by the function of its name.

    Expressions are those of `arithmetic`, with the names of drawn numbers in braces.

    Attributes:
        grades: The grades that it has problems for.
        topics: Its topics, keys of the texts' `cues`.
        draw: By name, what its number is drawn from: "2 .. 9", a list, or an expression that gives
            it; by grade, where these differ. Several names at once, "a b", get different numbers.
        check: The expression that gives the right answer.
        slips: Expressions of the results of typical mistakes.
        whole_slips: Whether only whole slips are offered.
        decimal: Whether numbers are written as decimals.
        stem: The key of its text, by default its id; "compute" asks for the check itself.
        wordings: How many texts it has under that key.
        feedback: How the answer comes about; by default, the check and its value.
    """

    grades: tuple[int, ...]
    topics: frozenset[str]
    draw: dict[str, Source | dict[str, Source]] = {}
    check: str = ""
    slips: tuple[str, ...] = ()
    whole_slips: bool = False
    decimal: bool = False
    stem: str | None = None
    wordings: int = 1
    unit: str | None = None
    bloom: Bloom = "apply"
    feedback: str | None = None
    id: str = ""


def row_question(family: Family, draw: Draw) -> Item:
    """Make a question of a family that is a row of the table."""
    known: dict[str, int | str] = {}

    def compute(expression: str) -> Fraction:
        return value(expression.format(**known))

    for names, source in family.draw.items():
        found: Sequence[int | str]
        numbers = source[str(draw.grade)] if isinstance(source, dict) else source
        if isinstance(numbers, list):
            found = draw.several(numbers, len(names.split()))
        elif ".." in numbers:
            least, most = (int(compute(each)) for each in numbers.split(".."))
            found = draw.several(range(least, most + 1), len(names.split()))
        else:
            number = compute(numbers)
            found = [int(number) if number.denominator == 1 else write_number(number, mixed=False)]
        known |= zip(names.split(), found, strict=True)
    key = family.stem or family.id
    if family.wordings > 1:
        key = f"{key}.{draw.number(1, family.wordings)}"
    check = family.check.format(**known)
    slips = [compute(each) for each in family.slips]
    return number_question(
        draw,
        draw.say(key, expression=schoolbook_notation(check), **known),
        value(check),
        check,
        whole(slips) if family.whole_slips else slips,
        unit=family.unit,
        decimal=family.decimal,
        bloom=family.bloom,
        feedback=family.feedback.format(**known) if family.feedback else None,
    )


def number_question(
    draw: Draw,
    stem: str,
    answer: Fraction | int,
    check: str,
    slips: Iterable[Fraction | int],
    *,
    unit: str | None = None,
    decimal: bool = False,
    bloom: Bloom = "apply",
    feedback: str | None = None,
) -> Item:
    """Make a question whose answer is a number: a choice for "support" and half of "core", else
    numeric.

    Args:
        slips: Results of typical mistakes; right, negative and repeated ones are left out.
        decimal: Whether numbers are written as decimals.
        feedback: How the answer comes about; by default, the check and its value.
    """
    right = Fraction(answer)
    unit = draw.say(f"units.{unit}") if unit else None
    written = write_number(right, mixed=not decimal)
    feedback = feedback or f"{schoolbook_notation(check)} = {written}"
    key: dict[str, Any] = {"check": check, "feedback": feedback}
    common = {"bloom": bloom, **draw.common}
    with_options = {"support": True, "enrichment": False}.get(draw.level)
    if with_options is None:
        with_options = draw.random.random() < 0.5
    if not with_options:
        return item("numeric", stem, key={**key, "value": written}, unit=unit, **common)
    values = [right, *wrong_values(right, slips)]
    draw.random.shuffle(values)
    texts = [write_number(each, mixed=not decimal) for each in values]
    options = choices([f"{text} {unit}" if unit else text for text in texts])
    key["correct"] = [options[values.index(right)].id]
    return item("choice", stem, key=key, options=options, **common)


def computation(
    draw: Draw,
    answer: Fraction | int,
    check: str,
    slips: Iterable[Fraction | int],
) -> Item:
    """Make a question that asks to compute the check; arguments are those of `number_question`."""
    stem = draw.say("compute", expression=schoolbook_notation(check))
    return number_question(draw, stem, answer, check, slips)


def whole(numbers: Iterable[Fraction | int]) -> list[Fraction | int]:
    """Return the whole numbers only, so that the form of a wrong option does not give it away."""
    return [each for each in numbers if Fraction(each).denominator == 1]


def sign_question(draw: Draw, left: str, right: str, sign: str) -> Item:
    """Make a question about the sign between two numbers."""
    options = choices(["<", "=", ">"])
    correct = next(option.id for option in options if option.text == sign)
    stem = draw.say("compare", left=left, right=right)
    feedback = f"{left} {sign} {right}"
    key = {"correct": [correct], "check": f"{left} ? {right}", "feedback": feedback}
    return item("choice", stem, key=key, options=options, bloom="understand", **draw.common)


def order_question(draw: Draw, texts: list[str], sizes: list[Fraction]) -> Item:
    """Make a question that asks to order numbers from the smallest."""
    pairs = list(zip(sizes, texts, strict=True))
    while pairs == sorted(pairs):
        draw.random.shuffle(pairs)
    options = choices([text for _, text in pairs])
    order = sorted(range(len(pairs)), key=lambda n: pairs[n][0])
    key = {
        "correct": [options[n].id for n in order],
        "check": "ascending",
        "feedback": " < ".join(options[n].text for n in order),
    }
    stem = draw.say("ascending")
    return item("order", stem, key=key, options=options, bloom="understand", **draw.common)


def wrong_values(right: Fraction, slips: Iterable[Fraction | int] = ()) -> list[Fraction]:
    """Return wrong values, all different: typical mistakes first, then numbers near the right one;
    none below 0 unless the right one is."""
    found: list[Fraction] = []
    step = Fraction(1, right.denominator)
    near = [right + step * n for n in (1, -1, 2, 10, -2, 3, -10, 4, 5)]
    for each in (*map(Fraction, slips), *near):
        if (each >= 0 or right < 0) and each != right and each not in found:
            found.append(each)
    return found[:_WRONG_OPTIONS]
