"""1,000 problems of mathematics, solved again from their wording by code that knows no family's.

Numbers are read out of the question as a pupil reads them; an expression is computed by Python
itself. Counted are keys that agree, questions with one right option, options that all differ, and
fractions that a grade can work with.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from random import Random

from packs.education.blocks import Item
from packs.education.mathematics.family import Draw, Family
from packs.education.mathematics.problems import all_families, make_problem
from tests.evals.report import EvalResult, share, table

COUNT = 1_000
_NUMBER = re.compile(r"\d+ \d+/\d+|\d+/\d+|\d+\.\d+|\d+")
_EXPRESSION = re.compile(r": (?P<expression>[\d+−×:()/. ]+) =$")

SOLVERS: dict[str, Callable[..., Fraction]] = {
    "missing_addend": lambda a, total: total - a,
    "place_value": lambda digit, n: digit * 10 ** (len(str(n)) - 1 - str(n).index(str(digit))),
    "rounding": lambda n, to: min((to * k for k in range(1000)), key=lambda m: (abs(m - n), -m)),
    "remainder": lambda n, by: n - by * (n // by),
    "story_together": lambda a, b: a + b,
    "story_left": lambda a, b: a - b,
    "story_groups": lambda a, b: a * b,
    "story_sharing": lambda a, b: a / b,
    "story_change": lambda price, count, paid: paid - price * count,
    "part_of_amount": lambda part, amount: amount * part,
    "mixed_number": lambda number, below: number * below,
    "percent_of": lambda percent, amount: amount / 100 * percent,
    "discount": lambda price, percent: price * (100 - percent) / 100,
    "ratio_share": lambda total, a, b: total / (a + b) * a,
    "rectangle_perimeter": lambda a, b: a + b + a + b,
    "rectangle_area": lambda a, b: a * b,
    "triangle_area": lambda base, height: base / 2 * height,
    "box_volume": lambda a, b, c: c * b * a,
    "minutes_between": lambda h, m, end_h, end_m: (end_h * 60 + end_m) - (h * 60 + m),
    "average": lambda *numbers: sum(numbers) / Fraction(len(numbers)),
    "distance": lambda speed, hours: speed * hours,
    "map_scale": lambda one, scale, length: scale * length / 100,
}
"""What a question's numbers come to, in the order of its Hebrew wording."""
_CONVERTED = {
    ("מטרים", "ס״מ"): 100, ("שעות", "דקות"): 60, ("ק״מ", "מטרים"): 1000,
    ("ק״ג", "גרמים"): 1000, ("ליטרים", "מ״ל"): 1000,
}  # fmt: skip


def draw_items(count: int, seed: str) -> list[tuple[Family, int, Item]]:
    """Items of all families in turn, each for a grade of its own, by family and grade."""
    random = Random(seed)
    found = []
    for n in range(count):
        family = all_families()[n % len(all_families())]
        grade = random.choice(family.grades)
        level = random.choice(["support", "core", "enrichment"])
        found.append((family, grade, make_problem(family, Draw(random, grade, "he", level))))
    return found


