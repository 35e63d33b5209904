"""Families about whole numbers, units and averages that are no rows of the table."""

from __future__ import annotations

from fractions import Fraction

from packs.education.blocks import Item, choices, item
from packs.education.mathematics.family import (
    Draw,
    computation,
    number_question,
    order_question,
    sign_question,
    whole,
)

_CONVERSIONS = {
    3: [("meters", "centimeters", 100), ("hours", "minutes", 60)],
    4: [("kilometers", "meters", 1_000), ("kilograms", "grams", 1_000), ("hours", "minutes", 60)],
    5: [("liters", "milliliters", 1_000), ("kilometers", "meters", 1_000)],
}
_SUMS_UP_TO = {1: 20, 2: 100, 3: 10_000}
_COMPARED_UP_TO = {1: 100, 2: 1_000, 3: 10_000, 4: 1_000_000}
_PLACES = {2: 3, 3: 4, 4: 6}


def subtraction(draw: Draw) -> Item:
    most = _SUMS_UP_TO[draw.grade]
    a = draw.number(most // 4, most)
    b = draw.number(1, a - 1)
    # The typical mistake is to subtract the smaller digit from the larger in each place.
    digits = zip(f"{a}", f"{b:0{len(str(a))}}", strict=True)
    by_digit = int("".join(str(abs(int(one) - int(other))) for one, other in digits))
    return computation(draw, a - b, f"{a} - {b}", [by_digit, a - b + 10, a + b])


def compare_numbers(draw: Draw) -> Item:
    most = _COMPARED_UP_TO[draw.grade]
    a = draw.number(most // 10, most)
    # A number with the same digits, so that the places have to be read.
    swapped = int(str(a)[::-1])
    other = draw.number(most // 10, most)
    near = max(a + draw.random.choice([-10, -1, 1, 10]), 0)
    b = draw.random.choice(draw.by_level([other], [swapped, other, a], [swapped, near, near, a]))
    return sign_question(draw, str(a), str(b), "<" if a < b else ">" if a > b else "=")


def order_numbers(draw: Draw) -> Item:
    most = _COMPARED_UP_TO[draw.grade]
    count = draw.by_level(3, 4, 5)
    least, above = most // 10, most
    if draw.level == "enrichment":  # numbers that differ only in their last places
        least = draw.number(most // 10, most * 4 // 5)
        above = least + most // 10
    found = draw.several(range(least, above), count)
    return order_question(draw, [str(each) for each in found], [Fraction(each) for each in found])


def even_numbers(draw: Draw) -> Item:
    count, most = draw.by_level((4, 30), (5, 100), (7, 1_000))
    evens = draw.several(range(10, most, 2), count // 2 + draw.number(0, 1))
    odds = draw.several(range(11, most, 2), count - len(evens))
    found = evens + odds
    draw.random.shuffle(found)
    options = choices([str(each) for each in found])
    correct = [each.id for each in options if int(each.text) % 2 == 0]
    key = {"correct": correct, "check": "mod(x, 2) = 0", "feedback": draw.say("even_feedback")}
    about = {"options": options, "bloom": "understand", **draw.common}
    return item("multi_choice", draw.say("even_numbers"), key=key, **about)


def place_value(draw: Draw) -> Item:
    places = _PLACES[draw.grade]
    digits = draw.several(range(1, 10), places)
    place = draw.number(0, places - 1)
    number = int("".join(map(str, digits)))
    digit, worth = digits[place], 10 ** (places - 1 - place)
    stem = draw.say("place_value", digit=digit, number=number)
    slips = whole([digit, Fraction(digit * worth, 10), digit * worth * 10 % 10**places, number])
    return number_question(
        draw, stem, digit * worth, f"{digit} * {worth}", slips, bloom="understand"
    )


def order_of_operations(draw: Draw) -> Item:
    a, b, c = draw.number(3, 40), draw.number(2, 9), draw.number(2, 9)
    if draw.grade == 4 or draw.random.random() < 0.5:
        return computation(draw, a + b * c, f"{a} + {b} * {c}", [(a + b) * c, a * b + c, a + b + c])
    right = (a + b) * c - b
    slips = [a + b * c - b, (a + b) * (c - b), a * c + b - b]
    return computation(draw, right, f"({a} + {b}) * {c} - {b}", slips)


def is_it_equal(draw: Draw) -> Item:
    most = draw.by_level(5, 9, 9)
    a, b = draw.number(2, most), draw.number(2, most)
    sign = "+" if draw.grade < 3 else "*"
    right = a + b if sign == "+" else a * b
    shown = draw.random.choice([right, right + 1, right - 1, a * b if sign == "+" else a + b])
    other = str(shown)
    if draw.level == "enrichment":  # a sum on both sides
        part = draw.number(1, max(shown - 1, 1))
        other = f"{part} + {shown - part}"
    check = f"{a} {sign} {b} = {other}"
    stem = draw.say("is_it_equal", statement=check.replace("*", "×"))
    feedback = f"{a} {sign} {b} = {right}".replace("*", "×")
    key = {"truth": shown == right, "check": check, "feedback": feedback}
    return item("true_false", stem, key=key, bloom="apply", **draw.common)


def conversion(draw: Draw) -> Item:
    large, small, factor = draw.random.choice(_CONVERSIONS[draw.grade])
    count = draw.number(2, 9)
    stem = draw.say(
        "conversion",
        count=count,
        large=draw.say(f"units.{large}"),
        small=draw.say(f"units.{small}"),
    )
    slips = [count * factor // 10, count * factor * 10, count + factor]
    return number_question(draw, stem, count * factor, f"{count} * {factor}", slips, unit=small)


def average(draw: Draw) -> Item:
    count = draw.number(3, 5)
    found = draw.several(range(50, 100), count - 1)
    mean = draw.number(60, 90)
    last = mean * count - sum(found)
    if not 40 <= last <= 100:
        found = [mean + n for n in range(1, count)]
        last = mean * count - sum(found)
    found.append(last)
    stem = draw.say("average", numbers=", ".join(map(str, found)))
    check = f"({' + '.join(map(str, found))}) / {count}"
    slips = whole([sum(found), max(found), Fraction(max(found) + min(found), 2)])
    return number_question(draw, stem, mean, check, slips)


FAMILIES = (
    subtraction,
    compare_numbers,
    order_numbers,
    even_numbers,
    place_value,
    order_of_operations,
    is_it_equal,
    conversion,
    average,
)
