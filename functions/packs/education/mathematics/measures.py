"""Families about shapes, units, time, speed and averages."""

from __future__ import annotations

from fractions import Fraction

from packs.education.blocks import Item
from packs.education.mathematics.family import Draw, family_list, number_question, whole

FAMILIES, family = family_list()

_CONVERSIONS = {
    3: [("meters", "centimeters", 100), ("hours", "minutes", 60)],
    4: [("kilometers", "meters", 1_000), ("kilograms", "grams", 1_000), ("hours", "minutes", 60)],
    5: [("liters", "milliliters", 1_000), ("kilometers", "meters", 1_000)],
}


@family((3, 4), "geometry perimeter")
def rectangle_perimeter(draw: Draw) -> Item:
    a, b = draw.several(range(3, 15 if draw.grade == 3 else 60), 2)
    stem = draw.say("rectangle_perimeter", a=a, b=b)
    check = f"2 * ({a} + {b})"
    return number_question(
        draw, stem, 2 * (a + b), check, [a + b, a * b, 2 * a + b], unit="centimeters"
    )


@family((4, 5), "geometry area")
def rectangle_area(draw: Draw) -> Item:
    a, b = draw.several(range(3, 12 if draw.grade == 4 else 30), 2)
    stem = draw.say("rectangle_area", a=a, b=b)
    slips = [2 * (a + b), a + b, a * b * 2]
    return number_question(draw, stem, a * b, f"{a} * {b}", slips, unit="square_centimeters")


@family((5, 6), "geometry area")
def triangle_area(draw: Draw) -> Item:
    base, height = draw.number(2, 12) * 2, draw.number(3, 15)
    stem = draw.say("triangle_area", base=base, height=height)
    slips = [base * height, base + height, 2 * base * height]
    check = f"{base} * {height} / 2"
    return number_question(draw, stem, base * height // 2, check, slips, unit="square_centimeters")


@family((5, 6), "geometry volume")
def box_volume(draw: Draw) -> Item:
    a, b, c = draw.several(range(2, 12), 3)
    stem = draw.say("box_volume", a=a, b=b, c=c)
    slips = [a + b + c, 2 * (a * b + b * c + a * c), a * b]
    return number_question(
        draw, stem, a * b * c, f"{a} * {b} * {c}", slips, unit="cubic_centimeters"
    )


@family((3, 4, 5), "measurement units")
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


@family((3, 4), "measurement time")
def minutes_between(draw: Draw) -> Item:
    hour, minute = draw.number(8, 12), draw.number(1, 11) * 5
    took = draw.number(5, 23) * 5
    end_hour, end_minute = divmod(hour * 60 + minute + took, 60)
    start, end = f"{hour}:{minute:02}", f"{end_hour}:{end_minute:02}"
    stem = draw.say("minutes_between", start=start, end=end)
    check = f"({end_hour} - {hour}) * 60 + {end_minute} - {minute}"
    # Typical mistakes: an hour of 100 minutes, or the minutes only.
    slips = [(end_hour - hour) * 100 + end_minute - minute, abs(end_minute - minute), took + 60]
    return number_question(draw, stem, took, check, slips, unit="minutes")


@family((5, 6), "average data")
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


@family((6,), "measurement speed word_problems")
def distance(draw: Draw) -> Item:
    speed, hours = draw.number(4, 24) * 5, draw.number(2, 6)
    stem = draw.say("distance", speed=speed, hours=hours)
    slips = [speed + hours, speed * (hours - 1), speed // 5]
    return number_question(
        draw, stem, speed * hours, f"{speed} * {hours}", slips, unit="kilometers"
    )


@family((6,), "ratio scale measurement")
def map_scale(draw: Draw) -> Item:
    scale, length = draw.random.choice([1_000, 2_000, 5_000, 10_000]), draw.number(2, 15)
    stem = draw.say("map_scale", scale=scale, length=length)
    right = Fraction(scale * length, 100)
    slips = whole([scale * length, right * 10, right / 10])
    return number_question(draw, stem, right, f"{length} * {scale} / 100", slips, unit="meters")
