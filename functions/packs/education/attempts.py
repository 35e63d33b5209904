"""What pupils do with published material: `get_activity`, `start_attempt`, `answer_block`,
`finish_attempt`; and how its teachers try it, `try_answer`.

    attempts/{id}  uid, contentId, courseId, version, title, topic, status, startedAt, finishedAt,
                   answers {block id: try}, points, maxPoints, schemaVersion

One attempt for each pupil and version of a content. Answers are checked here, against keys that no
client reads; an attempt keeps what a course's figures need, so that they outlast the content.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field

from packs.education.answers import check_answer
from packs.education.blocks import Card, Image, Item, Key, Kind, Option
from packs.education.contents import (
    ATTEMPTS,
    SCHEMA_VERSION,
    ContentKind,
    OpenedContent,
    open_block,
    open_content,
    read_items,
)
from packs.education.courses import checked_id, is_student
from packs.education.publishing import ContentId, Tries
from packs.education.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, PermissionDenied, ResourceExhausted
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import Wire
from rollcall.store.batches import update_unchanged

if TYPE_CHECKING:
    from rollcall.store.batches import DocumentSnapshot

MAX_ANSWERS_BYTES = 600_000
OWN_WORK = ApprovalPolicy(ask="never")
"""A pupil's own answers are nobody else's to approve."""
F = TypeVar("F", bound=Callable[..., Any])

AttemptId = Annotated[str, Field(min_length=1, max_length=64)]
Given = bool | int | float | str | list[str] | dict[str, str]
Status = Literal["open", "finished"]


class PupilBlock(Wire):
    """A block as a pupil sees it: without key, feedback and source. What is to be put in order or
    matched is mixed."""

    block_id: str
    kind: Kind
    stem: str
    options: list[Option]
    targets: list[Option]
    rows: list[list[str]]
    image: Image | None = None
    cards: list[Card]
    unit: str | None = None
    points: int


class AnswerTry(Wire):
    """The newest answer to a block.

    Attributes:
        tries: How often it was answered.
        correct: None where a person has to judge.
        max_points: Those of the block.
    """

    tries: int
    given: Given
    correct: bool | None = None
    points: float | None = None
    max_points: float
    bloom: str | None = None


class Attempt(Wire):
    """How far a pupil is. `to_judge`: answers that a person has to judge."""

    attempt_id: str
    content_id: str
    title: str
    status: Status
    answered: int
    questions: int
    points: float
    max_points: float
    to_judge: int


class BlockAnswered(Wire):
    """What answer_block and try_answer return.

    Attributes:
        attempt_id: None where it was only tried.
        parts: Of a match or a cloze: which parts are right.
        feedback: What the key says to the chosen options; once it is right or takes no further
            try, what the key says to all.
        hint: Where it is not right and may be tried again.
        tries_left: How often it may be answered yet.
    """

    attempt_id: str | None = None
    block_id: str
    given: Given
    correct: bool | None = None
    points: float | None = None
    max_points: float
    parts: dict[str, bool]
    feedback: list[str]
    hint: str | None = None
    tries_left: int


class Activity(Wire):
    """What get_activity returns.

    Attributes:
        is_preview: Whether the user is no pupil of it, so that answers are tried and not kept.
        answers: The newest of the attempt to each question that it has answered.
    """

    content_id: str
    title: str
    kind: ContentKind
    grade: str | None = None
    subject: str | None = None
    locale: str
    version: int
    max_tries: int
    is_preview: bool
    blocks: list[PupilBlock]
    attempt: Attempt | None = None
    answers: list[BlockAnswered]


def _own_work(summary: str, *related: str) -> Callable[[F], F]:
    """Declare a write of a pupil's own, which is not asked for.

    Args:
        summary: The key of what an approval would ask, where an operator wants one.
    """
    return capability(
        category="education",
        related=related,
        min_role="student",
        effect="write",
        atomic=True,
        approval=OWN_WORK,
        summary=lambda given: TEXTS.by_language(summary),
    )


@capability(category="education", related=["start_attempt", "answer_block"], min_role="student")
def get_activity(ctx: ToolContext, *, content_id: ContentId) -> Activity:
    """Open published material as a pupil of its course sees it: the questions, without keys, and
    what the pupil has answered. Its owner opens a draft as well.

    Args:
        content_id: The material; the app knows its id.
    """
    opened = open_content(ctx, content_id, reader="student")
    content = opened.content
    items = read_items(opened)
    id = attempt_id_of(ctx.user.uid, content_id, content.version)
    found = ctx.db.collection(ATTEMPTS).document(id).get()
    attempt = found.to_dict() if found.exists else None
    return Activity(
        content_id=content_id,
        title=content.title,
        kind=content.kind,
        grade=content.grade,
        subject=content.subject,
        locale=content.locale,
        version=content.version,
        max_tries=content.max_tries,
        is_preview=not _is_pupil(ctx, opened),
        blocks=[_for_pupil(each, item, ctx.user.uid) for each, item in items.items()],
        attempt=attempt_of(id, attempt) if attempt else None,
        answers=_answers(id, attempt, items, content.max_tries) if attempt else [],
    )


@_own_work("attempts.start", "get_activity", "answer_block")
def start_attempt(ctx: ToolContext, *, content_id: ContentId) -> Attempt:
    """Begin to answer published material as a pupil of its course, or go on where one was.

    Args:
        content_id: The material; the app knows its id.
    """
    from google.cloud.firestore import SERVER_TIMESTAMP

    opened = open_content(ctx, content_id, reader="student")
    _check_pupil(ctx, opened)
    content = opened.content
    id = attempt_id_of(ctx.user.uid, content_id, content.version)
    place = ctx.db.collection(ATTEMPTS).document(id)
    found = place.get()
    if found.exists:
        return attempt_of(id, found.to_dict() or {})
    items = read_items(opened).values()
    questions = [item.block for item in items if item.block.is_question]
    if not questions:
        raise FailedPrecondition(TEXTS.text("errors.no_questions"), field="contentId")
    data = {
        "schemaVersion": SCHEMA_VERSION,
        "uid": ctx.user.uid,
        "contentId": content_id,
        "courseId": content.course_id,
        "version": content.version,
        "title": content.title,
        "topic": content.topic,
        "status": "open",
        "startedAt": SERVER_TIMESTAMP,
        "finishedAt": None,
        "answers": {},
        "questions": len(questions),
        "points": 0,
        "maxPoints": sum(block.points for block in questions),
    }
    ctx.batch.create(place, data)
    return attempt_of(id, data)


@_own_work("attempts.answer", "start_attempt", "finish_attempt")
def answer_block(
    ctx: ToolContext, *, attempt_id: AttemptId, block_id: AttemptId, answer: Given
) -> BlockAnswered:
    """Answer one question of an attempt of one's own, and get it checked.

    Args:
        attempt_id: The attempt, from start_attempt.
        block_id: The question, from get_activity.
        answer: An option's id; ids in a list; true or false; an object of ids of a match; the texts
            of a cloze; a number or a text.
    """
    from google.cloud.firestore_v1.field_path import FieldPath

    snapshot, attempt = _open_attempt(ctx, attempt_id)
    opened, item = _question(ctx, attempt, block_id)
    before = attempt["answers"].get(block_id) or {}
    tries = int(before.get("tries", 0)) + 1
    if tries > opened.content.max_tries or before.get("correct"):
        raise FailedPrecondition(TEXTS.text("errors.already_answered"), field="blockId")
    left = opened.content.max_tries - tries
    answered = _answered(attempt_id, block_id, item, answer, left=left)
    stored = AnswerTry(
        tries=tries,
        given=answer,
        correct=answered.correct,
        points=answered.points,
        max_points=item.block.points,
        bloom=item.block.bloom,
    ).dump()
    answers = {**attempt["answers"], block_id: stored}
    if len(json.dumps(answers).encode()) > MAX_ANSWERS_BYTES:
        raise ResourceExhausted(TEXTS.text("errors.answers_too_long"), field="answer")
    points = sum(each.get("points") or 0 for each in answers.values())
    path = FieldPath("answers", block_id).to_api_repr()
    update_unchanged(ctx.batch, snapshot, {path: stored, "points": round(points, 2)})
    return answered


@capability(category="education", related=["get_activity"], min_role="teacher")
def try_answer(
    ctx: ToolContext, *, block_id: AttemptId, answer: Given, tries: Tries = 1
) -> BlockAnswered:
    """Check an answer to a question of the teacher's own material, or of their course's, as a
    pupil's is checked. Nothing is kept.

    Args:
        block_id: The question, from get_activity.
        answer: As answer_block takes it.
        tries: Which try it is, from 1: the last one that is allowed gets all of the feedback.
    """
    opened, item = open_block(ctx, block_id, reader="teacher")
    return _answered(None, block_id, item, answer, left=max(0, opened.content.max_tries - tries))


@_own_work("attempts.finish", "answer_block")
def finish_attempt(ctx: ToolContext, *, attempt_id: AttemptId) -> Attempt:
    """End an attempt of one's own, and get its points; it takes no further answers.

    Args:
        attempt_id: The attempt, from start_attempt.
    """
    from google.cloud.firestore import SERVER_TIMESTAMP

    snapshot, attempt = _open_attempt(ctx, attempt_id)
    changes = {"status": "finished", "finishedAt": SERVER_TIMESTAMP}
    update_unchanged(ctx.batch, snapshot, changes)
    return attempt_of(attempt_id, {**attempt, "status": "finished"})


def _is_pupil(ctx: ToolContext, opened: OpenedContent) -> bool:
    course_id = opened.content.course_id
    is_published = opened.content.status == "published" and course_id is not None
    return is_published and is_student(ctx, course_id or "", ctx.user.uid)


def _check_pupil(ctx: ToolContext, opened: OpenedContent) -> None:
    if not _is_pupil(ctx, opened):
        raise FailedPrecondition(TEXTS.text("errors.only_pupils"), field="contentId")


def attempt_id_of(uid: str, content_id: str, version: int) -> str:
    """Return the id of a user's attempt at a version of a content, whether it was begun or not."""
    parts = (uid, content_id, str(version))
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def _open_attempt(ctx: ToolContext, id: str) -> tuple[DocumentSnapshot, dict[str, Any]]:
    """Return an attempt of the user's own that takes answers, with its data.

    Raises:
        PermissionDenied: It is not the user's, or does not exist.
        FailedPrecondition: It is finished.
    """
    snapshot = ctx.db.collection(ATTEMPTS).document(checked_id(id, "attempt", "attemptId")).get()
    data = snapshot.to_dict() or {}
    if data.get("uid") != ctx.user.uid:
        raise PermissionDenied(TEXTS.text("errors.no_attempt", id=id), field="attemptId")
    if data["status"] != "open":
        raise FailedPrecondition(TEXTS.text("errors.attempt_finished"), field="attemptId")
    return snapshot, data


