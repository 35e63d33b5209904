"""The capability `run_qa_tests`: reports problems of material, block by block."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from packs.education.contents import OpenedContent, open_content, own_contents, read_items
from packs.education.courses import open_course
from packs.education.generation.quality import (
    CODES,
    ERRORS,
    MIN_CORPUS,
    Code,
    find_problems,
    sentence_lengths,
)
from packs.education.generation.wording import TEXTS
from packs.education.publishing import ContentId, CourseId
from packs.education.wording import show_table
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import NotFound
from rollcall.core.shapes import Wire
from rollcall.core.texts import isolated, short

MAX_CHECKED = 30
_LOOKED_AT = 200
_CORPUS_CONTENTS = 20


class QaFinding(Wire):
    """A problem. With the severity "error" it makes an answer wrong or ambiguous."""

    content_id: str
    block_id: str
    code: Code
    severity: Literal["error", "warning"]
    message: str
    about: str


class CheckedContent(Wire):
    """A content that was checked."""

    content_id: str
    title: str
    blocks: int
    errors: int
    warnings: int


class QaReport(Wire):
    """What run_qa_tests returns.

    Attributes:
        answer: The result in words.
        checks: Codes of the checks that were made.
        not_checked: Checks that were not made, and why.
        checked_all: Whether all of the requested material was checked.
    """

    answer: str
    contents: list[CheckedContent]
    findings: list[QaFinding]
    checks: list[Code]
    not_checked: list[str]
    checked_all: bool


@capability(
    related=["generate_variants", "search_user_content", "publish_content"],
    min_role="teacher",
)
def run_qa_tests(
    ctx: ToolContext,
    *,
    course_id: CourseId | None = None,
    unit_id: Annotated[str, Field(min_length=1, max_length=128)] | None = None,
    include_all: bool = False,
    content_id: ContentId | None = None,
) -> QaReport:
    """Check the teacher's material for mistakes: keys, options, duplicates, wording, bias, images.

    With nothing named it checks what was made last. It says nothing of a text's grade level.

    Args:
        course_id: The teacher's published material of this course.
        unit_id: Material with this label of a unit.
        include_all: Drafts too; with nothing else named, all of the teacher's material.
        content_id: One content alone.
    """
    own = own_contents(ctx, _LOOKED_AT)
    chosen = _contents_to_check(ctx, own, course_id, unit_id, include_all, content_id)
    contents: list[CheckedContent] = []
    findings: list[QaFinding] = []
    not_checked: list[str] = []
    for opened in chosen[:MAX_CHECKED]:
        corpus = _corpus(own, opened)
        if len(corpus) < MIN_CORPUS:
            title = isolated(opened.content.title)
            not_checked.append(TEXTS.say(ctx.locale, "qa.no_corpus", title=title))
        items = read_items(opened)
        found = [
            QaFinding(
                content_id=opened.id,
                block_id=each.block_id,
                code=each.code,
                severity="error" if each.code in ERRORS else "warning",
                message=TEXTS.say(ctx.locale, f"qa.codes.{each.code}"),
                about=each.about,
            )
            for each in find_problems(items, corpus=corpus)
        ]
        errors = sum(each.severity == "error" for each in found)
        contents.append(
            CheckedContent(
                content_id=opened.id,
                title=opened.content.title,
                blocks=len(items),
                errors=errors,
                warnings=len(found) - errors,
            )
        )
        findings += found
    rows = [(each.block_id[-3:], each.message, short(each.about)) for each in findings]
    columns = TEXTS.data(ctx.locale, "qa.columns")
    show_table(ctx, TEXTS.say(ctx.locale, "qa.title"), columns, rows)
    title = isolated(contents[0].title) if len(contents) == 1 else str(len(contents))
    return QaReport(
        answer=TEXTS.say(ctx.locale, "qa.answer", count=len(findings), title=title),
        contents=contents,
        findings=findings,
        checks=[code for code in CODES if code != "long_sentence" or not not_checked],
        not_checked=not_checked,
        checked_all=len(chosen) <= MAX_CHECKED,
    )


def _contents_to_check(
    ctx: ToolContext,
    own: list[OpenedContent],
    course_id: str | None,
    unit_id: str | None,
    include_all: bool,
    content_id: str | None,
) -> list[OpenedContent]:
    if content_id is not None:
        return [open_content(ctx, content_id)]
    if course_id is None and unit_id is None:
        chosen = own if include_all else own[:1]
    else:
        course = open_course(ctx, course_id).id if course_id else None
        chosen = [
            each
            for each in own
            if (course is None or each.content.course_id == course)
            and (unit_id is None or each.content.unit_id == unit_id)
            and (include_all or each.content.status == "published")
        ]
    if not chosen:
        raise NotFound(TEXTS.say(ctx.locale, "qa.nothing"), hint="search_user_content")
    return chosen


def _corpus(own: list[OpenedContent], checked: OpenedContent) -> list[int]:
    """Return the sentence lengths of the teacher's other material of the same grade."""
    grade = checked.content.grade
    others = [each for each in own if each.id != checked.id and each.content.grade == grade]
    return [
        length
        for each in others[:_CORPUS_CONTENTS]
        for length in sentence_lengths(list(read_items(each).values()))
    ]
