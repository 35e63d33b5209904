"""Checks the quality of items: keys, options, wording, accessibility. Pure, for both languages.

Readability is not measured, since no validated formula for Hebrew exists: sentence lengths are only
compared with the teacher's own material for the same grade.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, get_args

from msgspec import Struct

from packs.education.answers import normal_text
from packs.education.arithmetic import value
from packs.education.blocks import Block, Item, Option
from packs.education.generation.wording import TEXTS
from packs.education.key_check import check_problem, size
from packs.education.quantities import read_number
from rollcall.core.text import HEBREW_PREFIXES, sentences

Code = Literal[
    "two_right", "duplicate_option", "duplicate_question", "longest_is_right", "key_differs",
    "missing_alt", "gendered", "bias", "long_sentence",
]  # fmt: skip
ERRORS: frozenset[Code] = frozenset(("two_right", "key_differs", "duplicate_option"))
"""Findings that make an answer wrong or ambiguous; the others are advice."""
CODES: tuple[Code, ...] = get_args(Code)

MIN_CORPUS = 30
"""Least number of sentences in a grade's corpus for a comparison."""
_LONGER = 1.5
_LONGER_CHARS = 12
_SUM = re.compile(r"(?P<sum>[0-9(][0-9+\-−–×*/÷:.()% ]*[0-9)%])\s*=\s*[?_□.]*\s*$")
_OPERATION = re.compile(r"[0-9)%] ?[+\-−–×*/÷:] ?[0-9(]")
_CLAUSE = re.compile(r"[.!?:;\n]+\s*")


class Finding(Struct, frozen=True):
    """A problem of a block. `about` is the text or the option that has it."""

    block_id: str
    code: Code
    about: str


def find_problems(items: dict[str, Item], *, corpus: Sequence[int] = ()) -> list[Finding]:
    """Return the problems of a content's blocks, in their order.

    Args:
        items: By block id.
        corpus: Lengths, in words, of sentences in the same grade's other material.
    """
    found: list[Finding] = []
    seen: dict[str, str] = {}
    # The most words of a usual sentence: 1.5 times the corpus's 90th percentile.
    longest = 0.0
    if len(corpus) >= MIN_CORPUS:
        longest = max(12, _LONGER * sorted(corpus)[len(corpus) * 9 // 10])
    for id, item in items.items():
        block = item.block
        found += [Finding(id, code, about) for code, about in _key_findings(item)]
        alt = normal_text(block.image.alt if block.image else "")
        if block.kind == "image" and (not alt or alt in TEXTS.words("cues.no_alt")):
            found.append(Finding(id, "missing_alt", block.stem[:80]))
        if block.is_question:
            identity = _identity(block)
            if identity in seen:
                found.append(Finding(id, "duplicate_question", seen[identity]))
            seen.setdefault(identity, id)
        texts = [text for text in texts_of(item) if text.strip()]
        for code, cues in _cues().items():
            about = next((hit for text in texts for hit in _hits(cues, text, code)), None)
            if about:
                found.append(Finding(id, code, about))
        if longest and block.source is None:
            wordy = [each for each in sentences(block.stem) if len(each.split()) > longest]
            found += [Finding(id, "long_sentence", each[:120]) for each in wordy[:1]]
    return found


def texts_of(item: Item) -> Iterator[str]:
    """Yield the texts that were written for an item, without those quoted from a source."""
    block, key = item.block, item.key
    if block.kind != "text" or block.source is None:
        yield block.stem
    yield from (option.text for option in (*block.options, *block.targets))
    yield from (cell for row in block.rows for cell in row)
    yield from (side for card in block.cards for side in (card.front, card.back))
    yield from (text for text in (key.feedback, key.hint, key.sample) if text)


def sentence_lengths(items: Sequence[Item]) -> list[int]:
    """Return the lengths, in words, of the sentences of questions."""
    return [
        len(sentence.split())
        for each in items
        if each.block.is_question
        for sentence in sentences(each.block.stem)
    ]


def _key_findings(item: Item) -> Iterator[tuple[Code, str]]:
    block, key = item.block, item.key
    texts = [normal_text(option.text) for option in block.options]
    for place, option in enumerate(block.options):
        if texts[place] in texts[:place]:
            yield "duplicate_option", option.text
    if block.kind == "choice":
        right = next(option for option in block.options if option.id == key.correct[0])
        others = [option for option in block.options if option.id != right.id]
        computed = key.check is not None
        twin = next((each for each in others if _one_answer(each, right, computed)), None)
        if twin:
            yield "two_right", twin.text
        lengths = [len(each.text) for each in others]
        if (
            len(right.text) > _LONGER * max(lengths)
            and len(right.text) >= max(lengths) + _LONGER_CHARS
        ):
            yield "longest_is_right", right.text
        if twin:
            return  # the check would report the same
    problem = check_problem(item) or stem_problem(item)
    if problem:
        yield "key_differs", problem


def _one_answer(one: Option, other: Option, computed: bool) -> bool:
    """Whether two options are equal: as texts, or as numbers where the key is computed. Without a
    computed key the form may matter: which of 2/4 and 1/2 is reduced."""
    if normal_text(one.text) == normal_text(other.text):
        return True
    if not computed:
        return False
    try:
        return size(one.text) == size(other.text)
    except ValueError:
        return False


def stem_problem(item: Item) -> str | None:
    """Return how a key differs from the arithmetic that its question ends in; None if it agrees."""
    block, key = item.block, item.key
    match = _SUM.search(block.stem)
    if match is None or not _OPERATION.search(match["sum"]):
        return None
    try:
        right = value(match["sum"])
        if block.kind == "numeric":
            wrong = read_number(key.value or "") != right
        elif block.kind == "choice":
            chosen = next(each for each in block.options if each.id == key.correct[0])
            wrong = size(chosen.text) != right
        else:
            return None
    except ValueError:
        return None
    return f"{match['sum']} = {right}" if wrong else None


def _identity(block: Block) -> str:
    """Return a key that repeated questions share: their wording and options."""
    options = sorted(normal_text(each.text) for each in (*block.options, *block.targets))
    # Without niqqud and extra space; signs stay, since 7 − 2 is not 7 + 2.
    stem = re.sub(r"[\u0591-\u05c7\u200e\u200f\u2066-\u2069]", "", block.stem)
    return repr((" ".join(stem.split()).casefold().rstrip(" .?=:"), options))


Cues = tuple[frozenset[str], tuple[str, ...]]
"""Single words, and phrases."""


@cache
def _cues() -> dict[Code, Cues]:
    return {
        "gendered": (
            frozenset(map(normal_text, TEXTS.words("cues.gendered"))),
            tuple(map(normal_text, sorted(TEXTS.phrases("cues.gendered_phrases")))),
        ),
        "bias": (frozenset(), tuple(map(normal_text, sorted(TEXTS.phrases("cues.bias"))))),
    }


def _hits(cues: Cues, text: str, code: Code) -> Iterator[str]:
    """Yield the cues in a text: words that open a clause or are joined to one by ו, and phrases
    anywhere, with Hebrew prefix letters."""
    opening, phrases = cues
    for clause in _CLAUSE.split(text):
        words = normal_text(clause).split()
        for place, word in enumerate(words):
            opens = place == 0 and word in opening
            if opens or (place and word[0] == "ו" and word[1:] in opening):
                yield word
    plain = f" {normal_text(text)} "
    glued = "" if code == "gendered" else f"[{''.join(sorted(HEBREW_PREFIXES))}]{{0,2}}"
    for phrase in phrases:
        if re.search(rf" {glued}{re.escape(phrase)} ", plain):
            yield phrase