def problems_of(family: Family, grade: int, item: Item) -> list[str]:
    """What is wrong with an item, by another way than it was made; nothing where it is right."""
    block, key = item.block, item.key
    texts = [option.text for option in block.options]
    wrong = []
    if len(set(texts)) < len(texts):
        wrong.append("options")
    if not _grade_can(family, grade, block.stem, texts):
        wrong.append("grade")
    sizes = {option.id: _size(option.text) for option in block.options}
    if block.kind == "numeric":
        assert key.value
        wrong += ["key"] * (_size(key.value) != _solved(family, block.stem))
    elif block.kind == "true_false":
        left, _, right = block.stem.partition("? ")[2].partition("=")
        wrong += ["key"] * ((_computed(left) == _computed(right)) is not key.truth)
    elif block.kind == "multi_choice":
        even = {id for id, size in sizes.items() if int(size or 1) % 2 == 0}
        wrong += ["key"] * (even != set(key.correct))
    elif block.kind == "order":
        wrong += ["key"] * (sorted(sizes, key=lambda id: sizes[id] or 0) != key.correct)
        wrong += ["one right"] * (len(set(sizes.values())) < len(sizes))
    elif block.kind == "match":
        targets = {target.id: Fraction(target.text) for target in block.targets}
        wrong += ["key"] * any(targets[key.pairs[id]] != size for id, size in sizes.items())
        wrong += ["one right"] * (len(set(targets.values())) < len(targets))
    elif block.kind == "cloze":
        above, below, _, other = map(int, re.findall(r"\d+", block.stem))
        wrong += ["key"] * (Fraction(int(key.gaps["1"][0]), other) != Fraction(above, below))
    elif "□" in block.stem and texts == ["<", "=", ">"]:
        left, right = (
            _size(text) or Fraction(0) for text in block.stem.partition("? ")[2].split("□")
        )
        sign = "<" if left < right else ">" if left > right else "="
        wrong += ["key"] * (texts[ord(key.correct[0]) - ord("a")] != sign)
    else:
        answer = _solved(family, block.stem)
        right_ones = [id for id, size in sizes.items() if size == answer]
        wrong += ["key"] * (right_ones[:1] != key.correct) + ["one right"] * (len(right_ones) != 1)
    return wrong


def measure(count: int = COUNT, seed: str = "1") -> EvalResult:
    """Make items, solve them again, and count what agrees."""
    wrong: dict[str, int] = dict.fromkeys(("key", "one right", "options", "grade"), 0)
    notes = []
    for family, grade, item in draw_items(count, seed):
        for what in problems_of(family, grade, item):
            wrong[what] += 1
            notes.append(f"{what}: {family.id}, grade {grade}: {item.block.stem}")
    figures = {what: share(count - found, count) for what, found in wrong.items()}
    rows = [[what, count, figures[what]] for what in wrong]
    made = table("Mathematics, solved again", ["what", "items", "right"], rows)
    return EvalResult([made], {"items": count, "families": len(all_families()), **figures}, notes)


def _solved(family: Family, stem: str) -> Fraction:
    if match := _EXPRESSION.search(stem):
        return _computed(match["expression"])
    if family.id == "conversion":
        numbers = [Fraction(text) for text in _NUMBER.findall(stem)]
        [factor] = [
            each for (large, small), each in _CONVERTED.items()
            if stem.endswith(f" {large}?") and f"כמה {small} " in stem
        ]  # fmt: skip
        return numbers[0] * factor
    return Fraction(SOLVERS[family.id](*(_size(text) for text in _NUMBER.findall(stem))))


def _size(text: str) -> Fraction | None:
    """The first number of a text."""
    match = _NUMBER.search(text)
    if match is None:
        return None
    whole, _, part = match[0].rpartition(" ")
    return Fraction(part) + Fraction(whole or 0)


def _computed(expression: str) -> Fraction:
    """An expression's value by Python's own arithmetic over exact numbers."""
    fractions = re.sub(r"\d+/\d+|\d+\.\d+|\d+", lambda match: f"Fraction('{match[0]}')", expression)
    code = fractions.replace("×", "*").replace("−", "-").replace(":", "/")
    assert re.fullmatch(r"(Fraction\('[\d./]+'\)|[-+*/() ])+", code), expression
    return Fraction(eval(code, {"Fraction": Fraction}))


def _grade_can(family: Family, grade: int, stem: str, options: list[str]) -> bool:
    """Whether a grade works with such numbers: denominators of grade 4 are equal or one is a
    multiple of the other, the first two grades stay below 1,000 and see no fractions."""
    texts = [stem, *options] if family.id.startswith(("compare", "order")) else [stem]
    below = [int(found) for text in texts for found in re.findall(r"\d+/(\d+)", text)]
    if grade not in family.grades or (grade < 3 and below):
        return False
    numbers = [int(each) for each in re.findall(r"\d+", " ".join([stem, *options]))]
    if grade < 3 and max(numbers) > 1_000:
        return False
    return grade != 4 or all(max(below) % each == 0 for each in below)
