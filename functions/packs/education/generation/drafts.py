"""Makes the items of a content, and stores it as a draft with its files.

Items come from the first source that has any: the model, where one is configured, checked against
passages and arithmetic; the families of mathematics; the words of the teacher's own passages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar, get_args

from msgspec import Struct, structs
from pydantic import Field

from packs.education.blocks import Block, Item, Level
from packs.education.contents import (
    Content,
    ContentKind,
    QaCounts,
    block_id,
    create_content,
    material_locale,
)
from packs.education.curriculum import Standard, find_standards, standard_citation, standards_about
from packs.education.exports import keep_files
from packs.education.generation.model import GeneratedItems, Generator, model_items
from packs.education.generation.passages import Passage, find_passages, text_items
from packs.education.generation.quality import ERRORS, find_problems
from packs.education.generation.wording import TEXTS
from packs.education.mathematics.problems import (
    GRADES,
    families_for,
    is_mathematics,
    make_problems,
    topics_of,
)
from packs.education.publishing import kind_name
from packs.education.school import GRADES as SCHOOL_GRADES
from packs.education.school import SubjectId, grade_name, grade_number
from rollcall.core.capability import Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.inputs import NOT_BLANK
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import FileRef, Locale, Wire
from rollcall.core.texts import short

F = TypeVar("F", bound=Callable[..., Any])
Topic = Annotated[str, Field(min_length=1, max_length=300, pattern=NOT_BLANK)]
Instructions = Annotated[str, Field(max_length=2_000)]
PassageText = Annotated[str, Field(max_length=12_000)]
DocumentId = Annotated[str, Field(min_length=1, max_length=128)]
Count = Annotated[int, Field(ge=1, le=40)]
LEVELS: tuple[Level, ...] = get_args(Level)
_MAX_STANDARDS = 5


class Brief(Struct, frozen=True):
    """A teacher's request for a content.

    Attributes:
        level: "all" for an easier, a usual and a harder part.
        prefers: Kinds of blocks in order of preference; empty for no preference.
    """

    topic: str
    grade: str | None
    subject: SubjectId | None
    locale: Locale
    seed: str
    count: int = 10
    level: Level | Literal["all"] = "core"
    prefers: tuple[str, ...] = ()
    instructions: str | None = None
    passages: tuple[Passage, ...] = ()

    def request(self) -> dict[str, Any]:
        """Return the request as a model reads it."""
        return {
            "topic": self.topic,
            "grade": grade_name(self.grade, "en") if self.grade else None,
            "subject": self.subject,
            "language": self.locale,
            "wishes": self.instructions,
        }


class GeneratedContent(Wire):
    """A generated content.

    Attributes:
        done: A confirmation in words.
        standards: Ids of stored standards that it covers.
        banner: A warning for the teacher before using it.
        block_ids: The ids of `blocks`, in the same order.
        left_out: How many of the model's items failed the checks and were left out.
        unverified: How many items state facts that no passage of the teacher's material has.
    """

    done: str
    content_id: str
    title: str
    kind: ContentKind
    grade: str | None = None
    subject: SubjectId | None = None
    files: list[FileRef]
    blocks: list[Block]
    block_ids: list[str]
    standards: list[str]
    banner: str | None = None
    generator: Generator
    left_out: int = 0
    unverified: int = 0
    notes: list[str] = Field(default_factory=list)


def makes_draft(*related: str, about: str = "topic") -> Callable[[F], F]:
    """Declare a capability that makes a private draft: it needs no approval and can be undone.

    Args:
        about: The argument that its summary names, for an operator who requires approvals.
    """
    return capability(
        related=related,
        min_role="teacher",
        effect="write",
        atomic=True,
        approval=ApprovalPolicy(ask="never"),
        summary=lambda given: TEXTS.by_language("summary", topic=short(str(given[about]))),
        undo=Undo(
            "delete_content",
            lambda given, result: {"contentId": result["contentId"]} if result else None,
        ),
    )


def read_brief(
    ctx: ToolContext,
    topic: str,
    *,
    grade: str | None,
    subject: SubjectId | None,
    passage: str | None = None,
    document_id: str | None = None,
    of_questions: bool = True,
    **wanted: Any,
) -> Brief:
    """Return a teacher's request, with the passages about its topic.

    Args:
        of_questions: Whether it asks for questions; those of mathematics are computed, so that no
            documents are searched for them.
    """
    is_math = subject == "math" or (subject is None and is_mathematics(topic))
    found: list[Passage] = []
    if passage or document_id or not (is_math and of_questions):
        labels = {
            name: str(value)
            for name, value in (("subject", subject), ("grade", grade))
            if value is not None
        }
        found = find_passages(ctx, topic, passage=passage, document_id=document_id, labels=labels)
    return Brief(
        topic=" ".join(topic.split()),
        grade=grade,
        subject="math" if is_math else subject,
        locale=material_locale(ctx, topic),
        seed=f"{ctx.effect_key}{topic}",
        passages=tuple(found),
        **wanted,
    )


def make_content(ctx: ToolContext, brief: Brief) -> tuple[GeneratedItems, Brief]:
    """Make the items of a content; return them with the brief, which has the assumed grade.

    Raises:
        FailedPrecondition: There is neither a model nor material; the message says what to send.
    """
    made = model_items(
        ctx.text_model,
        brief.request()
        | {"count": brief.count, "level": brief.level, "kinds": list(brief.prefers)},
        brief.passages,
        locale=brief.locale,
    )
    if made is not None and made.items:
        return made, brief
    if brief.subject == "math" and not brief.passages:
        return _mathematics(brief)
    level: Level = "core" if brief.level == "all" else brief.level
    items = text_items(
        brief.passages, count=brief.count, seed=brief.seed, locale=brief.locale, level=level
    )
    if not items:
        grades = [grade_number(brief.grade)] if brief.grade else GRADES
        has_families = any(families_for(brief.topic, grade) for grade in grades)
        is_maybe_math = has_families and brief.subject is None and not brief.passages
        key = "is_it_mathematics" if is_maybe_math else "nothing_to_make_of"
        raise FailedPrecondition(
            TEXTS.text(f"errors.{'too_little_text' if brief.passages else key}"),
            field="subject" if is_maybe_math else "topic",
            hint="subject: math" if is_maybe_math else "passage, documentId, or upload_knowledge",
        )
    return GeneratedItems(items, "offline"), brief


def find_standards_for(ctx: ToolContext, brief: Brief) -> list[tuple[str, Standard]]:
    """Return stored standards about a brief's topic, best first; none without subject and grade."""
    if ctx.platform is None or not brief.subject or not brief.grade:
        return []
    stored = find_standards(ctx, brief.subject, brief.grade)
    found = standards_about(brief.topic, stored, _MAX_STANDARDS)
    for id, standard in found:
        ctx.cite(standard_citation(id, standard, ctx.locale))
    return found


