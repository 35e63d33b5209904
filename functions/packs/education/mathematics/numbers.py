"""Families about whole numbers: reading, comparing, computing, and word problems."""

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

FAMILIES, family = family_list()

_SUMS_UP_TO = {1: 20, 2: 100, 3: 10_000}
_COMPARED_UP_TO = {1: 100, 2: 1_000, 3: 10_000, 4: 1_000_000}
_PLACES = {2: 3, 3: 4, 4: 6}


@family((1, 2, 3), "addition arithmetic")
def addition(draw: Draw) -> Item:
    most = _SUMS_UP_TO[draw.grade]
    a = draw.number(most // 20 + 1, most * 3 // 4)
    b = draw.number(1, most - a)
    return computation(draw, a + b, f"{a} + {b}", [a + b - 10, abs(a - b), a + b + 1])


@family((1, 2, 3), "subtraction arithmetic")
def subtraction(draw: Draw) -> Item:
    most = _SUMS_UP_TO[draw.grade]
    a = draw.number(most // 4, most)
    b = draw.number(1, a - 1)
    # The typical mistake is to subtract the smaller digit from the larger in each place.
    digits = zip(f"{a}", f"{b:0{len(str(a))}}", strict=True)
    by_digit = int("".join(str(abs(int(one) - int(other))) for one, other in digits))
    return computation(draw, a - b, f"{a} - {b}", [by_digit, a - b + 10, a + b])


@family((1, 2), "addition subtraction arithmetic equations")
def missing_addend(draw: Draw) -> Item:
    total = draw.number(6, _SUMS_UP_TO[draw.grade])
    a = draw.number(1, total - 1)
    stem = draw.say("missing_addend", a=a, total=total)
    return number_question(
        draw, stem, total - a, f"{total} - {a}", [total + a, total - a + 1, total]
    )


@family((1, 2, 3, 4), "numbers comparing")
def compare_numbers(draw: Draw) -> Item:
    most = _COMPARED_UP_TO[draw.grade]
    a = draw.number(most // 10, most)
    # A number with the same digits, so that the places have to be read.
    swapped = int(str(a)[::-1])
    other = draw.number(most // 10, most)
    near = max(a + draw.random.choice([-10, -1, 1, 10]), 0)
    b = draw.random.choice(draw.by_level([other], [swapped, other, a], [swapped, near, near, a]))
    return sign_question(draw, str(a), str(b), "<" if a < b else ">" if a > b else "=")


@family((1, 2, 3), "numbers comparing")
def order_numbers(draw: Draw) -> Item:
    most = _COMPARED_UP_TO[draw.grade]
    count = draw.by_level(3, 4, 5)
    least, above = most // 10, most
    if draw.level == "enrichment":  # numbers that differ only in their last places
        least = draw.number(most // 10, most * 4 // 5)
        above = least + most // 10
    found = draw.several(range(least, above), count)
    return order_question(draw, [str(each) for each in found], [Fraction(each) for each in found])


@family((2, 3), "numbers")
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


@family((2, 3, 4), "numbers places")
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


@family((4, 5), "numbers rounding")
def rounding(draw: Draw) -> Item:
    to = draw.random.choice([10, 100, 1_000] if draw.grade == 4 else [100, 1_000, 10_000])
    number = draw.number(to * 2, to * 90)
    down = number // to * to
    right = down + to if number - down >= to / 2 else down
    stem = draw.say("rounding", number=number, to=to)
    slips = [down if right != down else down + to, right + to, number // 10 * 10]
    check, feedback = f"round({number}, {to})", f"{number} ≈ {right}"
    return number_question(draw, stem, right, check, slips, feedback=feedback)


@family((2, 3), "multiplication arithmetic")
def multiplication_table(draw: Draw) -> Item:
    a = draw.random.choice([2, 3, 4, 5, 10]) if draw.grade == 2 else draw.number(3, 9)
    b = draw.number(2, 10)
    return computation(draw, a * b, f"{a} * {b}", [a * (b - 1), a * (b + 1), a + b])


@family((3,), "division arithmetic")
def division_table(draw: Draw) -> Item:
    a, b = draw.number(2, 10), draw.number(2, 10)
    return computation(draw, a, f"{a * b} / {b}", [a + 1, a - 1, a * b - b])


@family((4, 5), "multiplication arithmetic")
def long_multiplication(draw: Draw) -> Item:
    a = draw.number(12, 99) if draw.grade == 4 else draw.number(102, 999)
    b = draw.number(11, 49)
    # The typical mistake is not to shift the second row of the written multiplication.
    unmoved = a * (b % 10) + a * (b // 10)
    return computation(draw, a * b, f"{a} * {b}", [unmoved, a * b + 10, a * (b - 1)])


@family((4, 5), "division arithmetic")
def long_division(draw: Draw) -> Item:
    b = draw.number(3, 9) if draw.grade == 4 else draw.number(11, 25)
    quotient = draw.number(21, 160)
    slips = [quotient + 10, quotient - 1, quotient // 10]
    return computation(draw, quotient, f"{quotient * b} / {b}", slips)


@family((3, 4), "division arithmetic remainder")
def remainder(draw: Draw) -> Item:
    by = draw.number(3, 9)
    quotient, rest = draw.number(3, 12), draw.number(1, by - 1)
    number = by * quotient + rest
    stem = draw.say("remainder", number=number, by=by)
    check, slips = f"mod({number}, {by})", [quotient, by - rest, 0]
    feedback = f"{number} = {by} × {quotient} + {rest}"
    return number_question(draw, stem, rest, check, slips, feedback=feedback)


@family((4, 5, 6), "order_of_operations arithmetic")
def order_of_operations(draw: Draw) -> Item:
    a, b, c = draw.number(3, 40), draw.number(2, 9), draw.number(2, 9)
    if draw.grade == 4 or draw.random.random() < 0.5:
        return computation(draw, a + b * c, f"{a} + {b} * {c}", [(a + b) * c, a * b + c, a + b + c])
    right = (a + b) * c - b
    slips = [a + b * c - b, (a + b) * (c - b), a * c + b - b]
    return computation(draw, right, f"({a} + {b}) * {c} - {b}", slips)


@family((1, 2), "addition word_problems")
def story_together(draw: Draw) -> Item:
    most = _SUMS_UP_TO[draw.grade]
    a, b = draw.number(2, most // 2), draw.number(2, most // 2)
    stem = draw.say(f"story_together.{draw.number(1, 3)}", a=a, b=b)
    return number_question(draw, stem, a + b, f"{a} + {b}", [abs(a - b), a + b + 1, a + b - 10])


@family((1, 2), "subtraction word_problems")
def story_left(draw: Draw) -> Item:
    a = draw.number(8, _SUMS_UP_TO[draw.grade])
    b = draw.number(2, a - 2)
    stem = draw.say(f"story_left.{draw.number(1, 3)}", a=a, b=b)
    return number_question(draw, stem, a - b, f"{a} - {b}", [a + b, a - b + 1, b])


@family((2, 3), "multiplication word_problems")
def story_groups(draw: Draw) -> Item:
    a, b = draw.number(2, 9), draw.number(2, 5 if draw.grade == 2 else 9)
    stem = draw.say(f"story_groups.{draw.number(1, 3)}", a=a, b=b)
    return number_question(draw, stem, a * b, f"{a} * {b}", [a + b, a * b + a, a * b - b])


@family((3, 4), "division word_problems")
def story_sharing(draw: Draw) -> Item:
    by, each = draw.number(2, 9), draw.number(3, 10 if draw.grade == 3 else 40)
    stem = draw.say(f"story_sharing.{draw.number(1, 2)}", a=by * each, b=by)
    return number_question(draw, stem, each, f"{by * each} / {by}", [by * each - by, each + 1, by])


@family((3, 4), "subtraction multiplication word_problems money")
def story_change(draw: Draw) -> Item:
    count, price = draw.number(2, 6), draw.number(3, 9 if draw.grade == 3 else 24)
    paid = (count * price // 50 + 1) * 50
    stem = draw.say("story_change", count=count, price=price, paid=paid)
    right = paid - count * price
    slips = [count * price, paid - price, paid - count - price]
    return number_question(draw, stem, right, f"{paid} - {count} * {price}", slips, unit="shekels")


@family((1, 2, 3, 4), "arithmetic equations")
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
