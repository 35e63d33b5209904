"""Attempts of pupils at published material: `get_activity`, `start_attempt`, `answer_block` and
`finish_attempt`; and `try_answer`, with which its teachers try it.

    attempts/{id}  uid, contentId, courseId, version, title, topic, status, startedAt, finishedAt,
                   answers {block id: its newest answer, with tries, given, correct, points,
                   maxPoints, bloom}, points, maxPoints, schemaVersion

A pupil has one attempt at each version of a content. Answers are checked here, against keys that
no client reads. An attempt keeps what a course's figures need, so they remain when the content is
deleted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field

from packs.education.answers import check_answer
from packs.education.blocks import Card, Image, Item, Kind, Option, shuffled
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
_KEPT = ("given", "correct", "points", "maxPoints")
"""The fields of a checked answer that an attempt keeps."""
F = TypeVar("F", bound=Callable[..., Any])

AttemptId = Annotated[str, Field(min_length=1, max_length=64)]
AnswerValue = bool | int | float | str | list[str] | dict[str, str]
Status = Literal["open", "finished"]


class PupilBlock(Wire):
    """A block as a pupil sees it: without key, feedback and source. The options of an order and the
    targets of a match are shuffled."""

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


class Attempt(Wire):
    """A pupil's progress. `to_judge` counts the answers that a person has to judge."""

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
        attempt_id: None for try_answer.
        parts: Which parts of a match or a cloze are right.
        feedback: The key's feedback, once the answer is right or no try is left, since it often
            gives away the solution.
        hint: Set where the answer is wrong and may be tried again.
        tries_left: How often the block may still be answered.
    """

    attempt_id: str | None = None
    block_id: str
    given: AnswerValue
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
        is_preview: Whether the user is not one of its pupils, so that answers are not stored.
        answers: The attempt's newest answer to each answered question.
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
    """Declare a write to a pupil's own attempt, which needs no approval.

    Args:
        summary: The text key of the summary, for an operator who requires approvals.
    """
    return capability(
        related=related,
        min_role="student",
        effect="write",
        atomic=True,
        approval=ApprovalPolicy(ask="never"),
        summary=lambda given: TEXTS.by_language(summary),
    )


@capability(related=["start_attempt", "answer_block"], min_role="student")
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
    return Activity.read(
        dict(content),
        content_id=content_id,
        is_preview=not _is_pupil(ctx, opened),
        blocks=[_pupil_block(each, item, ctx.user.uid) for each, item in items.items()],
        attempt=attempt_of(id, attempt) if attempt else None,
        answers=_stored_answers(id, attempt, items, content.max_tries) if attempt else [],
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
    ctx: ToolContext, *, attempt_id: AttemptId, block_id: AttemptId, answer: AnswerValue
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
    checked = _checked_answer(attempt_id, block_id, item, answer, left=left)
    kept = checked.dump()
    stored = {name: kept[name] for name in _KEPT if name in kept} | {"tries": tries}
    if item.block.bloom is not None:
        stored["bloom"] = item.block.bloom
    answers = {**attempt["answers"], block_id: stored}
    if len(json.dumps(answers).encode()) > MAX_ANSWERS_BYTES:
        raise ResourceExhausted(TEXTS.text("errors.answers_too_long"), field="answer")
    points = sum(each.get("points") or 0 for each in answers.values())
    path = FieldPath("answers", block_id).to_api_repr()
    update_unchanged(ctx.batch, snapshot, {path: stored, "points": round(points, 2)})
    return checked


@capability(related=["get_activity"], min_role="teacher")
def try_answer(
    ctx: ToolContext, *, block_id: AttemptId, answer: AnswerValue, tries: Tries = 1
) -> BlockAnswered:
    """Check an answer to a question of the teacher's own material, or of their course's, as a
    pupil's is checked. Nothing is kept.

    Args:
        block_id: The question, from get_activity.
        answer: As answer_block takes it.
        tries: Which try it is, from 1: the last one that is allowed gets all of the feedback.
    """
    opened, item = open_block(ctx, block_id, reader="teacher")
    return _checked_answer(
        None, block_id, item, answer, left=max(0, opened.content.max_tries - tries)
    )


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
    """Return the id of a user's attempt at a version of a content; the attempt may not exist."""
    parts = (uid, content_id, str(version))
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def _open_attempt(ctx: ToolContext, id: str) -> tuple[DocumentSnapshot, dict[str, Any]]:
    """Return an open attempt of the user's own, with its data.

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
    """Return a question of the attempt's content, if that version is still published to them."""
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


def _stored_answers(
    id: str, attempt: dict[str, Any], items: dict[str, Item], max_tries: int
) -> list[BlockAnswered]:
    """Check an attempt's stored answers, in the order of the questions; in a finished attempt no
    try is left."""
    answers = []
    for block_id in items:  # Firestore keeps no order in a map
        each = attempt["answers"].get(block_id)
        if each is None:
            continue
        left = max_tries - each["tries"] if attempt["status"] == "open" else 0
        answers.append(_checked_answer(id, block_id, items[block_id], each["given"], left=left))
    return answers


def _checked_answer(
    attempt_id: str | None, block_id: str, item: Item, answer: AnswerValue, *, left: int
) -> BlockAnswered:
    """Check an answer; if it is wrong, `left` tries are left."""
    found = check_answer(item.block, item.key, answer)
    left = 0 if found.correct else left
    return BlockAnswered.read(
        dict(found),
        attempt_id=attempt_id,
        block_id=block_id,
        given=answer,
        max_points=item.block.points,
        feedback=[item.key.feedback] if item.key.feedback and not left else [],
        hint=item.key.hint if left and not found.correct else None,
        tries_left=left,
    )


def _pupil_block(id: str, item: Item, uid: str) -> PupilBlock:
    options, targets = shuffled(item.block, item.key, Random(f"{uid} {id}"))
    return PupilBlock.read(dict(item.block), block_id=id, options=options, targets=targets)


def attempt_of(id: str, data: dict[str, Any]) -> Attempt:
    """Return an attempt from its document."""
    answers = list(data["answers"].values())
    to_judge = sum(each.get("correct") is None for each in answers)
    return Attempt.read(data, attempt_id=id, answered=len(answers), to_judge=to_judge)
