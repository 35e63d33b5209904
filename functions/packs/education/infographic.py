"""The capability `generate_infographic`: figures of a topic as a picture, SVG and PNG.

Every figure comes from the teacher or from a passage of the teacher's documents, which is cited.
Without either, no picture is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import BeforeValidator, Field

from packs.education.blocks import Item, Source, item
from packs.education.contents import (
    CONTENTS,
    Content,
    create_content,
    material_locale,
)
from packs.education.documents import source_line
from packs.education.exports import file_name
from packs.education.generation.drafts import Topic, makes_draft
from packs.education.generation.passages import Passage, find_passages
from packs.education.quantities import read_quantity
from packs.education.school import AS_GRADE_LEVEL, Grade, grade_name
from packs.education.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import FileRef, Wire
from rollcall.core.text import sentences
from rollcall.render import pages
from rollcall.render import sheet as page

MAX_POINTS = 12
Style = Literal["educational", "colorful", "minimalist", "infographic"]
THEMES: dict[str, page.Theme] = {
    "educational": page.Theme(accent="#1f3a5f", tint="#e8eef6", paper="#ffffff"),
    "colorful": page.Theme(accent="#a3195b", tint="#ffe9a8", paper="#fff8ec", ink="#2b1a3d"),
    "minimalist": page.Theme(accent="#222222", tint="#ffffff", paper="#ffffff", ink="#222222"),
    "infographic": page.Theme(accent="#0b6e4f", tint="#d8f0e5", paper="#f6fbf8", boxes=True),
}
_FIGURE = re.compile(
    r"(?<![A-Za-z\d.,])(?:[₪$€£]\s?)?(?:(?<!\w)[−-])?\d+(?:[.,/]\d+)*"
    r"(?:\s?(?:%|‰|°C|°F|°|₪|\$|€|km²|km|cm|mm|kg|mg|ml|m|g|s))?(?!\w)"
)


def _as_text(value: Any) -> Any:
    """Convert a data point sent as an object `{label, value}` to a line."""
    if isinstance(value, dict) and {"label", "value"} >= value.keys() and "value" in value:
        return f"{value.get('label', '')}: {value['value']}"
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


DataPoint = Annotated[str, BeforeValidator(_as_text), Field(min_length=1, max_length=300)]


class Fact(Struct, frozen=True):
    """A line with a figure, and its source; None for the teacher's own data."""

    figure: str
    text: str
    source: Source | None = None


class Infographic(Wire):
    """What generate_infographic returns.

    Attributes:
        description: The text alternative of the picture.
        figures: The lines that its figures were taken from.
        sources: The sources of those from the teacher's documents.
    """

    done: str
    content_id: str
    title: str
    style: Style
    description: str
    figures: list[str]
    sources: list[Source]
    files: list[FileRef]


@makes_draft("generate_interactive_activity")
def generate_infographic(
    ctx: ToolContext,
    *,
    topic: Topic,
    grade_level: Annotated[Grade, AS_GRADE_LEVEL],
    style: Style = "educational",
    data_points: Annotated[list[DataPoint] | None, Field(max_length=MAX_POINTS)] = None,
) -> Infographic:
    """Make an infographic: a picture of a topic's figures, as SVG and PNG.

    Figures are those of data_points, else of the teacher's own documents; none is made up.

    Args:
        topic: What it is about.
        grade_level: The grade, such as "ד" or "4".
        style: How it looks.
        data_points: Lines with a figure each, such as "71% of the Earth is water".
    """
    passages: list[Passage] = []
    if not data_points:
        passages = find_passages(ctx, topic)
    facts = [_fact(line) for line in data_points or ()] or passage_facts(passages)
    if not facts:
        raise FailedPrecondition(
            TEXTS.say(ctx.locale, "infographic.no_figures"),
            field="dataPoints",
            hint="dataPoints, or upload_knowledge",
        )
    locale = material_locale(ctx, topic)
    title = " ".join(topic.split())
    made = picture(title, facts, style, locale, subtitle=grade_name(grade_level, locale))
    name = file_name(title)
    id = ctx.new_id
    of = f"{CONTENTS}/{id}"
    files = [
        ctx.keep_file(f"{name}.svg", "image/svg+xml", pages.svg(made)[0], of=of),
        ctx.keep_file(f"{name}.png", "image/png", pages.png(made)[0], of=of),
    ]
    sources = [fact.source for fact in facts if fact.source is not None]
    content = Content(
        uid=ctx.user.uid,
        kind="infographic",
        title=title,
        topic=title,
        grade=grade_level,
        locale=locale,
        sources=[source.model_copy(update={"quote": None}) for source in sources],
        generator="offline",
        files=files,
    )
    create_content(ctx, id, content, _items(files[1], made, facts))
    return Infographic(
        done=TEXTS.say(ctx.locale, "infographic.done", count=len(facts), title=title),
        content_id=id,
        title=title,
        style=style,
        description=made.description,
        figures=[fact.text for fact in facts],
        sources=sources,
        files=files,
    )


