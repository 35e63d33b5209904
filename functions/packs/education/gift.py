"""Contents as GIFT, the text format of questions that Moodle reads.

Numbers, formulas and words of the other direction stand between isolates in all that is shown; what
a pupil types is compared without any.

GIFT has no order: the places are matched with what stands at them. It has no gaps either but one in
a sentence: each gap of a cloze is a question of its own, the other gaps left blank. "->", which it
has for itself and no escape for, becomes an arrow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from packs.education.blocks import GAP, Block, Item, Key, Option
from packs.education.contents import Content
from packs.education.documents import GAP_LINE
from packs.education.quantities import read_number
from rollcall.render.bidi import cleaned, isolated
from rollcall.render.sheet import Direction

CONTENT_TYPE = "text/plain"
_SPECIAL = re.compile(r"[\\~=#{}:]")


def questions(content: Content, items: Sequence[Item]) -> str:
    """The questions of a content, in UTF-8, a blank line between two; what is only read is left out
    but for text, which becomes a description."""
    direction: Direction = "rtl" if content.locale == "he" else "ltr"
    found: list[str] = []
    for number, item in enumerate(items, 1):
        for part, text in enumerate(_of(_isolated(item, direction))):
            name = f"{number:03d}{chr(97 + part) if part else ''}"
            found.append(f"::{name}::{text}")
    title = " ".join(isolated(content.title, direction).split())
    return "\n\n".join([f"// {title}", *found]) + "\n"


def _isolated(item: Item, direction: Direction) -> Item:
    """An item whose texts have isolates, but for those that a pupil types."""

    def options(some: Sequence[Option]) -> list[Option]:
        return [Option(id=each.id, text=isolated(each.text, direction)) for each in some]

    block, key = item.block, item.key
    said = {id: isolated(text, direction) for id, text in key.option_feedback.items()}
    return Item(
        block=block.model_copy(
            update={
                "stem": isolated(block.stem, direction),
                "options": options(block.options),
                "targets": options(block.targets),
            }
        ),
        key=key.model_copy(
            update={
                "feedback": isolated(key.feedback, direction) if key.feedback else None,
                "option_feedback": said,
                "gaps": {gap: [cleaned(t) for t in texts] for gap, texts in key.gaps.items()},
            }
        ),
    )


def escaped(text: str) -> str:
    """A text of which nothing is read as GIFT's own marks; line breaks stay, as `\\n`."""
    plain = _SPECIAL.sub(lambda mark: f"\\{mark[0]}", text.strip().replace("->", "→"))
    plain = re.sub(r"\s*\n\s*", r"\\n", plain)
    return f"[plain]{plain}" if plain.startswith(("[", "%")) else plain


def _inside(text: str) -> str:
    """A text that does not begin a question or an answer: "[plain]" would be shown there."""
    return escaped(text).removeprefix("[plain]")


def _stem(text: str) -> str:
    """A question's text: "[plain]" before it says that it holds no markup of any kind."""
    return f"[plain]{_inside(text)}"


def _of(item: Item) -> Iterator[str]:
    block, key = item.block, item.key
    said = f"####{escaped(key.feedback)}" if key.feedback else ""
    stem = _stem(block.stem)
    match block.kind:
        case "choice":
            yield f"{stem}{{{_choices(block, key, dict.fromkeys(key.correct, '='))}{said}}}"
        case "multi_choice":
            yield f"{stem}{{{_choices(block, key, _shares(block, key))}{said}}}"
        case "true_false":
            yield f"{stem}{{{'TRUE' if key.truth else 'FALSE'}{said}}}"
        case "match":
            targets = {target.id: target.text for target in block.targets}
            pairs = [
                f"={escaped(option.text)} -> {_inside(targets[key.pairs[option.id]])}"
                for option in block.options
            ]
            yield f"{stem}{{{' '.join(pairs)}{said}}}"
        case "order":
            texts = {option.id: option.text for option in block.options}
            pairs = [f"={n} -> {_inside(texts[id])}" for n, id in enumerate(key.correct, 1)]
            yield f"{stem}{{{' '.join(pairs)}{said}}}"
        case "cloze":
            yield from _gaps(block, key, said)
        case "numeric":
            yield f"{stem}{{{_number(key)}{said}}}"
        case "open":
            yield f"{stem}{{{said}}}"
        case "text":
            yield stem


def _choices(block: Block, key: Key, marks: dict[str, str]) -> str:
    lines = []
    for option in block.options:
        said = key.option_feedback.get(option.id)
        feedback = f"#{escaped(said)}" if said else ""
        lines.append(f"{marks.get(option.id, '~')}{escaped(option.text)}{feedback}")
    return " ".join(lines)


def _shares(block: Block, key: Key) -> dict[str, str]:
    """The percent of each option: right ones share 100, each wrong one takes all away."""
    right = f"~%{round(100 / len(key.correct), 5):g}%"
    return {o.id: right if o.id in key.correct else "~%-100%" for o in block.options}


def _gaps(block: Block, key: Key, said: str) -> Iterator[str]:
    for number in GAP.findall(block.stem):
        before, after = block.stem.split(f"{{{{{number}}}}}", 1)
        blank = [GAP.sub(GAP_LINE, each) for each in (before, after)]
        answers = " ".join(f"={escaped(text)}" for text in dict.fromkeys(key.gaps[number]))
        head = f"{_stem(blank[0])} " if blank[0].strip() else _stem("")
        tail = f" {_inside(blank[1])}" if blank[1].strip() else ""
        yield f"{head}{{{answers}{said}}}{tail}"


def _number(key: Key) -> str:
    """A number and how far off an answer may be; a fraction is a text, as it is written and as a
    decimal, since a numeric answer takes decimals alone."""
    written = key.value or ""
    value, off = read_number(written), read_number(key.tolerance or "0")
    decimal = _decimal(value)
    is_decimal = read_number(decimal) == value
    if off or ("/" not in written and is_decimal):
        return f"#{decimal}:{_decimal(off)}"
    return " ".join(f"={escaped(text)}" for text in (written, *([decimal] if is_decimal else [])))


def _decimal(number: Fraction) -> str:
    written = f"{float(number):.10f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written
