"""Lays out contents as pages to print: the questions, and the key on a page of its own.

In a text block, a line that begins with "## " is a heading and with "- " a list item. The options
of an order and the targets of a match are shuffled by the stem, the same in every file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from packs.education.arithmetic import schoolbook_notation
from packs.education.blocks import GAP, Block, Item, Source, shuffled
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
    answers: list[page.Block] = []
    for item in items:
        if not item.block.is_question:
            parts += _reading_parts(item.block, locale)
            continue
        mark, points_each = f"{len(answers) + 1}.", item.block.points
        note = _say(locale, "points", count=points_each) if points_each else ""
        question, right = _question(item, locale)
        parts.append(page.Item(mark, question, note))
        answers.append(page.Item(mark, list(_answer(item, right, locale))))
    if answers:
        parts += [page.PageBreak(), page.Heading(_say(locale, "key")), *answers]
    if standards and (answers or content.kind in WITH_STANDARDS):
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


def _question(item: Item, locale: str) -> tuple[list[page.Block], list[str]]:
    """Return the printed form of a question without its answer, and the lines of its right
    answer."""
    block, key = item.block, item.key
    options, targets = shuffled(block, key, Random(block.stem))
    texts = {option.id: option.text for option in options}
    unit = f" {block.unit}" if block.unit else ""
    shown: list[page.Block]
    match block.kind:
        case "choice":
            shown = [page.List(list(texts.values()), "letter")]
            place = page.letter(list(texts).index(key.correct[0]), locale)
            right = [f"{place}. {texts[key.correct[0]]}"]
        case "multi_choice":
            all_that_fit = page.Paragraph(_say(locale, "all_that_fit"), "small")
            shown = [all_that_fit, page.List(list(texts.values()), "box")]
            right = ["; ".join(texts[id] for id in key.correct)]
        case "true_false":
            shown = [page.List([_say(locale, "true"), _say(locale, "false")], "box")]
            right = [_say(locale, "true" if key.truth else "false")]
        case "match":
            places = {each.id: page.letter(n, locale) for n, each in enumerate(targets)}
            letters = [f"{places[each.id]}. {each.text}" for each in targets]
            left = [f"{n}. {text}  ____" for n, text in enumerate(texts.values(), 1)]
            left += [""] * (len(letters) - len(left))
            rows: list[list[page.Cell]] = [list(row) for row in zip(left, letters, strict=True)]
            shown = [page.Table([_say(locale, "left"), _say(locale, "right")], rows)]
            right = ["; ".join(f"{n} – {places[key.pairs[id]]}" for n, id in enumerate(texts, 1))]
        case "order":
            shown = [page.List([f"____  {text}" for text in texts.values()], "dot")]
            right = [f"{n}. {texts[id]}" for n, id in enumerate(key.correct, 1)]
        case "cloze":
            bank = f"{_say(locale, 'bank')} {' · '.join(texts.values())}"
            shown = [page.Paragraph(bank, "note")] if texts else []
            right = [" / ".join(key.gaps[n]) for n in GAP.findall(block.stem)]
            if len(right) > 1:
                right = [f"{n}. {text}" for n, text in enumerate(right, 1)]
        case "numeric":
            line = page.Paragraph(f"{_say(locale, 'answer')} {GAP_LINE}{unit}")
            shown, right = [page.Space(WORK_CM), line], [f"{key.value}{unit}"]
        case _:
            shown = [page.Lines(min(12, max(3, block.points // 2)))]
            right = [key.sample or _say(locale, "open")]
    return [page.Paragraph(GAP.sub(GAP_LINE, block.stem)), *shown], right


def _answer(item: Item, right: list[str], locale: str) -> Iterator[page.Block]:
    """Yield the right answer to a question, with its explanation."""
    block, key = item.block, item.key
    lines = [*right]
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


def source_line(source: Source, locale: str) -> str:
    """Return the title of a source and, if it is known, its page."""
    if source.page is None:
        return source.title
    return f"{source.title}, {_say(locale, 'page', page=source.page)}"
