"""Lays out contents as pages to print: the questions, and the key on a page of its own.

In a text block, a line that begins with "## " is a heading and with "- " a list item. The options
of an order and the targets of a match are shuffled by the stem, the same in every file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from packs.education.arithmetic import schoolbook_notation
from packs.education.blocks import GAP, Block, Item, Key, Source, shuffled
from packs.education.contents import Content
from packs.education.school import grade_name, subject_name
from packs.education.wording import TEXTS
from rollcall.render import sheet as page

WITH_NAME_LINE = frozenset(("worksheet", "test", "activity", "exam"))
"""Kinds that a pupil writes in."""
WITH_STANDARDS = frozenset(("lesson_plan", "rubric", "letter"))
"""Kinds whose pages name the standards though they have no key."""
GAP_LINE = "________"
_COMPUTED = frozenset(("numeric", "choice", "cloze", "true_false"))
"""Kinds whose check is arithmetic worth showing; an order's check is a word."""
WORK_CM = 2.2
"""Room to work beside a numeric question."""


def sheet(
    content: Content,
    items: Sequence[Item],
    *,
    standards: Sequence[str] = (),
    banner: str | None = None,
) -> page.Sheet:
    """Return the pages of a content: blocks, then its key, standards and sources.

    Args:
        standards: Statements of the standards that it covers.
        banner: A framed note above everything, such as that no model wrote it.
    """
    locale = content.locale
    every = [item for item in items if item.block.is_question]
    questions = {id(item): n for n, item in enumerate(every, 1)}
    points = sum(item.block.points for item in items)
    parts: list[page.Block] = []
    about = [
        subject_name(content.subject, locale) if content.subject else "",
        grade_name(content.grade, locale) if content.grade else "",
        _say(locale, "total", points=points) if points else "",
    ]
    parts.append(page.Paragraph(" · ".join(filter(None, about)), "small"))
    if banner:
        parts.append(page.Paragraph(banner, "note"))
    if content.kind in WITH_NAME_LINE:
        parts.append(page.Fields([_say(locale, name) for name in ("name", "class", "date")]))
    for item in items:
        number = questions.get(id(item))
        if number is None:
            parts += _reading_parts(item.block, locale)
        else:
            points_each = item.block.points
            note = _say(locale, "points", count=points_each) if points_each else ""
            parts.append(page.Item(f"{number}.", _question(item, locale), note))
    if questions:
        parts += [page.PageBreak(), page.Heading(_say(locale, "key"))]
        for item in every:
            mark = f"{questions[id(item)]}."
            parts.append(page.Item(mark, list(_answer(item, locale))))
    if standards and (questions or content.kind in WITH_STANDARDS):
        parts += [page.Heading(_say(locale, "standards"), 2), page.List(list(standards))]
    sources = [source_line(each, locale) for each in content.sources]
    if sources:
        parts += [page.Heading(_say(locale, "sources"), 2), page.List(list(dict.fromkeys(sources)))]
    return page.Sheet(
        content.title,
        [part for part in parts if part != page.Paragraph("", "small")],
        direction=page.direction(locale),
        language=locale,
        description=content.topic,
        footer=content.title,
    )


def _say(locale: str, key: str, **values: str | int) -> str:
    return TEXTS.say(locale, f"print.{key}", **values)


def _reading_parts(block: Block, locale: str) -> Iterator[page.Block]:
    if block.kind == "text":
        yield from _text(block.stem)
        return
    if block.stem:
        yield page.Paragraph(block.stem, "label")
    if block.kind == "table":
        yield page.Table(block.rows[0], [list(row) for row in block.rows[1:]])
    elif block.kind == "cards":
        sides = [_say(locale, "front"), _say(locale, "back")]
        yield page.Table(sides, [[card.front, card.back] for card in block.cards])
    elif block.image:  # the picture's text stands for it
        yield page.Paragraph(block.image.alt or block.stem, "note")


def _text(text: str) -> Iterator[page.Block]:
    """Yield the paragraphs, headings and lists of a text block."""
    plain: list[str] = []
    points: list[str] = []
    for line in [*text.split("\n"), ""]:
        if points and not line.startswith("- "):
            yield page.List(points)
            points = []
        if plain and (not line.strip() or line.startswith(("## ", "- "))):
            yield page.Paragraph("\n".join(plain))
            plain = []
        if line.startswith("## "):
            yield page.Heading(line[3:].strip(), 2)
        elif line.startswith("- "):
            points.append(line[2:].strip())
        elif line.strip():
            plain.append(line)


