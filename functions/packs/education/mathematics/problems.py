"""Makes problems of mathematics for a grade and a topic from the families."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from random import Random

from msgspec.structs import replace

from packs.education.blocks import Item, Level
from packs.education.key_check import check_problem
from packs.education.mathematics import fractions, numbers
from packs.education.mathematics.family import TEXTS, Draw, Family, row_question
from rollcall.core.errors import Internal
from rollcall.core.records import decode
from rollcall.core.text import terms

GRADES = range(1, 7)
_TRIES = 40
_READ = 500
"""Most characters of a topic that are read."""


_OPERATIONS = frozenset(("addition", "subtraction", "multiplication", "division"))
_FORMS = frozenset(("word_problems",))
_OTHERS = frozenset(
    (
        "time",
        "money",
        "numbers",
        "places",
        "ratio",
        "scale",
        "data",
        "speed",
        "expanding",
        "comparing",
    )
)
"""Topics whose words are used in other subjects too."""


def is_mathematics(topic: str) -> bool:
    """Tell whether a topic is mathematics by its words: a plain word such as "fractions" anywhere,
    or only words of mathematics, as in "area and perimeter"."""
    words = _words_of(topic)
    others = {stem for name in _OTHERS for stem in _topics()[name]}
    every = {stem for stems in _topics().values() for stem in stems}
    is_all = words <= every | _stems("words.neutral")
    return bool(words & _stems("words.plain")) or (is_all and bool(words & every - others))


@cache
def all_families() -> tuple[Family, ...]:
    """Return the families of the table, in its order."""
    path = Path(__file__).parents[1] / "data" / "families.json"
    rows = decode(path.read_bytes(), dict[str, Family])
    return tuple(replace(row, id=id) for id, row in rows.items())


def make_problem(family: Family, draw: Draw) -> Item:
    """Make a problem of a family."""
    in_code = {make.__name__: make for make in (*numbers.FAMILIES, *fractions.FAMILIES)}
    return row_question(family, draw) if family.check else in_code[family.id](draw)


def families_for(topic: str, grade: int) -> list[Family]:
    """Return the families of a grade that are about a topic: all of the grade's if the topic is
    mathematics in general, none if it is about something else.

    A topic may name operations ("addition"), objects ("fractions") and a form ("word problems"): a
    family must have at least one of each group that is named.
    """
    words = _words_of(topic)
    named = {name for name, stems in _topics().items() if stems & words} - {"general"}
    of_grade = [family for family in all_families() if grade in family.grades]
    if words and words <= _stems("words.neutral") | _topics()["general"]:
        return of_grade
    if "decimals" in named:
        named -= {"fractions"}  # "שברים עשרוניים" (decimals) has the word for fractions
    groups = [named & _OPERATIONS, named & _FORMS, named - _OPERATIONS - _FORMS]
    if not named:
        return []
    return [
        family for family in of_grade if all(group & family.topics for group in groups if group)
    ]


def topics_of(grade: int, locale: str) -> list[str]:
    """Return a word for each topic that a grade has families for."""
    known = {
        topic for family in all_families() if grade in family.grades for topic in family.topics
    }
    cues = TEXTS.data(locale, "cues")
    return [words[0].split()[0] for topic, words in cues.items() if topic in known]


def make_problems(
    topic: str,
    *,
    grade: int,
    count: int,
    seed: str,
    locale: str = "he",
    levels: Sequence[Level] = ("core",),
) -> list[Item]:
    """Make problems about a topic, all different; there may be fewer than `count`, and none where
    no family is about it.

    Args:
        seed: The same seed makes the same problems.
        levels: Levels in order; each gets an equal share of the problems.

    Raises:
        Internal: A family made a key that differs from its check.
    """
    families = families_for(topic, grade)
    found: dict[str, Item] = {}
    for place, level in enumerate(levels):
        wanted = len(found) + (count - len(found)) // (len(levels) - place)
        draw = Draw(Random(f"{seed}{level}"), grade, locale, level)
        for family in islice(cycle(families), count * _TRIES):
            if len(found) == wanted:
                break
            item = make_problem(family, draw)
            if problem := check_problem(item):
                raise Internal(f"{family.id}: {problem}")
            # A stem with numbers identifies the question, whether its answer is chosen or written.
            is_whole = any(map(str.isdigit, item.block.stem))
            found.setdefault(item.block.stem + ("" if is_whole else repr(item.block.options)), item)
    return list(found.values())


def _words_of(topic: str) -> set[str]:
    """Return the stems of a topic's words, without numbers."""
    return {stem for stem in terms(topic[:_READ]) if not stem.isdigit()}


@cache
def _topics() -> dict[str, frozenset[str]]:
    """Return the stems of the words that name each topic, in all languages."""
    return {name: _stems(f"cues.{name}") for name in TEXTS.data("en", "cues")}


@cache
def _stems(key: str) -> frozenset[str]:
    return frozenset(stem for word in TEXTS.words(key) for stem in terms(word))
