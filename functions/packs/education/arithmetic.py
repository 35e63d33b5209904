"""Evaluates arithmetic exactly, within bounds, from a grammar that can do nothing else.

    expression  = sum [sign sum]              sign: = < > <= >= !=, also ≤ ≥ ≠
    sum         = product {("+" | "-") product}
    product     = factor {("*" | "/") factor}     also × · ÷ :
    factor      = "-" factor | atom ["^" factor] {"%"}
    atom        = number | "x" | "(" sum ")" | name "(" sum {"," sum} ")"
    name        = max | min | round | div | mod

`round(a, b)` rounds a to the nearest multiple of b, halves up; a number may be mixed: "1 1/2".
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction

MAX_LENGTH = 300
MAX_DEPTH = 30
MAX_BITS = 256
"""Most bits of the numerator and denominator of any intermediate result."""

_TOKEN = re.compile(
    r"\s*(?P<number>[0-9]+ [0-9]+/[0-9]+|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|\s*(?P<name>[a-z]+)|\s*(?P<sign><=|>=|!=|[-+*/^%(),=<>])|\s*(?P<end>$)"
)
_SPELLINGS = str.maketrans(
    {"×": "*", "·": "*", "÷": "/", ":": "/", "−": "-", "–": "-", "\u2044": "/"}
)
_COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
}


class NoArithmetic(ValueError):
    """Raised for a text that is not a computable expression; its message says why."""


def value(expression: str) -> Fraction:
    """Compute an expression.

    Raises:
        NoArithmetic: It cannot be read or computed, or is a comparison.
    """
    found = compute(expression)
    if isinstance(found, bool):
        raise NoArithmetic(f"{expression[:60]!r} is a comparison, not a number")
    return found


def holds(comparison: str, *, x: Fraction | None = None) -> bool:
    """Tell whether a comparison is true.

    Raises:
        NoArithmetic: It cannot be read or computed, or is not a comparison.
    """
    found = compute(comparison, x=x)
    if not isinstance(found, bool):
        raise NoArithmetic(f"{comparison[:60]!r} compares nothing; write it with =, < or >")
    return found


def compute(expression: str, *, x: Fraction | None = None) -> Fraction | bool:
    """Compute an expression: a number, or whether a comparison is true.

    Args:
        x: The value of the letter x; without one, x is not accepted.

    Raises:
        NoArithmetic: It cannot be read or computed.
    """
    if len(expression) > MAX_LENGTH:
        raise NoArithmetic(f"an expression has at most {MAX_LENGTH} characters")
    return _Reader(expression, x).expression()


def schoolbook_notation(expression: str) -> str:
    """Return an expression with the signs that schoolbooks use: 9 − 2 × 3, 12 : 4. It is empty for
    one with a function, such as round(78, 10), which no schoolbook has."""
    if re.search(r"[a-z]\(", expression):
        return ""
    return re.sub(r" - ", " − ", expression).replace("*", "×").replace(" / ", " : ")


class _Reader:
    """A recursive-descent parser that computes an expression as it reads it."""

    def __init__(self, text: str, x: Fraction | None) -> None:
        self.text = text
        self.x = x
        self.tokens = _tokens(text)
        self.place = 0
        self.depth = 0

    def expression(self) -> Fraction | bool:
        left = self.sum()
        compare = _COMPARISONS.get(self.tokens[self.place])
        if compare is None:
            self.expect("")
            return left
        self.place += 1
        right = self.sum()
        self.expect("")
        return compare(left, right)

    def sum(self) -> Fraction:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NoArithmetic(f"more than {MAX_DEPTH} parentheses or signs in each other")
        found = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            found = _bounded(found + term if sign == "+" else found - term)
        self.depth -= 1
        return found

    def product(self) -> Fraction:
        found = self.factor()
        while sign := self.take("*", "/"):
            by = self.factor()
            if sign == "/" and by == 0:
                raise NoArithmetic("a division by 0")
            found = _bounded(found * by if sign == "*" else found / by)
        return found

    def factor(self) -> Fraction:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NoArithmetic(f"more than {MAX_DEPTH} parentheses or signs in each other")
        if self.take("-"):
            found = -self.factor()
        else:
            found = self.atom()
            if self.take("^"):
                found = _power(found, self.factor())
            while self.take("%"):
                found = _bounded(found / 100)
        self.depth -= 1
        return found

    def atom(self) -> Fraction:
        token = self.tokens[self.place]
        if token[:1].isdigit() or token[:1] == ".":
            self.place += 1
            whole, _, part = token.rpartition(" ")
            if part.endswith("/0") or set(part.partition("/")[2]) == {"0"}:
                raise NoArithmetic("a division by 0")
            return _bounded(Fraction(part) + Fraction(whole or 0))
        if self.take("("):
            found = self.sum()
            self.expect(")")
            return found
        if token == "x" and self.x is not None:
            self.place += 1
            return self.x
        if token.isalpha():
            self.place += 1
            return self.function(token)
        raise self.unreadable()

    def function(self, name: str) -> Fraction:
        self.expect("(")
        arguments = [self.sum()]
        while self.take(","):
            arguments.append(self.sum())
        self.expect(")")
        if name in ("max", "min"):
            return max(arguments) if name == "max" else min(arguments)
        if name not in ("round", "div", "mod") or len(arguments) != 2:
            raise NoArithmetic(
                f"no function {name!r} of {len(arguments)}; max, min, round, div, mod"
            )
        number, by = arguments
        if by <= 0:
            raise NoArithmetic(f"{name} goes by a number above 0")
        if name == "round":
            return _bounded(math.floor(number / by + Fraction(1, 2)) * by)
        return Fraction(number // by) if name == "div" else number % by

    def take(self, *signs: str) -> str | None:
        token = self.tokens[self.place]
        if token not in signs:
            return None
        self.place += 1
        return token

    def expect(self, sign: str) -> None:
        if self.tokens[self.place] != sign:
            raise self.unreadable()
        self.place += 1

    def unreadable(self) -> NoArithmetic:
        token = self.tokens[self.place] or "the end"
        return NoArithmetic(f"{token!r} is not expected there in {self.text[:60]!r}")


def _tokens(text: str) -> list[str]:
    """Return the tokens of an expression, with an empty one at its end."""
    plain = text.translate(_SPELLINGS)
    plain = plain.replace("≤", "<=").replace("≥", ">=").replace("≠", "!=").replace("==", "=")
    found: list[str] = []
    place = 0
    while not found or found[-1]:
        match = _TOKEN.match(plain, place)
        if match is None:
            raise NoArithmetic(f"{plain[place : place + 10]!r} is no arithmetic")
        found.append(match[0].strip())
        place = match.end()
    return found


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > MAX_BITS:
        raise NoArithmetic("an exponent is a whole number, and a small one")
    if base == 0 and exponent < 0:
        raise NoArithmetic("a division by 0")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(exponent) > 2 * MAX_BITS:
        raise NoArithmetic("a number too large to compute with")
    return _bounded(base ** int(exponent))


def _bounded(number: Fraction) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
        raise NoArithmetic("a number too large to compute with")
    return number