def store_content(
    ctx: ToolContext,
    brief: Brief,
    made: GeneratedItems,
    kind: ContentKind,
    *,
    banner: str | None = None,
    standards: Sequence[tuple[str, Standard]] = (),
    variant_of: str | None = None,
) -> GeneratedContent:
    """Store items as a private draft, and return the result for the teacher."""
    items = made.items
    id = ctx.new_id
    title = _title(brief, kind, variant_of)
    qa = _qa(items, is_variant=variant_of is not None)
    notes = list(made.notes)
    if made.generator == "offline" and ctx.text_model is not None and variant_of is None:
        notes.append(TEXTS.say(brief.locale, "notes.no_model_answer"))
    if qa.errors or qa.warnings:
        notes.append(TEXTS.say(brief.locale, "notes.qa", count=qa.errors + qa.warnings))
    sources = list({repr(each.block.source): each.block.source for each in items}.values())
    content = Content(
        uid=ctx.user.uid,
        kind=kind,
        title=title,
        topic=brief.topic[:300],
        subject=brief.subject,
        grade=brief.grade,
        locale=brief.locale,
        standards=[id for id, _ in standards],
        sources=[
            source.model_copy(update={"quote": None}) for source in sources if source is not None
        ][:50],
        generator=made.generator,
        variant_of=variant_of,
        qa=qa,
        points=sum(each.block.points for each in items),
    )
    if made.unverified and banner is None:
        banner = TEXTS.say(brief.locale, "banner.unverified", count=made.unverified)
    statements = [standard.statement.say(brief.locale) for _, standard in standards]
    files = keep_files(ctx, content, items, id=id, standards=statements, banner=banner)
    stored = create_content(ctx, id, content.model_copy(update={"files": files}), items)
    questions = sum(each.block.is_question for each in items)
    return GeneratedContent.read(
        dict(stored),
        done=TEXTS.say(brief.locale, "done", title=title, count=questions),
        content_id=id,
        blocks=[each.block for each in items],
        block_ids=[block_id(id, number) for number in range(1, len(items) + 1)],
        banner=banner,
        left_out=made.left_out,
        unverified=made.unverified,
        notes=notes,
    )


