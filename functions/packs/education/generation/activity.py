"""The capability `generate_interactive_activity`: activities, exams and lessons for the screen."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import structs

from packs.education.blocks import Item, item
from packs.education.contents import InteractiveKind
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
from packs.education.generation.podcast import make_podcast
from packs.education.generation.wording import TEXTS
from packs.education.school import AS_GRADE, Grade, Subject, grade_name
from rollcall.core.context import ToolContext

PROFILES: dict[str, tuple[str, ...]] = {
    "balanced": (),
    "educational": ("open", "numeric", "cloze", "order", "choice"),
    "game": ("match", "order", "true_false", "choice", "multi_choice", "cloze"),
}
"""The kinds of questions that come first, by profile."""


class InteractiveContent(GeneratedContent):
    """What generate_interactive_activity returns.

    Attributes:
        bot: A briefing for an agent that helps pupils with this content.
        seconds: The length of a podcast.
    """

    bot: str | None = None
    seconds: int | None = None


@makes_draft("generate_static_content", "search_curriculum", "publish_content")
def generate_interactive_activity(
    ctx: ToolContext,
    *,
    product_type: InteractiveKind,
    topic: Topic,
    grade: Annotated[Grade, AS_GRADE],
    difficulty_level: Literal["support", "core", "enrichment", "all"] | None = None,
    profile: Literal["balanced", "educational", "game"] | None = None,
    include_bot: bool = False,
    subject: Subject | None = None,
    additional_instructions: Instructions | None = None,
    passage: PassageText | None = None,
    document_id: DocumentId | None = None,
    question_count: Count = 10,
) -> InteractiveContent:
    """Make something to answer on a screen: an activity, an exam, a lesson; or a podcast's script.

    It becomes a private draft; publish_content gives it to pupils. Keys are computed or cited. For
    something to print use generate_static_content.

    Args:
        product_type: What to make.
        topic: What it is about.
        grade: The grade, such as "ד" or "4".
        difficulty_level: How hard; "all" has a part of each.
        profile: Which kinds of questions come first; "game" has matching and ordering.
        include_bot: Whether to add a briefing for an agent that helps pupils.
        subject: The subject, in English or Hebrew.
        additional_instructions: Other wishes, in the teacher's words.
        passage: A text to make it of, where the teacher gave one.
        document_id: One of the teacher's documents to make it of.
        question_count: How many questions it has.
    """
    brief = read_brief(
        ctx,
        topic,
        grade=grade,
        subject=subject,
        passage=passage,
        document_id=document_id,
        count=question_count,
        level=difficulty_level or "core",
        prefers=PROFILES[profile or "balanced"],
        instructions=additional_instructions,
        of_questions=product_type != "podcast",
    )
    bot = _bot(brief) if include_bot else None
    if product_type == "podcast":
        script = make_podcast(ctx, brief)
        return InteractiveContent.read(dict(script), bot=bot)
    made, brief = make_content(ctx, brief)
    items = made.items
    if product_type == "exam":
        items = [_without_hints(each) for each in items]
    elif product_type == "lesson":
        opening = TEXTS.say(brief.locale, "lesson.opening", topic=brief.topic)
        items = [item("text", opening), *items]
    total = 100 if product_type == "exam" else 10 * sum(each.block.is_question for each in items)
    made = structs.replace(made, items=with_points(items, total))
    standards = find_standards_for(ctx, brief)
    stored = store_content(ctx, brief, made, product_type, standards=standards)
    return InteractiveContent(**dict(stored), bot=bot)


def _without_hints(item: Item) -> Item:
    return item.model_copy(update={"key": item.key.model_copy(update={"hint": None})})


def _bot(brief: Brief) -> str:
    """Return a briefing for an agent that helps pupils without giving answers."""
    grade = grade_name(brief.grade, brief.locale) if brief.grade else ""
    return TEXTS.say(brief.locale, "bot", topic=brief.topic, grade=grade)
