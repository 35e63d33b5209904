"""Isolates the parts of a text that run against its direction, and removes characters that no file
can hold.

The bidirectional algorithm gives digits and signs the direction of the line around them, so that a
Hebrew line shows `120 − 30 = 90` as `90 = 30 − 120`, `3 < 4` as `4 > 3` and `25 mm` as `mm 25`.
This module finds each number, formula, quantity with its unit and run of Latin words, to isolate it
from left to right; in a left-to-right line, each run of Hebrew words, to isolate it from right to
left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from rollcall.render.sheet import Direction

LRI, RLI, PDI = "\u2066", "\u2067", "\u2069"
_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_RTL_RUN = re.compile(
    r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
    r"(?:[^A-Za-z\u00c0-\u024f\n]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]['׳]?)?"
)
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]{2}")
_BESIDE = re.compile(r"^\s*(?:\d+\. |_+  )?|(?:  _+)?\s*$")
"""What stands beside a text in a list: its number, and a blank that is two spaces off."""
_LETTER = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u04ff\u2080-\u209c"
_FACTORIAL = r"!(?=\s*[-+−×÷=/)])"
_TOKENS = re.compile(
    rf"""
      (?P<number>[₪$€£]?(?:\d+(?:[.,:/]\d+)*|[½¼¾⅓⅔⅛])[½¼¾⅓⅔⅛]?
        (?:[²³⁴-⁹⁺⁻¹⁰]+|[%‰°′″]C?|{_FACTORIAL})*(?:\ (?:[%‰]|°[CFK]?))?)
    | (?P<word>(?:https?://|www\.)[^\s\u0590-\u05ff]+[\w/]
        |[{_LETTER}](?:[{_LETTER}\d.'’@&_/-]*[{_LETTER}\d_])?(?:\+\+|\#)?(?:[²³⁴-⁹⁺⁻¹⁰]+|′|{_FACTORIAL})*)
    | (?P<blank>_{{2,}}|[□▢…]|\.{{3,}})
    | (?P<operator><=|>=|[+−×÷=<>≤≥≠≈±·*^→⇒⇔←∈∪∩∥⊥–])
    | (?P<bar>[|∣])
    | (?P<weak>[-:/])
    | (?P<prefix>[√∠Δ∆])
    | (?P<open>[(\[{{])
    | (?P<close>[)\]}}](?:[²³⁴-⁹⁺⁻¹⁰]+|[%°!])*)
    | (?P<comma>,)
    | (?P<query>\?)
    | (?P<space>[\ \u00a0]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_RELATIONS = frozenset(("<", ">", "≤", "≥", "<=", ">=", "=", "≠", "≈"))
_OPERANDS = ("number", "word", "blank", "close", "query")
_MAX_OPEN = 200
"""How many tokens are read to find the first place where a formula may end."""


class Run(Struct, frozen=True):
    """A part of a text; an `isolated` one has its own direction, independent of the line's."""

    text: str
    isolated: bool


class _Token(Struct, frozen=True):
    kind: str
    text: str
    start: int
    end: int


def cleaned(text: str) -> str:
    """Return a text without its direction marks and without characters that no file can hold."""
    return _CONTROLS.sub("\ufffd", _MARKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def runs(text: str, direction: Direction) -> list[Run]:
    """Split a text into isolated and other runs for a line of this direction; joined, they are the
    cleaned text."""
    result: list[Run] = []
    for number, line in enumerate(cleaned(text).split("\n")):
        if number:
            result.append(Run("\n", False))
        hebrew = (match.span() for match in _RTL_RUN.finditer(line))
        at = 0
        for start, end in hebrew if direction == "ltr" else _against_rtl(line):
            result += [Run(line[at:start], False), Run(line[start:end], True)]
            at = end
        result.append(Run(line[at:], False))
    return [run for run in result if run.text]


def isolated(text: str, direction: Direction) -> str:
    """Return the cleaned text with U+2066 or U+2067 and U+2069 around its isolated runs."""
    mark = LRI if direction == "rtl" else RLI
    return "".join(
        f"{mark}{each.text}{PDI}" if each.isolated else each.text for each in runs(text, direction)
    )


def _against_rtl(line: str) -> Iterator[tuple[int, int]]:
    if not _RTL.search(line) and _LATIN_WORD.search(line):
        words = _BESIDE.sub("", line)  # including their full stop
        yield (start := line.index(words)), start + len(words)
        return
    tokens = [
        _Token(str(each.lastgroup), each.group(), *each.span()) for each in _TOKENS.finditer(line)
    ]
    at = 0
    while at < len(tokens):
        end = _formula_end(tokens, at)
        if end is None:
            at += 1
        else:
            yield tokens[at].start, tokens[end].end
            at = end + 1


def _formula_end(tokens: list[_Token], start: int) -> int | None:
    """Return the last token of the formula, number or words that begin at a token; None if none
    begins there."""
    before = tokens[start - 1] if start else None
    if tokens[start].text in _RELATIONS:
        return _relation_end(tokens, start)
    if tokens[start].kind in ("operator", "weak") and (
        tokens[start].text not in "+-−±"
        or (before is not None and before.kind not in ("space", "open", "comma"))
    ):
        return None
    depth, end, has_value, in_bars = 0, None, False, False
    wants_operand, after_operator = True, False
    at = start
    while at < len(tokens) and (end is not None or at - start < _MAX_OPEN):
        token = tokens[at]
        following = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        if wants_operand:
            if token.kind == "space" and at > start:
                at += 1
                continue
            if token.kind in ("number", "word", "blank") or (
                token.kind == "query" and (after_operator or _begins(tokens, at))
            ):
                has_value = has_value or token.kind in ("number", "word")
                wants_operand = False
            elif token.kind == "open":
                depth += 1
            elif token.kind == "bar" and not in_bars:
                in_bars = True
            elif not (
                token.kind == "prefix"
                or (
                    token.text in ("+", "-", "−", "±")
                    and following in ("number", "word", "open", "blank", "prefix", "bar")
                )
            ):
                break
        elif token.kind == "close":
            if depth == 0:
                break
            depth -= 1
        elif token.kind == "bar" and in_bars:
            in_bars = False
        elif token.kind in ("operator", "weak", "bar"):
            if token.kind == "weak" and (following == "space") != (tokens[at - 1].kind == "space"):
                break
            wants_operand = after_operator = True
        elif token.kind == "comma":
            after = [each.kind for each in tokens[at + 1 : at + 3]]
            is_between_words = tokens[at - 1].kind == "word" and after == ["space", "word"]
            if depth == 0 and not is_between_words:
                break
            wants_operand = True
        elif token.kind == "open" and tokens[at - 1].kind in ("number", "word", "close"):
            depth += 1
            wants_operand = True
        elif token.kind == "prefix":
            wants_operand = True
        elif token.kind == "blank" and _stands_for_sign(tokens, at):
            wants_operand = after_operator = True
        elif token.kind in ("number", "word", "blank"):
            if not _joins(tokens, at):
                break
        elif token.kind != "space":
            break
        if has_value and not (wants_operand or depth or in_bars or token.kind == "space"):
            end = at
        at += 1
    if end is not None and len(tokens) <= end + 4:  # a sign at the line's end, as in "3 + 4 ="
        rest = [n for n in range(end + 1, len(tokens)) if tokens[n].kind != "space"]
        if [tokens[n].text for n in rest] == ["="]:
            return rest[0]
    return end


def _relation_end(tokens: list[_Token], start: int) -> int | None:
    """Return the last token of a relation without a left-to-right operand before it: the sign
    itself or the end of the formula after it; None between Hebrew words, where it needs no
    isolation."""
    before, after = _beside(tokens, start, -1), _beside(tokens, start, 1)
    if before is not None and before.kind in _OPERANDS:
        return None
    if after is not None and after.kind == "operator" and after.text in _RELATIONS:
        return start
    is_hebrew = before is not None and _RTL.match(before.text) is not None
    if after is not None and not (is_hebrew and tokens[start].text in "=≠≈"):
        skipped = 2 if tokens[start + 1].kind == "space" else 1  # spaces are one token
        end = _formula_end(tokens, start + skipped)
        if end is not None:
            return end
    if is_hebrew and after is not None and (after.kind in _OPERANDS or _RTL.match(after.text)):
        return None
    return start


def _beside(tokens: list[_Token], at: int, step: Literal[-1, 1]) -> _Token | None:
    """Return the token next to one, skipping spaces; None at an end of the line."""
    at += step
    while 0 <= at < len(tokens) and tokens[at].kind == "space":
        at += step
    return tokens[at] if 0 <= at < len(tokens) else None


def _begins(tokens: list[_Token], at: int) -> bool:
    """Tell whether a question mark is the unknown at a formula's beginning, and not a sentence's
    end."""
    after = _beside(tokens, at, 1)
    is_free = at == 0 or tokens[at - 1].kind in ("space", "open")
    return is_free and after is not None and after.kind == "operator"


def _stands_for_sign(tokens: list[_Token], at: int) -> bool:
    """Tell whether a blank between two numbers stands for the sign between them."""
    before, after = _beside(tokens, at, -1), _beside(tokens, at, 1)
    return (
        tokens[at].text[0] in "□▢_"
        and before is not None
        and before.kind in ("number", "close")
        and after is not None
        and after.kind in ("number", "open", "prefix")
    )


def _joins(tokens: list[_Token], at: int) -> bool:
    """Tell whether an operand belongs to the one before it: a unit to its number, a word to a word,
    a fraction to its whole number."""
    token = tokens[at]
    before = tokens[at - 1]
    if before.kind == "space":
        before = tokens[at - 2]
    elif before.kind == "close":
        return True
    if token.kind == "blank":
        return False
    kinds = {before.kind, token.kind}
    return (
        kinds == {"word"}
        or kinds == {"word", "number"}
        or (before.kind == "close" and token.kind == "word")
        or (kinds == {"number"} and "/" in token.text and before.text.isdigit())
    )
