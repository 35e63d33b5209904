"""Exports contents as GIFT, the text format of questions that Moodle reads.

Shown texts have directional isolates around numbers, formulas and words of the other direction;
texts that a pupil types are compared without isolates.

GIFT has no ordering question, so an order becomes a match of positions and texts. It allows one gap
in a sentence, so each gap of a cloze becomes a question, with the other gaps left blank and the
words to choose from below it. "->" is its own syntax and cannot be escaped, so it becomes an arrow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from packs.education.blocks import GAP, Item, Key
from packs.education.contents import Content
from packs.education.documents import GAP_LINE
from packs.education.quantities import read_number, write_decimal
from packs.education.wording import TEXTS
from rollcall.render.bidi import cleaned, isolated
from rollcall.render.sheet import direction as direction_of

CONTENT_TYPE = "text/plain"
_SPECIAL = re.compile(r"[\\~=#{}:]")


def questions(content: Content, items: Sequence[Item]) -> str:
    """Return the questions of a content, with a blank line between two. Text blocks become
    descriptions; other blocks that are not answered are left out."""
    found: list[str] = []
    for number, item in enumerate(items, 1):
        for part, text in enumerate(_texts_of(item, content.locale)):
            name = f"{number:03d}{chr(97 + part) if part else ''}"
            found.append(f"::{name}::{text}")
    title = " ".join(isolated(content.title, direction_of(content.locale)).split())
    return "\n\n".join([f"// {title}", *found]) + "\n"


def escaped(text: str) -> str:
    """Escape a text for GIFT; line breaks become `\\n`."""
    plain = _SPECIAL.sub(lambda mark: f"\\{mark[0]}", text.strip().replace("->", "→"))
    plain = re.sub(r"\s*\n\s*", r"\\n", plain)
    return f"[plain]{plain}" if plain.startswith(("[", "%")) else plain


def _inner_text(text: str) -> str:
    """Escape a text inside a question or an answer, where "[plain]" would be shown."""
    return escaped(text).removeprefix("[plain]")


def _stem(text: str) -> str:
    """Return a question's text, marked by "[plain]" as having no markup."""
    return f"[plain]{_inner_text(text)}"


def _texts_of(item: Item, locale: str) -> Iterator[str]:
    block, key, direction = item.block, item.key, direction_of(locale)

    def shown(text: str) -> str:
        return isolated(text, direction)

    options = {option.id: shown(option.text) for option in block.options}
    targets = {target.id: shown(target.text) for target in block.targets}
    feedback = f"####{escaped(shown(key.feedback))}" if key.feedback else ""
    stem = _stem(shown(block.stem))
    match block.kind:
        case "choice":
            yield f"{stem}{{{_choices(options, dict.fromkeys(key.correct, '='))}{feedback}}}"
        case "multi_choice":
            # Right options share 100 percent, a wrong one costs 100.
            right = f"~%{round(100 / len(key.correct), 5):g}%"
            shares = {id: right if id in key.correct else "~%-100%" for id in options}
            yield f"{stem}{{{_choices(options, shares)}{feedback}}}"
        case "true_false":
            yield f"{stem}{{{'TRUE' if key.truth else 'FALSE'}{feedback}}}"
        case "match":
            pairs = [
                f"={escaped(text)} -> {_inner_text(targets[key.pairs[id]])}"
                for id, text in options.items()
            ]
            yield f"{stem}{{{' '.join(pairs)}{feedback}}}"
        case "order":
            pairs = [f"={n} -> {_inner_text(options[id])}" for n, id in enumerate(key.correct, 1)]
            yield f"{stem}{{{' '.join(pairs)}{feedback}}}"
        case "cloze":
            bank = " · ".join(options.values())
            words = f"\n{TEXTS.say(locale, 'print.bank')} {bank}" if bank else ""
            yield from _gaps(shown(block.stem), key, feedback, words)
        case "numeric":
            unit = f" {_inner_text(shown(block.unit))}" if block.unit else ""
            yield f"{stem}{{{_number(key)}{feedback}}}{unit}"
        case "open":
            yield f"{stem}{{{feedback}}}"
        case "text":
            yield stem


def _choices(options: dict[str, str], marks: dict[str, str]) -> str:
    return " ".join(f"{marks.get(id, '~')}{escaped(text)}" for id, text in options.items())


def _gaps(stem: str, key: Key, feedback: str, words: str) -> Iterator[str]:
    """Yield a question for each gap, with the words to choose from below it."""
    for number in GAP.findall(stem):
        before, after = stem.split(f"{{{{{number}}}}}", 1)
        blank = [GAP.sub(GAP_LINE, each) for each in (before, after)]
        accepted = dict.fromkeys(map(cleaned, key.gaps[number]))
        answers = " ".join(f"={escaped(text)}" for text in accepted)
        head = f"{_stem(blank[0])} " if blank[0].strip() else _stem("")
        tail = f" {rest}" if (rest := _inner_text(f"{blank[1]}{words}")) else ""
        yield f"{head}{{{answers}{feedback}}}{tail}"


def _number(key: Key) -> str:
    """Return a number. A fraction becomes texts, as written and as a decimal, since GIFT's numeric
    answers accept only decimals."""
    written = key.value or ""
    value = read_number(written)
    decimal = write_decimal(value)
    is_decimal = read_number(decimal) == value
    if "/" not in written and is_decimal:
        return f"#{decimal}:0"
    return " ".join(f"={escaped(text)}" for text in (written, *([decimal] if is_decimal else [])))
