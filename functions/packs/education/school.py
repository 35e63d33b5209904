"""Reads grades and subjects in their many spellings.

A grade is stored as its Hebrew letters ("ד"), a subject by its English id ("math"). Arguments
accept any spelling, and a grade under both names, `grade` and `gradeLevel`.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import AliasChoices, BeforeValidator, Field

from packs.education.wording import TEXTS
from rollcall.core.text import fold

GRADES = ("א", "ב", "ג", "ד", "ה", "ו", "ז", "ח", "ט", "י", "יא", "יב")
"""The grades of a school in order: the first is grade 1."""

SubjectId = Literal[
    "math", "hebrew", "english", "bible", "history", "geography", "civics", "science", "physics",
    "chemistry", "biology", "cs", "literature",
]  # fmt: skip

_NUMERALS = {letter: number for number, letter in enumerate("אבגדהוזחטי", 1)}
"""The values of the Hebrew letters that grades use."""
_MARKS = re.compile(r"[\"'׳״’‘“”`.()\-־,:]")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s\"'`.()\-,:]+(?=\d)")
"""Marks between two numbers: "1-2" is not "12"."""
_RANGE = re.compile(r"(?<=[א-ת'׳])\s*[-־–.,:/]\s*(?=[א-ת])")
"""The mark between two grades, as in "ד-ה"."""
_SECTION = re.compile(r"(?<=[א-ת])\s*\d{1,2}$")
"""The class within a grade, as in "ד 2"."""


def read_grade(value: Any) -> Any:
    """Return a grade's letters: "ד" for "ד", "ד׳", 4, "כיתה ד", "grade 4" or "fourth grade".

    Raises:
        ValueError: It is not a grade; the message names the nearest one.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return value
    written = str(value)[:200]
    text = _plain(written, "words.grade_nouns")
    known = _grade_spellings()
    found = known.get(text) or known.get(_SECTION.sub("", text))
    if found is None:
        first, *_ = _RANGE.split(written)
        nearest = _nearest_grade(_plain(first, "words.grade_nouns"))
        values = {"nearest": nearest, "first": GRADES[0], "last": GRADES[-1], "most": len(GRADES)}
        raise ValueError(TEXTS.text("errors.unknown_grade", **values))
    return found


def read_subject(value: Any) -> Any:
    """Return a subject's id: "math" for "math", "Maths", "מתמטיקה" or "חשבון".

    Raises:
        ValueError: It is not a subject; the message names the nearest one.
    """
    if not isinstance(value, str):
        return value
    text = _plain(value, "words.subject_nouns")
    known = _subject_spellings()
    if text not in known:
        nearest = known[_nearest(text, known)]
        every = ", ".join(get_args(SubjectId))
        raise ValueError(TEXTS.text("errors.unknown_subject", nearest=nearest, subjects=every))
    return known[text]


Grade = Annotated[str, BeforeValidator(read_grade)]
Subject = Annotated[SubjectId, BeforeValidator(read_subject)]
AS_GRADE = Field(alias="grade", validation_alias=AliasChoices("grade", "gradeLevel"))
"""For a parameter `grade`: `Annotated[Grade | None, AS_GRADE] = None`."""
AS_GRADE_LEVEL = Field(alias="gradeLevel", validation_alias=AliasChoices("gradeLevel", "grade"))
"""The same for a parameter `grade_level`."""


def grade_number(grade: str) -> int:
    """Return a stored grade's number: 4 for "ד"."""
    return GRADES.index(grade) + 1


def grade_name(grade: str, locale: str) -> str:
    """Return the name of a stored grade: "כיתה ד" or "grade 4"."""
    written = TEXTS.data(locale, "words.grades")[grade_number(grade) - 1]
    return TEXTS.say(locale, "school.grade", grade=written)


def subject_name(subject: str, locale: str) -> str:
    """Return the name of a stored subject."""
    return TEXTS.say(locale, f"school.subjects.{subject}")


def _plain(text: str, nouns: str) -> str:
    """Return a spelling without marks, case, niqqud, and words such as "grade"."""
    text = unicodedata.normalize("NFKD", text[:200])
    text = "".join(char for char in text if not unicodedata.combining(char))
    text = _BETWEEN_DIGITS.sub(" ", fold(text))
    text = _MARKS.sub("", text).lower()
    words = [word for word in text.split() if word not in _folded_words(nouns)]
    return " ".join(words)


@cache
def _folded_words(key: str) -> frozenset[str]:
    return frozenset(map(fold, TEXTS.words(key)))


@cache
def _grade_spellings() -> dict[str, str]:
    found = {fold(grade): grade for grade in GRADES}
    found |= {str(number): grade for number, grade in enumerate(GRADES, 1)}
    for language in TEXTS.languages:
        for grade, ordinal in zip(GRADES, TEXTS.data(language, "words.ordinals"), strict=True):
            found |= {fold(word): grade for word in ordinal.split()}
    return found


@cache
def _subject_spellings() -> dict[str, str]:
    found: dict[str, str] = {}
    for subject in get_args(SubjectId):
        names = [subject]
        for language in TEXTS.languages:
            names.append(TEXTS.say(language, f"school.subjects.{subject}"))
            names += TEXTS.find(language, f"aliases.{subject}") or []
        found |= {_plain(name, "words.subject_nouns"): subject for name in names}
    return found


def _nearest_grade(text: str) -> str:
    if text in _folded_words("words.before_school"):
        return GRADES[0]
    digits = re.search(r"\d+", text)
    number = int(digits[0][:4]) if digits else sum(_NUMERALS.get(each, 0) for each in text)
    if not text or (not digits and not set(text) <= _NUMERALS.keys()):
        known = _grade_spellings()
        return known[_nearest(text, known)]
    return GRADES[min(max(number, 1), len(GRADES)) - 1]


def _nearest(text: str, known: dict[str, str]) -> str:
    return get_close_matches(text[:60], known, 1, cutoff=0)[0]
