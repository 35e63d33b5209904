"""Families about fractions that are no rows of the table."""

from __future__ import annotations

from fractions import Fraction

from packs.education.blocks import Item, choices, item
from packs.education.mathematics.family import (
    Draw,
    computation,
    order_question,
    sign_question,
)
from packs.education.quantities import write_number

_DENOMINATORS = (2, 3, 4, 5, 6, 8, 10, 12)


def _denominators(draw: Draw) -> tuple[int, int]:
    """Draw two denominators for a grade: in grade 4 equal, or one a multiple of the other."""
    first = draw.random.choice(_DENOMINATORS[:6])
    if draw.grade == 4:
        multiples = [each for each in _DENOMINATORS if each % first == 0]
        return first, draw.random.choice(multiples)
    return first, draw.random.choice([each for each in _DENOMINATORS[:6] if each != first])


def _proper(draw: Draw, denominator: int) -> int:
    return draw.number(1, denominator - 1)


def fraction_addition(draw: Draw) -> Item:
    b, d = _denominators(draw)
    a, c = _proper(draw, b), _proper(draw, d)
    slips = [Fraction(a + c, b + d), Fraction(a + c, max(b, d)), Fraction(a + c, b * d)]
    return computation(draw, Fraction(a, b) + Fraction(c, d), f"{a}/{b} + {c}/{d}", slips)


def fraction_subtraction(draw: Draw) -> Item:
    b, d = _denominators(draw)
    if b == d == 2:
        b = d = 5
    a, c = _proper(draw, b), _proper(draw, d)
    while Fraction(a, b) == Fraction(c, d):
        a, c = _proper(draw, b), _proper(draw, d)
    if Fraction(a, b) < Fraction(c, d):
        a, b, c, d = c, d, a, b
    above = abs(a - c)
    slips = [Fraction(above, abs(b - d) or 2 * b), Fraction(above, b * d), Fraction(a + c, b)]
    return computation(draw, Fraction(a, b) - Fraction(c, d), f"{a}/{b} - {c}/{d}", slips)


def compare_fractions(draw: Draw) -> Item:
    b, d = _denominators(draw)
    if draw.level == "support":
        b = d = max(b, d, 3)
    a, c = _proper(draw, b), _proper(draw, d)
    if draw.level == "enrichment":  # the nearest fraction with this denominator
        c = min(max(a * d // b + draw.number(0, 1), 1), d - 1)
    if (a, b) == (c, d):  # comparing a fraction with itself is no question
        c = draw.random.choice([each for each in range(1, d + 1) if each != c])
    left, right = Fraction(a, b), Fraction(c, d)
    sign = "<" if left < right else ">" if left > right else "="
    return sign_question(draw, f"{a}/{b}", f"{c}/{d}", sign)


def order_fractions(draw: Draw) -> Item:
    count = draw.by_level(3, 4, 5)
    if draw.grade == 4:
        below = draw.random.choice([6, 8, 10, 12])
        found = [Fraction(each, below) for each in draw.several(range(1, below), count)]
        return order_question(draw, [f"{int(each * below)}/{below}" for each in found], found)
    pairs = [(a, b) for b in (2, 3, 4, 5, 6, 8) for a in range(1, b)]
    distinct = {Fraction(a, b): f"{a}/{b}" for a, b in reversed(pairs)}
    sizes = draw.random.sample(sorted(distinct), count)
    return order_question(draw, [distinct[each] for each in sizes], sizes)


def equal_fraction(draw: Draw) -> Item:
    b = draw.random.choice([2, 3, 4, 5, 6])
    a, by = _proper(draw, b), draw.by_level(2, draw.number(2, 5), draw.number(3, 5))
    # For enrichment no denominator is a multiple of the other: 4/6 = {{1}}/9.
    times = draw.by_level(1, 1, by - 1)
    above, below = a * times, b * times
    stem = draw.say("equal_fraction", expression=f"{above}/{below} = {{{{1}}}}/{b * by}")
    key = {
        "gaps": {"1": [str(a * by)]},
        "check": f"{above} * {b * by} / {below}",
        "feedback": f"{above}/{below} = {a * by}/{b * by}",
    }
    return item("cloze", stem, key=key, bloom="understand", **draw.common)


def fraction_decimal_match(draw: Draw) -> Item:
    known = [(1, 2), (1, 4), (3, 4), (1, 5), (2, 5), (3, 5), (4, 5), (1, 8)]
    eighths = [(1, 8), (3, 8), (5, 8), (7, 8), (1, 20), (3, 20)]
    chosen = draw.by_level(known[:5], known, known[1:4] + eighths)
    found = draw.random.sample(chosen, draw.by_level(3, 4, 5))
    sizes = [Fraction(a, b) for a, b in found]
    options = choices([f"{a}/{b}" for a, b in found])
    shown = draw.random.sample(sizes, len(sizes))
    targets = choices([write_number(each, mixed=False) for each in shown])
    pairs = zip(options, sizes, strict=True)
    key = {
        "pairs": {option.id: targets[shown.index(each)].id for option, each in pairs},
        "check": "equal",
        "feedback": ", ".join(f"{each} = {write_number(each, mixed=False)}" for each in sizes),
    }
    about = {"options": options, "targets": targets, "bloom": "understand", **draw.common}
    return item("match", draw.say("fraction_decimal_match"), key=key, **about)


FAMILIES = (
    fraction_addition,
    fraction_subtraction,
    compare_fractions,
    order_fractions,
    equal_fraction,
    fraction_decimal_match,
)