def picture(
    title: str, facts: Sequence[Fact], style: Style, locale: str, *, subtitle: str = ""
) -> page.Sheet:
    """Return the sheet of an infographic: figures in large type, bars for percents and for figures
    of one unit, a list of lines without a figure, then the sources."""
    with_figure = [fact for fact in facts if fact.figure]
    blocks: list[page.Block] = [page.Paragraph(subtitle, "small")] if subtitle else []
    bars = _bars(with_figure)
    if with_figure:
        blocks.append(
            page.Figures([page.Figure(fact.figure, _label(fact)) for fact in with_figure])
        )
    if bars is not None:
        blocks += [page.Heading(TEXTS.say(locale, "infographic.compare")), bars]
    if rest := [fact.text for fact in facts if not fact.figure]:
        blocks += [page.Heading(TEXTS.say(locale, "infographic.more")), page.List(rest)]
    sources = [source_line(fact.source, locale) for fact in facts if fact.source is not None]
    if sources:
        blocks.append(page.Heading(TEXTS.say(locale, "print.sources"), 2))
        blocks.append(page.List(list(dict.fromkeys(sources))))
    return page.Sheet(
        title,
        blocks,
        direction=page.direction(locale),
        language=locale,
        description="; ".join(fact.text for fact in facts),
        theme=THEMES[style],
        one_page=True,
    )


def passage_facts(passages: Sequence[Passage]) -> list[Fact]:
    """Return the sentences of passages that have a figure, each with its source."""
    found: list[Fact] = []
    for passage in passages:
        for sentence in sentences(passage.text):
            line = " ".join(sentence.split())
            fact = _fact(line, passage.source(line))
            if fact.figure and len(line) <= 200 and line not in (each.text for each in found):
                found.append(fact)
    return found[:MAX_POINTS]


def _fact(line: str, source: Source | None = None) -> Fact:
    text = " ".join(line.split())
    figure = _FIGURE.search(text)
    return Fact(figure[0].strip() if figure else "", text, source)


def _label(fact: Fact) -> str:
    """Return the label of a figure: the line without it, if it is at either end; else the line."""
    if fact.text.startswith(fact.figure):
        rest = fact.text.removeprefix(fact.figure)
    elif fact.text.endswith(fact.figure):
        rest = fact.text.removesuffix(fact.figure)
    else:
        return fact.text
    if rest.endswith("-"):  # a line does not end in a Hebrew prefix
        return fact.text
    return rest.strip(" :,.–-") or fact.text


def _bars(facts: Sequence[Fact]) -> page.Chart | None:
    """Return a chart of the figures, if there are at least two and all have the same unit."""
    try:
        quantities = [read_quantity(fact.figure) for fact in facts]
    except ValueError:  # such as "24/7/2026"
        return None
    units = {each.unit or "" for each in quantities}
    values = [float(each.value) for each in quantities]
    # Without a unit, a year and a number of districts have nothing in common.
    if len(facts) < 2 or len(units) != 1 or "" in units or min(values) < 0:
        return None
    return page.Chart([_label(fact) for fact in facts], values, unit=units.pop())


def _items(file: FileRef, made: page.Sheet, facts: Sequence[Fact]) -> list[Item]:
    image = {"fileId": file.file_id, "alt": made.description[:500]}
    return [
        item("image", "", image=image),
        *(
            item("text", fact.text, source=fact.source, basis="cited" if fact.source else None)
            for fact in facts
        ),
    ]
