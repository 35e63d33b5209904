"""Checks that an item's key follows from its `check`.

The form of `check` depends on the block's kind:

- numeric: an expression, "3/4 + 1/8".
- true_false: a comparison, "3/4 > 2/3".
- choice: an expression with the value of the right option; or, where the options are signs, a
  comparison with "?" for the sign: "3/4 ? 2/3".
- multi_choice: a comparison about x that is true of the right options only: "mod(x, 2) = 0".
- order: "ascending" or "descending".
- match: "equal": each option has the value of its target, and of no other.
- cloze: an expression for each gap, separated by ";".
"""

from __future__ import annotations

from fractions import Fraction

from packs.education.arithmetic import NoArithmetic, holds, value
from packs.education.blocks import GAP, Block, Item, Key
from packs.education.quantities import find_unit, read_number, read_quantity

_SIGNS = ("<", "=", ">")


def check_problem(item: Item) -> str | None:
    """Return how an item's key differs from its check, in words; None if it follows from the check
    or has none.
    """
    block, key = item.block, item.key
    if key.check is None:
        return None
    try:
        return _problem(block, key, key.check)
    except ValueError as error:  # no arithmetic, or an option that is no number
        return f"the check {key.check!r} cannot be computed: {error}"


def _problem(block: Block, key: Key, check: str) -> str | None:
    match block.kind:
        case "numeric":
            found = value(check)
            return None if found == read_number(key.value or "") else _difference(key.value, found)
        case "true_false":
            return None if holds(check) is key.truth else _difference(key.truth, holds(check))
        case "choice" | "multi_choice":
            right = _right_options(block, check)
            return None if right == sorted(key.correct) else _difference(key.correct, right)
        case "order":
            if check not in ("ascending", "descending"):
                return f'the check of an order is "ascending" or "descending", not {check!r}'
            sizes = {option.id: size(option.text) for option in block.options}
            if len(set(sizes.values())) < len(sizes):
                return "two options have one size, so that more than one order is right"
            right = sorted(sizes, key=sizes.__getitem__, reverse=check == "descending")
            return None if right == key.correct else _difference(key.correct, right)
        case "match":
            return _match_problem(block, key)
        case "cloze":
            return _cloze_problem(block, key, check)
    return f"a block of kind {block.kind} has nothing to compute"


def size(text: str) -> Fraction:
    """Return the value of an option: an expression, or a quantity in its kind's base unit.

    Raises:
        ValueError: It is neither.
    """
    try:
        return value(text)
    except NoArithmetic:
        quantity = read_quantity(text)
    unit = find_unit(quantity.unit) if quantity.unit else None
    return quantity.value * unit.factor if unit else quantity.value


def _right_options(block: Block, check: str) -> list[str]:
    """Return the ids of the options that are right by the check, sorted."""
    if block.kind == "multi_choice":
        found = [each.id for each in block.options if holds(check, x=size(each.text))]
    elif "?" in check:
        signs = {each.text: each.id for each in block.options}
        found = [
            signs[sign] for sign in _SIGNS if sign in signs and holds(check.replace("?", sign))
        ]
    else:
        wanted = value(check)
        found = [each.id for each in block.options if _bare_number(each.text) == wanted]
    return sorted(found)


def _bare_number(text: str) -> Fraction:
    """Return an option's number without its unit, which is the check's unit too."""
    try:
        return value(text)
    except NoArithmetic:
        return read_quantity(text).value


def _match_problem(block: Block, key: Key) -> str | None:
    targets = {target.id: size(target.text) for target in block.targets}
    for option in block.options:
        equal = [id for id, found in targets.items() if found == size(option.text)]
        if equal != [key.pairs[option.id]]:
            return _difference(key.pairs[option.id], equal)
    return None


def _cloze_problem(block: Block, key: Key, check: str) -> str | None:
    gaps = GAP.findall(block.stem)
    expressions = check.split(";")
    if len(expressions) != len(gaps):
        return f"{len(gaps)} gaps and {len(expressions)} expressions in the check"
    for gap, expression in zip(gaps, expressions, strict=True):
        found = value(expression)
        if any(read_number(text) != found for text in key.gaps[gap]):
            return _difference(key.gaps[gap], found)
    return None


def _difference(key: object, found: object) -> str:
    return f"the key says {key}, the check {found}"
