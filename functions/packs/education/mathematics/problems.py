"""Problems of mathematics for a grade and a topic, made of the families."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from packs.education.blocks import Item, Level
from packs.education.key_check import check_problem
from packs.education.mathematics import fractions, measures, numbers
from packs.education.mathematics.family import TEXTS, Draw, Family
from rollcall.core.errors import Internal
from rollcall.core.text import terms

FAMILIES: tuple[Family, ...] = (*numbers.FAMILIES, *fractions.FAMILIES, *measures.FAMILIES)
GRADES = range(1, 7)
_TRIES = 40
_READ = 500
"""Characters of a topic that are looked at."""


_OPERATIONS = frozenset(("addition", "subtraction", "multiplication", "division"))
_FORMS = frozenset(("word_problems",))
_PLAIN = frozenset(
    ("general", "arithmetic", "fractions", "decimals", "percents", "geometry", "equations")
)
"""Topics that are mathematics wherever they are named; "time" is other subjects' too."""


def is_mathematics(topic: str) -> bool:
    """Tell whether a topic is one of mathematics by its words alone."""
    return bool(_named(topic) & (_PLAIN | _OPERATIONS))


def families_for(topic: str, grade: int) -> list[Family]:
    """Return the families of a grade that are about a topic; all of the grade's where the topic
    is mathematics as such, none where it is about something else.

    A topic may name operations ("addition"), what is computed with ("fractions") and a form
    ("word problems"): a family has to have one of each that is named.
    """
    named = _named(topic)
    of_grade = [family for family in FAMILIES if grade in family.grades]
    if named == {"general"}:
        return of_grade
    named -= {"general"}
    if "decimals" in named:
        named -= {"fractions"}  # "שברים עשרוניים" are no others
    groups = [named & _OPERATIONS, named & _FORMS, named - _OPERATIONS - _FORMS]
    if not named:
        return []
    return [
        family for family in of_grade if all(group & family.topics for group in groups if group)
    ]


def topics_of(grade: int, locale: str) -> list[str]:
    """Return a word for each topic that a grade has families for."""
    known = {topic for family in FAMILIES if grade in family.grades for topic in family.topics}
    cues = TEXTS.data(locale, "cues")
    return [words[0].split()[0] for topic, words in cues.items() if topic in known]


def make_problems(
    topic: str,
    *,
    grade: int,
    count: int,
    seed: str,
    locale: str = "he",
    level: Level = "core",
) -> list[Item]:
    """Make problems about a topic, no two alike; fewer where there are no more, none where no
    family is about it.

    Args:
        seed: The same seed makes the same problems.

    Raises:
        Internal: A family made a key that differs from its check.
    """
    families = families_for(topic, grade)
    draw = Draw(Random(seed), grade, locale, level)
    found: dict[str, Item] = {}
    for family in _in_turn(families, count * _TRIES):
        item = family.make(draw)
        if problem := check_problem(item):
            raise Internal(f"{family.id}: {problem}")
        found.setdefault(item.block.stem + repr(item.block.options), item)
        if len(found) == count:
            break
    return list(found.values())


def _in_turn(families: list[Family], tries: int) -> Iterator[Family]:
    for n in range(tries if families else 0):
        yield families[n % len(families)]


def _named(topic: str) -> set[str]:
    known = set(terms(topic[:_READ]))
    return {name for name, words in _topics().items() if known & words}


@cache
def _topics() -> dict[str, frozenset[str]]:
    """The stems of the words that name each topic, of all languages."""
    names = TEXTS.data("en", "cues")
    return {
        name: frozenset(stem for word in TEXTS.words(f"cues.{name}") for stem in terms(word))
        for name in names
    }