def _qa(items: Sequence[Item], *, is_variant: bool) -> QaCounts:
    """Count the findings of the quality checks; variants of one question may be alike."""
    found = [
        each.code
        for each in find_problems({str(n): item for n, item in enumerate(items)})
        if not (is_variant and each.code == "duplicate_question")
    ]
    errors = sum(code in ERRORS for code in found)
    return QaCounts(errors=errors, warnings=len(found) - errors, codes=dict(Counter(found)))


def with_points(items: Sequence[Item], total: int = 100) -> list[Item]:
    """Share points among the questions in whole numbers; the first ones get the remainder.

    If there are more than `total` questions, each gets one point.
    """
    questions = [n for n, each in enumerate(items) if each.block.is_question]
    if not questions:
        return list(items)
    each, over = divmod(max(total, len(questions)), len(questions))
    points = {n: each + (place < over) for place, n in enumerate(questions)}
    return [
        item.model_copy(
            update={"block": item.block.model_copy(update={"points": points.get(n, 0)})}
        )
        for n, item in enumerate(items)
    ]


def _title(brief: Brief, kind: ContentKind, variant_of: str | None) -> str:
    name = kind_name(kind, brief.locale)
    parts = [f"{name[:1].upper()}{name[1:]}: {brief.topic}"]
    if brief.grade:
        parts.append(grade_name(brief.grade, brief.locale))
    if variant_of:
        number = int(variant_of.rpartition("-")[2])
        parts.append(TEXTS.say(brief.locale, "variants.title", number=number))
    return ", ".join(parts)[:300]


def _mathematics(brief: Brief) -> tuple[GeneratedItems, Brief]:
    """Make problems by the families. Without a grade it is the first that has problems about the
    topic; grade 4 is tried first, since it has most topics."""
    if brief.grade is None:
        fitting = (number for number in (4, *GRADES) if families_for(brief.topic, number))
        if number := next(fitting, None):
            brief = structs.replace(brief, grade=SCHOOL_GRADES[number - 1])
    number = grade_number(brief.grade) if brief.grade else 0
    problems = make_problems(
        brief.topic,
        grade=number,
        count=brief.count,
        seed=brief.seed,
        locale=brief.locale,
        levels=LEVELS if brief.level == "all" else (brief.level,),
    )
    if not problems:
        topics = ", ".join(topics_of(number, brief.locale)) if number else ""
        key = "errors.no_problems" if topics else "errors.no_problems_of_grade"
        raise FailedPrecondition(
            TEXTS.text(key, topics=topics), field="topic", hint="passage or documentId"
        )
    rank = {kind: place for place, kind in enumerate(brief.prefers)}
    in_order = sorted(
        problems,
        key=lambda each: (LEVELS.index(each.block.level), rank.get(each.block.kind, len(rank))),
    )
    note = TEXTS.say(brief.locale, "notes.fewer", count=len(problems))
    notes = (note,) if len(problems) < brief.count else ()
    return GeneratedItems(in_order, "offline", notes=notes), brief
