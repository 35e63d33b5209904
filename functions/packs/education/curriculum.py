"""The capability `search_curriculum`: searches standards, as public documents state them.

    curriculumStandards/{id}  documentId, parentId, code or null, statement {he, en}, subject,
                              grades, topic, hours or null, bloomLevels, source {title, url, page}

The shape follows IMS CASE: a document, its items and their parents. No standard is made up: ids,
codes and statements are returned exactly as stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from packs.education.blocks import Bloom
from packs.education.ranking import ranked
from packs.education.school import (
    AS_GRADE_LEVEL,
    Grade,
    Subject,
    SubjectId,
    grade_name,
    subject_name,
)
from packs.education.wording import TEXTS, show_table
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Citation, Wire
from rollcall.core.texts import isolated, short
from rollcall.store.batches import where

STANDARDS = "curriculumStandards"
MAX_SEARCHED = 1_000
MAX_FOUND = 20

Line = Annotated[str, Field(min_length=1, max_length=300)]
Statement = Annotated[str, Field(min_length=1, max_length=2_000)]


class Wording(Wire):
    """A statement in one or both languages."""

    he: Statement | None = None
    en: Statement | None = None

    def say(self, locale: str) -> str:
        """Return the statement in this language, or else in the other."""
        return (self.en or self.he if locale == "en" else self.he or self.en) or ""


class StandardSource(Wire):
    """The source of a standard. `page` is a page's number, or the section of a web page."""

    title: Line
    url: Annotated[str, Field(max_length=1_000, pattern=r"^https?://")] | None = None
    page: Annotated[str, Field(min_length=1, max_length=80)]


class Standard(Wire):
    """A stored standard.

    Attributes:
        document_id: The document that it is part of.
        parent_id: The standard that it is part of.
        code: The document's number for it; None if it has none.
        grades: The letters of its grades.
        hours: The hours that the document assigns to it.
        bloom_levels: Empty if the document states none.
    """

    document_id: Line
    parent_id: Annotated[str, Field(max_length=128)] | None = None
    code: Annotated[str, Field(max_length=60)] | None = None
    statement: Wording
    subject: Subject
    grades: Annotated[list[Grade], Field(min_length=1, max_length=12)]
    topic: Line
    hours: Annotated[float, Field(gt=0, le=1_000)] | None = None
    bloom_levels: list[Bloom] = Field(default_factory=list)
    source: StandardSource


class StandardMatch(Wire):
    """A search result, in the user's language where the standard has a statement in it."""

    id: str
    code: str | None = None
    parent_id: str | None = None
    statement: str
    topic: str
    grades: list[str]
    hours: float | None = None
    bloom_levels: list[Bloom]
    source: StandardSource


class Standards(Wire):
    """What search_curriculum returns.

    Attributes:
        answer: The result in words, also if nothing was found.
        stored: How many standards of this subject and grade are stored.
        without_bloom: How many of them were left out because they state no Bloom level.
    """

    answer: str
    subject: SubjectId
    grade: str
    standards: list[StandardMatch]
    stored: int
    without_bloom: int = 0


@capability(related=["generate_interactive_activity"], min_role="teacher")
def search_curriculum(
    ctx: ToolContext,
    *,
    subject: Subject,
    grade_level: Annotated[Grade, AS_GRADE_LEVEL],
    topic: Annotated[str, Field(max_length=500)] | None = None,
    bloom_levels: Annotated[list[Bloom], Field(max_length=6)] | None = None,
) -> Standards:
    """Look up what the curriculum asks for in a subject and a grade, with its source.

    Only standards that were loaded from a document are found. Where there is none, say so; never
    name one from memory.

    Args:
        subject: The subject, in English or Hebrew.
        grade_level: The grade, such as "ד" or "4".
        topic: What it should be about; leave out for all of the grade.
        bloom_levels: Only standards of these levels.
    """
    every = find_standards(ctx, subject, grade_level)
    wanted, stored_count = set(bloom_levels or ()), len(every)
    stored = [each for each in every if not wanted or wanted & set(each[1].bloom_levels)]
    without_bloom = sum(not standard.bloom_levels for _, standard in every) if wanted else 0
    has_topic = topic is not None and bool(topic.strip())
    found = standards_about(topic or "", stored, MAX_FOUND) if has_topic else stored[:MAX_FOUND]
    shown = [
        StandardMatch.read(dict(each), id=id, statement=each.statement.say(ctx.locale))
        for id, each in found
    ]
    for id, standard in found:
        ctx.cite(standard_citation(id, standard, ctx.locale))
    rows = [
        (
            isolated(each.topic),
            isolated(each.statement),
            each.code or "—",
            isolated(each.source.title),
            each.source.page,
        )
        for each in shown
    ]
    about_it = short(topic) if topic else subject_name(subject, ctx.locale)
    show_table(ctx, about_it, TEXTS.data(ctx.locale, "curriculum.columns").values(), rows)
    values: dict[str, Any] = {
        "subject": subject_name(subject, ctx.locale),
        "grade": grade_name(grade_level, ctx.locale),
        "stored": stored_count,
    }
    key = "curriculum.found" if shown else "curriculum.none_fits"
    if not stored_count:
        key = "curriculum.none_stored"
    elif without_bloom == stored_count:
        key = "curriculum.none_says_bloom"
    answer = TEXTS.say(ctx.locale, key, count=len(shown), **values)
    return Standards(
        answer=answer,
        subject=subject,
        grade=grade_level,
        standards=shown,
        stored=stored_count,
        without_bloom=without_bloom,
    )


def find_standards(ctx: ToolContext, subject: str, grade: str) -> list[tuple[str, Standard]]:
    """Return the stored standards of a subject and grade, by id."""
    query = ctx.db.collection(STANDARDS).where(filter=where("subject", "==", subject))
    query = query.where(filter=where("grades", "array_contains", grade)).limit(MAX_SEARCHED)
    found = {each.id: Standard.read(each.to_dict() or {}) for each in query.stream()}
    return sorted(found.items())


def standards_about(
    topic: str, standards: Sequence[tuple[str, Standard]], limit: int
) -> list[tuple[str, Standard]]:
    """Return the standards about a topic, best first."""
    texts = [
        {"topic": each.topic, "statement": f"{each.statement.he or ''} {each.statement.en or ''}"}
        for _, each in standards
    ]
    places = ranked(topic, texts, {"topic": 2.0, "statement": 1.0}, limit=limit)
    return [standards[place] for place, _ in places]


def standard_citation(id: str, standard: Standard, locale: str) -> Citation:
    """Return the citation of a standard."""
    source = standard.source
    return Citation(
        type="document",
        title=source.title,
        quote=standard.statement.say(locale)[:300],
        code=standard.code,
        document_id=id,
        section=source.page,
        url=source.url,
    )