def _question(item: Item, locale: str) -> list[page.Block]:
    """Return the printed form of a question, without its answer."""
    block = item.block
    options, targets = shuffled(block, item.key, Random(block.stem))
    texts = [option.text for option in options]
    stem: list[page.Block] = [page.Paragraph(GAP.sub(GAP_LINE, block.stem))]
    match block.kind:
        case "choice":
            return [*stem, page.List(texts, "letter")]
        case "multi_choice":
            return [
                *stem,
                page.Paragraph(_say(locale, "all_that_fit"), "small"),
                page.List(texts, "box"),
            ]
        case "true_false":
            return [*stem, page.List([_say(locale, "true"), _say(locale, "false")], "box")]
        case "match":
            letters = [f"{page.letter(n, locale)}. {each.text}" for n, each in enumerate(targets)]
            left = [f"{n}. {text}  ____" for n, text in enumerate(texts, 1)]
            left += [""] * (len(letters) - len(left))
            rows: list[list[page.Cell]] = [list(row) for row in zip(left, letters, strict=True)]
            return [*stem, page.Table([_say(locale, "left"), _say(locale, "right")], rows)]
        case "order":
            return [*stem, page.List([f"____  {text}" for text in texts], "dot")]
        case "cloze":
            bank = [page.Paragraph(f"{_say(locale, 'bank')} {' · '.join(texts)}", "note")]
            return [*stem, *(bank if texts else [])]
        case "numeric":
            unit = f" {block.unit}" if block.unit else ""
            line = page.Paragraph(f"{_say(locale, 'answer')} {GAP_LINE}{unit}")
            return [*stem, page.Space(WORK_CM), line]
    return [*stem, page.Lines(min(12, max(3, block.points // 2)))]


def _answer(item: Item, locale: str) -> Iterator[page.Block]:
    """Yield the right answer to a question, with its explanation."""
    block, key = item.block, item.key
    lines = _right_answer(block, key, locale)
    computed = schoolbook_notation(key.check) if key.check and block.kind in _COMPUTED else ""
    if "?" not in computed and not any(computed in text for text in (lines[0], key.feedback or "")):
        lines.append(computed)
    if key.feedback:
        lines.append(key.feedback)
    if block.source:
        lines.append(source_line(block.source, locale))
    yield page.Paragraph(lines[0])
    for line in lines[1:]:
        yield page.Paragraph(line, "small")
    if key.criteria:
        yield page.List(list(key.criteria))
    if block.basis == "unverified":
        yield page.Paragraph(_say(locale, "unverified"), "note")


def _right_answer(block: Block, key: Key, locale: str) -> list[str]:
    options, targets = shuffled(block, key, Random(block.stem))
    texts = {option.id: option.text for option in options}
    match block.kind:
        case "choice":
            place = [option.id for option in options].index(key.correct[0])
            return [f"{page.letter(place, locale)}. {texts[key.correct[0]]}"]
        case "multi_choice":
            return ["; ".join(texts[id] for id in key.correct)]
        case "true_false":
            return [_say(locale, "true" if key.truth else "false")]
        case "match":
            places = {each.id: page.letter(n, locale) for n, each in enumerate(targets)}
            pairs = [f"{n} – {places[key.pairs[o.id]]}" for n, o in enumerate(options, 1)]
            return ["; ".join(pairs)]
        case "order":
            return [f"{n}. {texts[id]}" for n, id in enumerate(key.correct, 1)]
        case "cloze":
            gaps = [" / ".join(key.gaps[n]) for n in GAP.findall(block.stem)]
            return gaps if len(gaps) == 1 else [f"{n}. {text}" for n, text in enumerate(gaps, 1)]
        case "numeric":
            unit = f" {block.unit}" if block.unit else ""
            return [f"{key.value}{unit}"]
    return [key.sample or _say(locale, "open")]


def source_line(source: Source, locale: str) -> str:
    """Return the title of a source and, if it is known, its page."""
    if source.page is None:
        return source.title
    return f"{source.title}, {_say(locale, 'page', page=source.page)}"