def _question(
    ctx: ToolContext, attempt: dict[str, Any], block_id: str
) -> tuple[OpenedContent, Item]:
    """Return a question of the attempt's content, as it is still published to the user."""
    opened, item = open_block(ctx, block_id, reader="student")
    if opened.id != attempt["contentId"]:
        raise PermissionDenied(f"this attempt has no block {block_id!r}", field="blockId")
    _check_pupil(ctx, opened)
    if opened.content.version != attempt["version"]:
        raise FailedPrecondition(
            TEXTS.text("errors.published_anew"),
            field="attemptId",
            hint=TEXTS.text("hints.start_again"),
        )
    return opened, item


def _answers(
    id: str, attempt: dict[str, Any], items: dict[str, Item], max_tries: int
) -> list[BlockAnswered]:
    """What was said to each answer of an attempt, in the order of the questions; in a finished one,
    none may be tried again."""
    answers = []
    for block_id in items:  # Firestore keeps no order in a map
        each = attempt["answers"].get(block_id)
        if each is None:
            continue
        left = max_tries - each["tries"] if attempt["status"] == "open" else 0
        answers.append(_answered(id, block_id, items[block_id], each["given"], left=left))
    return answers


def _answered(
    attempt_id: str | None, block_id: str, item: Item, answer: Given, *, left: int
) -> BlockAnswered:
    """Check an answer after which `left` tries are left, were it wrong."""
    found = check_answer(item.block, item.key, answer)
    left = 0 if found.correct else left
    return BlockAnswered(
        attempt_id=attempt_id,
        block_id=block_id,
        given=answer,
        correct=found.correct,
        points=found.points,
        max_points=item.block.points,
        parts=found.parts,
        feedback=_feedback(item.key, answer, is_last=left == 0),
        hint=item.key.hint if left and not found.correct else None,
        tries_left=left,
    )


