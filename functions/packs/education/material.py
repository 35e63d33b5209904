"""The capability `search_user_content`: searches the material that the teacher made."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from packs.education.contents import InteractiveKind, OpenedContent, StaticKind, own_contents
from packs.education.publishing import kind_name, status_name
from packs.education.ranking import ranked
from packs.education.school import grade_name, subject_name
from packs.education.wording import TEXTS, show_table
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire
from rollcall.core.texts import isolated, short

MAX_SEARCHED = 500
_BOOSTS = {"title": 2.0, "topic": 2.0, "subject": 1.0, "grade": 1.0, "kind": 1.0}
Query = Annotated[str, Field(max_length=500)]
Limit = Annotated[int, Field(ge=1, le=50)]
MadeKind = Literal[StaticKind, InteractiveKind]


class ContentMatch(Wire):
    """A search result; `score` is 1 for a content that has all of the query's words."""

    content_id: str
    kind: str
    title: str
    topic: str
    subject: str | None = None
    grade: str | None = None
    status: str
    course_id: str | None = None
    blocks: int
    created_at: str
    score: float


class UserContents(Wire):
    """What search_user_content returns, best first.

    Attributes:
        searched: How many contents were searched.
        searched_all: Whether these are all that the teacher made.
        answer: The result in words.
    """

    answer: str
    contents: list[ContentMatch]
    searched: int
    searched_all: bool


@capability(
    related=["publish_content", "delete_content"],
    min_role="teacher",
)
def search_user_content(
    ctx: ToolContext, *, query: Query, content_type: MadeKind | None = None, limit: Limit = 10
) -> UserContents:
    """Search the material that the teacher made before: worksheets, tests, activities, lessons.

    It finds by title, topic, subject and grade, and nothing of other teachers.

    Args:
        query: What to look for, such as the topic; "" for all of it, newest first.
        content_type: One kind of material alone.
        limit: Most to return.
    """
    own = own_contents(ctx, MAX_SEARCHED + 1)
    searched = own[:MAX_SEARCHED]
    of_kind = [each for each in searched if content_type in (None, each.content.kind)]
    texts = [_texts(each) for each in of_kind]
    is_list = not query.strip()
    places = (
        [(place, 1.0) for place in range(len(of_kind))][:limit]
        if is_list
        else ranked(query, texts, _BOOSTS, limit=limit)
    )
    found = [_content_match(of_kind[place], score) for place, score in places]
    by_id = {each.id: each for each in of_kind}
    rows = [_row(by_id[each.content_id], ctx.locale) for each in found]
    title = isolated(short(query)) or TEXTS.say(ctx.locale, "contents.mine")
    show_table(ctx, title, TEXTS.data(ctx.locale, "contents.columns").values(), rows)
    key = "contents.listed" if is_list else "contents.found"
    answer = TEXTS.say(ctx.locale, key, count=len(found), query=short(query), searched=len(of_kind))
    return UserContents(
        answer=answer,
        contents=found,
        searched=len(of_kind),
        searched_all=len(own) <= MAX_SEARCHED,
    )


def _texts(opened: OpenedContent) -> dict[str, str]:
    """Return the searchable texts of a content, in both languages."""
    content = opened.content
    languages = TEXTS.languages
    subject, grade = content.subject, content.grade
    return {
        "title": content.title,
        "topic": content.topic,
        "subject": " ".join(subject_name(subject, each) for each in languages) if subject else "",
        "grade": " ".join(grade_name(grade, each) for each in languages) if grade else "",
        "kind": " ".join(kind_name(content.kind, each) for each in languages),
    }


def _row(opened: OpenedContent, locale: str) -> tuple[str, ...]:
    content = opened.content
    return (
        isolated(content.title),
        kind_name(content.kind, locale),
        grade_name(content.grade, locale) if content.grade else "—",
        status_name(content, locale),
        _created(opened).strftime("%d.%m.%Y"),
    )


def _created(opened: OpenedContent) -> datetime:
    created: datetime = opened.snapshot.get("createdAt")
    return created


def _content_match(opened: OpenedContent, score: float) -> ContentMatch:
    return ContentMatch.read(
        dict(opened.content),
        content_id=opened.id,
        blocks=opened.content.block_count,
        created_at=_created(opened).isoformat(),
        score=score,
    )
