"""Checks a pupil's answer to a block against its key; pure, and on the server only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pydantic import Field

from packs.education.blocks import GAP, Block, Key, Option
from packs.education.quantities import (
    MAX_DIGITS,
    find_unit,
    plain_numbers,
    read_number,
    read_quantity,
    same_unit,
)
from packs.education.wording import TEXTS
from rollcall.core.errors import InvalidArgument
from rollcall.core.shapes import Wire
from rollcall.core.text import fold
from rollcall.core.texts import Text

MAX_TEXT = 10_000
# Without the sign of a number and the point within one.
_PUNCTUATION = re.compile(
    r"(?:(?!(?<!\w)-[0-9]|(?<=[0-9])\.[0-9])[\s\"'`.,;:!?()\[\]\-–—־׳״“”‘’…])+"
)
_MINUS = re.compile(r"(?<!\w)[\u2212–](?=[0-9])")
_QUOTES = re.compile(r"[\"'`׳״“”‘’]")


class AnswerCheck(Wire):
    """The result of checking an answer.

    Attributes:
        correct: Whether all of it is right; None where a person has to judge (open).
        points: Of the block's points, rounded to a hundredth; None where `correct` is. A match, an
            order, a cloze and a multi_choice give a share for each right part.
        parts: Which parts are right, by a match's option id or a cloze's gap number.
    """

    correct: bool | None
    points: float | None = None
    parts: dict[str, bool] = Field(default_factory=dict)


def check_answer(block: Block, key: Key, answer: Any) -> AnswerCheck:
    """Check an answer in its JSON form.

    Answers are: choice, an option's id; multi_choice, a list of ids; true_false, true or false;
    match, `{option id: target id}`; order, all ids in order; cloze, `{gap number: text}` or the
    texts in order; numeric, a number or a text such as "3/4" or "2.5 cm"; open, a text.

    Raises:
        InvalidArgument: The answer has another shape, or the block is not a question.
    """
    match block.kind:
        case "choice":
            ids = [option.id for option in block.options]
            if not isinstance(answer, str) or answer not in ids:
                raise _wrong(f"one of the options' ids {ids}", answer)
            return _result(block, Fraction(answer == key.correct[0]))
        case "multi_choice":
            return _multi_choice(block, key, answer)
        case "true_false":
            if not isinstance(answer, bool):
                raise _wrong("true or false", answer)
            return _result(block, Fraction(answer is key.truth))
        case "match":
            return _match(block, key, answer)
        case "order":
            return _order(block, key, answer)
        case "cloze":
            return _cloze(block, key, answer)
        case "numeric":
            return _result(block, Fraction(_is_value(block, key, answer)))
        case "open":
            _text(answer)
            return AnswerCheck(correct=None)
    raise InvalidArgument(f"a block of kind {block.kind} is not answered", field="blockId")


def same_text(one: str, other: str) -> bool:
    """Tell whether two answers are the same, ignoring niqqud, final letters, case, spacing and
    punctuation. Numbers are compared by value, fractions as written: 2/4 is not the reduced 1/2."""
    one, other = plain_numbers(one), plain_numbers(other)
    if "/" not in one + other:
        try:
            return read_number(one) == read_number(other)
        except ValueError:  # one of them is not a number
            pass
    return normal_text(one) == normal_text(other)


def normal_text(text: str) -> str:
    """Return a text in the form in which answers are compared."""
    kept = unicodedata.normalize("NFKD", text)
    kept = "".join(
        char
        for char in kept
        if not unicodedata.combining(char) and unicodedata.category(char) != "Cf"
    )
    kept = _MINUS.sub("-", kept)
    bare = _PUNCTUATION.sub(" ", _QUOTES.sub("", kept)).strip()
    # A text of signs only, such as "<" or "-", is compared unchanged.
    return fold((bare or " ".join(kept.split())).casefold())


def _multi_choice(block: Block, key: Key, answer: Any) -> AnswerCheck:
    chosen = set(_ids(block.options, answer, whole=False))
    right = set(key.correct)
    wrong_count = len(block.options) - len(right)
    # Choosing everything scores 0: the wrong options together cost what the right ones give.
    score = Fraction(len(chosen & right), len(right))
    if chosen - right:
        score -= Fraction(len(chosen - right), wrong_count)
    return _result(block, max(score, Fraction(0)))


def _match(block: Block, key: Key, answer: Any) -> AnswerCheck:
    if not isinstance(answer, dict) or not all(isinstance(each, str) for each in answer.values()):
        raise _wrong("an object {option id: target id}", answer)
    unknown = set(answer) - {option.id for option in block.options}
    unknown |= set(answer.values()) - {target.id for target in block.targets}
    if unknown:
        raise _wrong("ids of this block's options and targets", sorted(map(str, unknown)))
    return _parts(block, {each: answer.get(each) == target for each, target in key.pairs.items()})


def _order(block: Block, key: Key, answer: Any) -> AnswerCheck:
    given = _ids(block.options, answer, whole=True)
    pairs = [(a, b) for n, a in enumerate(key.correct) for b in key.correct[n + 1 :]]
    place = {each: n for n, each in enumerate(given)}
    in_order = sum(place[a] < place[b] for a, b in pairs)
    return _result(block, Fraction(in_order, len(pairs)))


def _cloze(block: Block, key: Key, answer: Any) -> AnswerCheck:
    gaps = GAP.findall(block.stem)
    if isinstance(answer, list) and len(answer) == len(gaps):
        answer = dict(zip(gaps, answer, strict=True))
    if not isinstance(answer, dict) or not set(answer) <= set(gaps):
        raise _wrong(f"an object {{gap number: text}}, or {len(gaps)} texts in order", answer)
    texts = {gap: _text(text) for gap, text in answer.items()}
    return _parts(
        block,
        {gap: any(same_text(texts.get(gap, ""), each) for each in key.gaps[gap]) for gap in gaps},
    )


def _is_value(block: Block, key: Key, answer: Any) -> bool:
    if isinstance(answer, bool) or not isinstance(answer, int | float | str):
        raise _wrong(TEXTS.text("errors.wanted.quantity"), answer)
    try:
        given = read_quantity(answer if isinstance(answer, str) else _decimal(answer))
    except ValueError as error:
        raise InvalidArgument(error.args[0], field="answer") from error
    value, right = given.value, read_number(key.value or "")
    unit = block.unit or ""
    if given.unit and not (unit and same_unit(given.unit, unit)):
        written, wanted = find_unit(given.unit), find_unit(unit)
        factor: Fraction | None = None
        if written and wanted and written.kind == wanted.kind:
            factor = written.factor / wanted.factor
        elif written and written.kind == "share" and not unit:
            factor = Fraction(1, 100)  # "75%" is 3/4
        if factor is None and not unit:
            raise _wrong(TEXTS.text("errors.wanted.without_unit"), answer)
        if factor is None:
            return False
        value *= factor
    return value == right


def _decimal(answer: float) -> str:
    """Write a JSON number without an exponent, which a quantity does not have."""
    if answer != answer or answer in (float("inf"), float("-inf")):
        raise _wrong("a number", str(answer))
    if isinstance(answer, int):
        if abs(answer) >= 10**MAX_DIGITS:
            raise _wrong(f"a number of at most {MAX_DIGITS} digits", "a longer one")
        return str(answer)
    return format(answer, ".12f").rstrip("0").rstrip(".")


def _ids(options: Sequence[Option], answer: Any, *, whole: bool) -> list[str]:
    ids = [option.id for option in options]
    wanted = f"each of the ids {ids} once, in order" if whole else f"a list of ids out of {ids}"
    if not isinstance(answer, list) or not all(isinstance(each, str) for each in answer):
        raise _wrong(wanted, answer)
    if len(set(answer)) < len(answer) or not set(answer) <= set(ids):
        raise _wrong(wanted, answer)
    if whole and len(answer) < len(ids):
        raise _wrong(wanted, answer)
    return answer


def _text(answer: Any) -> str:
    if not isinstance(answer, str) or len(answer) > MAX_TEXT:
        raise _wrong(TEXTS.text("errors.wanted.text", most=MAX_TEXT), answer)
    return answer


def _parts(block: Block, parts: dict[str, bool]) -> AnswerCheck:
    return _result(block, Fraction(sum(parts.values()), len(parts)), parts)


def _result(block: Block, score: Fraction, parts: dict[str, bool] | None = None) -> AnswerCheck:
    return AnswerCheck(
        correct=score == 1,
        points=round(float(score * block.points), 2),
        parts=parts or {},
    )


def _wrong(wanted: str | Text, answer: Any) -> InvalidArgument:
    shown = str(answer)
    shown = shown if len(shown) <= 80 else f"{shown[:80]}…"
    return InvalidArgument(
        TEXTS.text("errors.wrong_answer", wanted=wanted, shown=shown), field="answer"
    )
