"""The capability `generate_static_content`: worksheets, tests, plans, letters, rubrics."""

from __future__ import annotations

from typing import Annotated

from msgspec import structs
from pydantic import BaseModel, Field

from packs.education.blocks import Item, item
from packs.education.contents import StaticKind
from packs.education.curriculum import Standard
from packs.education.generation.drafts import (
    Brief,
    Count,
    DocumentId,
    GeneratedContent,
    Instructions,
    PassageText,
    Topic,
    find_standards_for,
    make_content,
    makes_draft,
    read_brief,
    store_content,
    with_points,
)
from packs.education.generation.model import GeneratedItems, ask_model, passage_with_quote
from packs.education.generation.wording import TEXTS
from packs.education.publishing import kind_name
from packs.education.school import AS_GRADE, Grade, Subject
from rollcall.core.context import ToolContext

QUESTION_KINDS = ("worksheet", "test")
BLANK = "__________"


class Section(BaseModel):
    """A part of a text by the model."""

    heading: str = Field(min_length=1, max_length=300)
    text: str = Field(min_length=1, max_length=3_000)
    passage: int | None = None
    quote: str | None = Field(default=None, description="Words of the passage it rests on")


class Sections(BaseModel):
    sections: list[Section] = Field(min_length=1, max_length=20)


class Criterion(BaseModel):
    criterion: str = Field(min_length=1, max_length=300)
    levels: list[str] = Field(min_length=4, max_length=4, description="Best first")


class Criteria(BaseModel):
    criteria: list[Criterion] = Field(min_length=2, max_length=8)


@makes_draft("search_prompts", "publish_content")
def generate_static_content(
    ctx: ToolContext,
    *,
    content_type: StaticKind,
    topic: Topic,
    grade: Annotated[Grade | None, AS_GRADE] = None,
    subject: Subject | None = None,
    additional_instructions: Instructions | None = None,
    passage: PassageText | None = None,
    document_id: DocumentId | None = None,
    question_count: Count = 10,
) -> GeneratedContent:
    """Make something to print: a worksheet, a test, a lesson plan, a letter, feedback or a rubric.

    It becomes a private draft of the teacher's, with files. Keys are computed or cited; where
    there is nothing to compute and no material, it says so. For something to answer on a screen
    use generate_interactive_activity.

    Args:
        content_type: What to make.
        topic: What it is about.
        grade: The grade, such as "ד" or "4".
        subject: The subject, in English or Hebrew.
        additional_instructions: Other wishes, in the teacher's words.
        passage: A text to make it of, where the teacher gave one.
        document_id: One of the teacher's documents to make it of.
        question_count: How many questions a worksheet or a test has.
    """
    brief = read_brief(
        ctx,
        topic,
        grade=grade,
        subject=subject,
        passage=passage,
        document_id=document_id,
        count=question_count,
        instructions=additional_instructions,
        of_questions=content_type in QUESTION_KINDS,
    )
    if content_type in QUESTION_KINDS:
        made, brief = make_content(ctx, brief)
        standards = find_standards_for(ctx, brief)
        banner = None
        made = structs.replace(made, items=with_points(made.items))
    else:
        standards = find_standards_for(ctx, brief)
        made = _prose(ctx, brief, content_type, standards)
        banner = TEXTS.say(brief.locale, "banner.offline") if made.generator == "offline" else None
    return store_content(ctx, brief, made, content_type, banner=banner, standards=standards)


def _prose(
    ctx: ToolContext, brief: Brief, kind: StaticKind, standards: list[tuple[str, Standard]]
) -> GeneratedItems:
    """Write a plan, a letter, feedback or a rubric by the model, or its structure with blanks."""
    if kind == "rubric":
        return _rubric(ctx, brief)
    outline = TEXTS.data(brief.locale, f"outlines.{kind}")
    answer = ask_model(
        ctx.text_model,
        "sections",
        request=brief.request()
        | {
            "what": kind_name(kind, brief.locale),
            "sections": [each["heading"] for each in outline],
            "standards": [each.statement.say(brief.locale) for _, each in standards],
        },
        passages=brief.passages,
        shape=Sections,
        locale=brief.locale,
    )
    if answer is not None:
        items = [_section(each, brief) for each in answer.sections]
        unverified = sum(each.block.basis == "unverified" for each in items)
        return GeneratedItems(items, "model", unverified=unverified)
    found = []
    for each in outline:
        lines = [f"## {each['heading']}", *each["lines"]]
        text = "\n".join(line.format(topic=brief.topic, blank=BLANK) for line in lines)
        found.append(item("text", text))
    quotes = [
        item("text", passage.text[:1_500], basis="cited", source=passage.source())
        for passage in brief.passages[:3]
    ]
    return GeneratedItems([*found, *quotes], "offline")


def _section(section: Section, brief: Brief) -> Item:
    passage = passage_with_quote(brief.passages, section.passage, section.quote)
    return item(
        "text",
        f"## {section.heading}\n{section.text}",
        basis="cited" if passage else "unverified",
        source=passage.source(section.quote) if passage else None,
    )


def _rubric(ctx: ToolContext, brief: Brief) -> GeneratedItems:
    """Make a table of criteria and levels."""
    head = list(TEXTS.data(brief.locale, "rubric.head"))
    answer = ask_model(
        ctx.text_model,
        "rubric",
        request=brief.request() | {"levels": head[1:]},
        passages=brief.passages,
        shape=Criteria,
        locale=brief.locale,
    )
    if answer is not None:
        rows = [[each.criterion, *(text[:500] for text in each.levels)] for each in answer.criteria]
        return GeneratedItems([item("table", brief.topic, rows=[head, *rows])], "model")
    criteria = TEXTS.data(brief.locale, "rubric.criteria")
    blanks = [[each, *[BLANK] * (len(head) - 1)] for each in criteria]
    return GeneratedItems([item("table", brief.topic, rows=[head, *blanks])], "offline")
