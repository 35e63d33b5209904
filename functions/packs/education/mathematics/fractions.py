"""Families about fractions, decimals, percents and ratios."""

from __future__ import annotations

from fractions import Fraction

from packs.education.blocks import Item, choices, item
from packs.education.mathematics.family import (
    Draw,
    computation,
    family_list,
    number_question,
    order_question,
    sign_question,
    whole,
)
from packs.education.quantities import write_number

FAMILIES, family = family_list()

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


@family((4, 5, 6), "fractions addition")
def fraction_addition(draw: Draw) -> Item:
    b, d = _denominators(draw)
    a, c = _proper(draw, b), _proper(draw, d)
    slips = [Fraction(a + c, b + d), Fraction(a + c, max(b, d)), Fraction(a + c, b * d)]
    return computation(draw, Fraction(a, b) + Fraction(c, d), f"{a}/{b} + {c}/{d}", slips)


@family((4, 5, 6), "fractions subtraction")
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


@family((4, 5, 6), "fractions comparing")
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


@family((4, 5, 6), "fractions comparing")
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


@family((4, 5), "fractions expanding")
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


@family((3, 4, 5), "fractions division word_problems")
def part_of_amount(draw: Draw) -> Item:
    below = draw.random.choice([2, 3, 4, 5] if draw.grade == 3 else [3, 4, 5, 6, 8])
    above = 1 if draw.grade == 3 else _proper(draw, below)
    amount = below * draw.number(2, 9)
    stem = draw.say("part_of_amount", part=f"{above}/{below}", amount=amount)
    right = Fraction(amount * above, below)
    slips = [Fraction(amount, below), amount - right, Fraction(amount - below)]
    return number_question(draw, stem, right, f"{above}/{below} * {amount}", slips)


@family((4, 5), "fractions mixed_numbers")
def mixed_number(draw: Draw) -> Item:
    below = draw.random.choice([2, 3, 4, 5, 6, 8])
    whole, above = draw.number(1, 6), _proper(draw, below)
    stem = draw.say("mixed_number", number=f"{whole} {above}/{below}", below=below)
    right = whole * below + above
    slips = [whole * above + below, whole + above, whole * below]
    return number_question(
        draw, stem, right, f"{whole} * {below} + {above}", slips, bloom="understand"
    )


@family((5, 6), "fractions decimals")
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


def _decimal(tenths: int, places: int) -> str:
    return write_number(Fraction(tenths, 10**places), mixed=False)


@family((5, 6), "decimals addition subtraction")
def decimal_addition(draw: Draw) -> Item:
    a, b = draw.number(11, 99), draw.number(105, 999)
    one, other = _decimal(a, 1), _decimal(b, 2)
    right = Fraction(a, 10) + Fraction(b, 100)
    # The typical mistake is to align the digits on the right, whatever their places.
    slips: list[Fraction | int] = [
        Fraction(a + b, 100),
        Fraction(a + b, 10),
        right + Fraction(1, 10),
    ]
    return computation(draw, right, f"{one} + {other}", slips, decimal=True)


@family((6,), "decimals multiplication")
def decimal_multiplication(draw: Draw) -> Item:
    a, b = draw.number(2, 99), draw.number(2, 9)
    one, other = _decimal(a, 1), _decimal(b, 1)
    right = Fraction(a * b, 100)
    slips = [Fraction(a * b, 10), Fraction(a * b), Fraction(a + b, 10)]
    return computation(draw, right, f"{one} * {other}", slips, decimal=True)


@family((6,), "fractions multiplication")
def fraction_multiplication(draw: Draw) -> Item:
    b, d = draw.several([2, 3, 4, 5, 6, 8], 2)
    a, c = _proper(draw, b), _proper(draw, d)
    right = Fraction(a, b) * Fraction(c, d)
    slips = [Fraction(a * c, b + d), Fraction(a * d, b * c), Fraction(a, b) + Fraction(c, d)]
    return computation(draw, right, f"{a}/{b} * {c}/{d}", slips)


@family((6,), "fractions division")
def fraction_division(draw: Draw) -> Item:
    b, d = draw.several([2, 3, 4, 5, 6, 8], 2)
    a, c = _proper(draw, b), _proper(draw, d)
    right = Fraction(a, b) / Fraction(c, d)
    slips = [Fraction(a * c, b * d), 1 / right, Fraction(a, b) + Fraction(c, d)]
    return computation(draw, right, f"({a}/{b}) / ({c}/{d})", slips)


@family((6,), "percents")
def percent_of(draw: Draw) -> Item:
    percent, amount = draw.random.choice([5, 10, 20, 25, 40, 50, 75]), draw.number(2, 30) * 20
    stem = draw.say("percent_of", percent=percent, amount=amount)
    right = Fraction(amount * percent, 100)
    slips = whole([amount - right, Fraction(amount) / percent, amount - percent, right * 10])
    return number_question(draw, stem, right, f"{percent}% * {amount}", slips)


@family((6,), "percents word_problems money")
def discount(draw: Draw) -> Item:
    percent, price = draw.random.choice([10, 20, 25, 30, 50]), draw.number(2, 25) * 20
    stem = draw.say("discount", percent=percent, price=price)
    off = Fraction(price * percent, 100)
    check = f"{price} - {percent}% * {price}"
    return number_question(
        draw, stem, price - off, check, [off, price - percent, price + off], unit="shekels"
    )


@family((6,), "ratio word_problems")
def ratio_share(draw: Draw) -> Item:
    a, b = draw.several(range(1, 7), 2)
    total = (a + b) * draw.number(2, 9)
    stem = draw.say("ratio_share", a=a, b=b, total=total)
    right = Fraction(total * a, a + b)
    slips = [total - right, Fraction(total, a + b), Fraction(total - a)]
    return number_question(draw, stem, right, f"{total} * {a} / ({a} + {b})", slips)