def _feedback(key: Key, answer: Given, *, is_last: bool) -> list[str]:
    """What the key says to an answer: to each chosen option; to all only after the last try, since
    that often tells the solution."""
    chosen = answer if isinstance(answer, list) else [answer]
    ids = [each for each in chosen if isinstance(each, str)]
    said = [key.option_feedback[id] for id in ids if id in key.option_feedback]
    return [*said, *([key.feedback] if key.feedback and is_last else [])]


def _for_pupil(id: str, item: Item, uid: str) -> PupilBlock:
    block, mixed = item.block, Random(f"{uid} {id}")
    options, targets = list(block.options), list(block.targets)
    if block.kind == "order":
        _mix(options, item.key, mixed)
    mixed.shuffle(targets)
    shown = {**dict(block), "block_id": id, "options": options, "targets": targets}
    return PupilBlock(**{name: shown[name] for name in PupilBlock.model_fields})


def _mix(options: list[Option], key: Key, mixed: Random) -> None:
    """Mix what is to be put in order until it does not read in the right order already."""
    texts = {option.id: option.text for option in options}
    right = [texts[each] for each in key.correct]
    mixed.shuffle(options)
    while len(set(right)) > 1 and [option.text for option in options] == right:
        mixed.shuffle(options)


def attempt_of(id: str, data: dict[str, Any]) -> Attempt:
    """Return an attempt from its document."""
    answers = list(data["answers"].values())
    return Attempt(
        attempt_id=id,
        content_id=data["contentId"],
        title=data["title"],
        status=data["status"],
        answered=len(answers),
        questions=data["questions"],
        points=data["points"],
        max_points=data["maxPoints"],
        to_judge=sum(each.get("correct") is None for each in answers),
    )
