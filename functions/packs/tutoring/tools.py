"""The six tools of a tutor, and the student's own reviews. Each tool checks the session, its
configuration and the tool's trigger before it writes, and a repeated call writes only once.

    reviewItems/{i}            uid, teacherUid, courseId, missionIds, sessionIds, errorType,
                               original, correction, explanation, severity, count, card,
                               goodReviews, mastered, audioRef, source, createdAt, schemaVersion
    completions/{session_task} uid, teacherUid, courseId, missionId, sessionId, taskId, evidence,
                               source, createdAt, schemaVersion
    profiles/{uid}/facts/{f}   uid, teacherUid, courseId, category, fact, shared, sessionId,
                               source, createdAt, schemaVersion

A repeated error is one item for each teacher, and a repeated fact is stored once for each teacher.
A fact is private to the student until they share it with that teacher.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from packs.tutoring.sessions import COMPLETIONS, SESSIONS, ToolUse, student_write, use_tool
from packs.tutoring.wording import TEXTS, invalid
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, NotFound
from rollcall.core.extras import require_extra
from rollcall.core.shapes import Display, Id, Wire
from rollcall.store.batches import where

if TYPE_CHECKING:
    from fsrs import Card
    from google.cloud.firestore import DocumentSnapshot

ITEMS = "reviewItems"
PROFILES, FACTS = "profiles", "facts"
SCHEMA_VERSION = 1
GOOD_REVIEWS = 2
STABLE_DAYS = 21.0
MAX_LISTED = 200

ErrorType = Literal["grammar", "pronunciation", "vocabulary", "cultural"]
Category = Literal["interest", "goal", "preference", "background"]
Rating = Literal["again", "hard", "good", "easy"]
Short = Annotated[str, Field(min_length=1, max_length=300)]
ItemId = Id
Points = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=8)]


class MarkResult(Wire):
    """What a tool of the tutor returns. `repeated` says that it was recorded before."""

    done: str
    id: str
    repeated: bool = False


class ReviewItem(Wire):
    """An item to review. `due` is the time of its next review, by spaced repetition."""

    item_id: str
    error_type: ErrorType
    original: str
    correction: str
    explanation: str | None = None
    severity: int
    count: int
    due: str
    good_reviews: int
    stability_days: float | None = None
    mastered: bool


class ReviewItems(Wire):
    """What list_review_items returns, those due first at the top."""

    items: list[ReviewItem]


class ReviewResult(Wire):
    """What review_item returns."""

    done: str
    item: ReviewItem


class AudioRequest(Wire):
    """What play_student_audio returns, from the client."""

    played: bool


@student_write("original", "list_review_items")
def mark_for_review(
    ctx: ToolContext,
    *,
    error_type: ErrorType,
    original: Short,
    correction: Short,
    severity: Annotated[int, Field(ge=1, le=10)],
    explanation: Annotated[str, Field(max_length=500)] | None = None,
    audio_ref: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None,
) -> MarkResult:
    """Mark an error that the student made, for a later review. Do not interrupt the talk for it.

    Args:
        error_type: The kind of error.
        original: What the student said.
        correction: How it is said correctly.
        severity: From 1, hardly one, to 10, not understood.
        explanation: Why, in a sentence.
        audio_ref: The student's own clip of it, if the client named one.
    """
    from google.cloud.firestore import ArrayUnion

    use = use_tool(ctx, "mark_for_review")
    session = use.session
    said = [error_type, _normalized(original), _normalized(correction)]
    text = "\0".join([ctx.user.uid, session.teacher_uid, *said])
    id = hashlib.sha256(text.encode()).hexdigest()[:32]
    reference = ctx.db.collection(ITEMS).document(id)
    before = reference.get()
    if before.exists:
        ctx.batch.update(
            reference,
            {
                "count": int(before.get("count")) + 1,
                "missionIds": ArrayUnion([session.mission_id]),
                "sessionIds": ArrayUnion([session.id]),
            },
            option=ctx.db.write_option(last_update_time=before.update_time),
        )
    else:
        ctx.batch.create(
            reference,
            {
                **_owner_fields(ctx, use),
                "missionIds": [session.mission_id],
                "sessionIds": [session.id],
                "errorType": error_type,
                "original": original.strip(),
                "correction": correction.strip(),
                "explanation": explanation,
                "severity": severity,
                "audioRef": audio_ref,
                "count": 1,
                "card": None,
                "goodReviews": 0,
                "mastered": False,
            },
        )
    return MarkResult(done=_say(ctx, "marked"), id=id, repeated=before.exists)


@student_write("fact")
def update_user_profile(
    ctx: ToolContext,
    *,
    category: Category,
    fact: Annotated[str, Field(min_length=1, max_length=200)],
) -> MarkResult:
    """Keep something that the student told of themselves and that makes later lessons better.

    Args:
        category: What kind of thing it is.
        fact: It, in a sentence, at most 200 characters.
    """
    use = use_tool(ctx, "update_user_profile")
    text = "\0".join([use.session.teacher_uid, category, _normalized(fact)])
    id = hashlib.sha256(text.encode()).hexdigest()[:32]
    reference = ctx.db.collection(PROFILES).document(ctx.user.uid).collection(FACTS).document(id)
    before = reference.get()
    if not before.exists:
        ctx.batch.create(
            reference,
            {
                **_owner_fields(ctx, use),
                "category": category,
                "fact": fact.strip(),
                "shared": False,
                "sessionId": use.session.id,
            },
        )
    return MarkResult(done=_say(ctx, "kept"), id=id, repeated=before.exists)


@student_write("encouragement", "end_session")
def show_session_summary(
    ctx: ToolContext,
    *,
    strengths: Points,
    improvements: Points,
    encouragement: Annotated[str, Field(max_length=300)] | None = None,
) -> MarkResult:
    """Show the student how the lesson went, at its end.

    Args:
        strengths: What went well, in short points.
        improvements: What to work on, in short points.
        encouragement: A kind word.
    """
    use = use_tool(ctx, "show_session_summary")
    session = use.session
    summary = {
        "strengths": strengths,
        "improvements": improvements,
        "encouragement": encouragement,
        "at": ctx.now,
        **use.origin,
    }
    ctx.batch.update(ctx.db.collection(SESSIONS).document(session.id), {"summary": summary})
    lesson = session.lesson
    names = TEXTS.data(lesson.locale, "tools.summary")
    rows = [{names["kind"]: names["strengths"], names["text"]: each} for each in strengths]
    rows += [{names["kind"]: names["improvements"], names["text"]: each} for each in improvements]
    columns = [names["kind"], names["text"]]
    title = TEXTS.say(lesson.locale, "tools.summary.title", title=lesson.title)
    ctx.show(Display(type="table", title=title, text=encouragement, columns=columns, rows=rows))
    return MarkResult(done=_say(ctx, "summed_up"), id=session.id)


@student_write("taskId")
def mark_task_complete(
    ctx: ToolContext,
    *,
    task_id: Annotated[str, Field(min_length=1, max_length=40)],
    evidence: Annotated[str, Field(min_length=1, max_length=300)],
) -> MarkResult:
    """Mark one of the lesson's tasks as done, once the student has clearly accomplished it.

    Args:
        task_id: The task's id, as the lesson lists it.
        evidence: What the student said that shows it.
    """
    use = use_tool(ctx, "mark_task_complete")
    session = use.session
    known = [each.id for each in session.lesson.tasks]
    if task_id not in known:
        raise invalid(
            "taskId", "no_task", "it_has_tasks", task_id=task_id, value=", ".join(known) or "none"
        )
    id = f"{session.id}_{task_id}"
    reference = ctx.db.collection(COMPLETIONS).document(id)
    if reference.get([]).exists:
        return MarkResult(done=_say(ctx, "task_done"), id=id, repeated=True)
    done = {
        "missionId": session.mission_id,
        "sessionId": session.id,
        "taskId": task_id,
        "evidence": evidence.strip(),
    }
    ctx.batch.create(reference, {**_owner_fields(ctx, use), **done})
    return MarkResult(done=_say(ctx, "task_done"), id=id)


@student_write("itemId", "review_item")
def mark_item_mastered(ctx: ToolContext, *, item_id: ItemId) -> MarkResult:
    """Mark a review item as mastered; it is refused until the student's own reviews show it.

    Args:
        item_id: The item, from list_review_items.
    """
    use = use_tool(ctx, "mark_item_mastered")
    item = _own_item(ctx, item_id)
    data = item.to_dict() or {}
    stability = _card(data.get("card")).stability or 0.0
    good = int(data.get("goodReviews") or 0)
    if not data.get("mastered") and (good < GOOD_REVIEWS or stability < STABLE_DAYS):
        raise FailedPrecondition(
            TEXTS.text(
                "errors.not_mastered",
                good=good,
                stability=stability,
                reviews=GOOD_REVIEWS,
                days=STABLE_DAYS,
            ),
            hint="let the student review it: review_item",
        )
    if not data.get("mastered"):
        ctx.batch.update(item.reference, {"mastered": True, "masteredIn": use.origin})
    return MarkResult(done=_say(ctx, "mastered"), id=item_id, repeated=bool(data.get("mastered")))


@capability(min_role="student", runs_on="client")
def play_student_audio(ctx: ToolContext, *, item_id: ItemId) -> AudioRequest:
    """Play the student's own recording of a review item, on the student's device.

    Args:
        item_id: The item, from list_review_items.
    """
    raise FailedPrecondition(TEXTS.text("errors.on_own_device"))


@student_write("itemId", "list_review_items")
def review_item(ctx: ToolContext, *, item_id: ItemId, rating: Rating) -> ReviewResult:
    """Record how well the student remembered a review item; it is due again when that suggests.

    Args:
        item_id: The item, from list_review_items.
        rating: "again", "hard", "good" or "easy": the student's own judgement.
    """
    if ctx.dialogue.thread_id:
        raise FailedPrecondition(
            TEXTS.text("errors.own_review"), hint=TEXTS.text("hints.app_calls")
        )
    item = _own_item(ctx, item_id)
    data = item.to_dict() or {}
    is_good = rating in ("good", "easy")
    changed = {
        "card": reviewed_card(data.get("card"), rating, ctx.now),
        "goodReviews": int(data.get("goodReviews") or 0) + is_good,
        "mastered": bool(data.get("mastered")) and is_good,
    }
    unchanged = ctx.db.write_option(last_update_time=item.update_time)
    ctx.batch.update(item.reference, changed, option=unchanged)
    shown = to_review_item(item_id, {**data, **changed})
    return ReviewResult(done=_say(ctx, "reviewed", due=shown.due[:10]), item=shown)


@capability(related=["review_item"], min_role="student")
def list_review_items(ctx: ToolContext, *, only_due: bool = False) -> ReviewItems:
    """List what the student's tutors marked for review, with what is due first.

    Args:
        only_due: Leave out what is not due yet.
    """
    own = where("uid", "==", ctx.user.uid)
    found = ctx.db.collection(ITEMS).where(filter=own).limit(MAX_LISTED).stream()
    items = sorted(
        (to_review_item(each.id, each.to_dict() or {}) for each in found), key=lambda i: i.due
    )
    if only_due:
        items = [i for i in items if not i.mastered and datetime.fromisoformat(i.due) <= ctx.now]
    return ReviewItems(items=items)


def _own_item(ctx: ToolContext, item_id: str) -> DocumentSnapshot[Any]:
    found = ctx.db.collection(ITEMS).document(item_id).get()
    if not found.exists or found.get("uid") != ctx.user.uid:
        raise NotFound(TEXTS.text("errors.no_item"), field="itemId")
    return found


def reviewed_card(stored: dict[str, Any] | None, rating: Rating, at: datetime) -> dict[str, Any]:
    """Return the FSRS card of an item after a review: when it is due, and how stable it is.

    Raises:
        FailedPrecondition: The extra [scheduling] is not installed.
    """
    require_extra("fsrs", "scheduling", purpose="reviewing")
    import fsrs

    rated = getattr(fsrs.Rating, rating.capitalize())
    card, _ = fsrs.Scheduler(enable_fuzzing=False).review_card(_card(stored, at), rated, at)
    return dict(card.to_dict())


def _card(stored: dict[str, Any] | None, at: datetime | None = None) -> Card:
    import fsrs

    if stored:
        return fsrs.Card.from_dict(stored)  # type: ignore[arg-type]
    return fsrs.Card(card_id=1, due=at) if at else fsrs.Card(card_id=1)


def to_review_item(id: str, data: dict[str, Any]) -> ReviewItem:
    """Return a stored review item in the form for a student or a tutor."""
    card = data.get("card") or {}
    due = card.get("due") or data["createdAt"].isoformat()
    return ReviewItem.read(data, item_id=id, due=due, stability_days=card.get("stability"))


def _owner_fields(ctx: ToolContext, use: ToolUse) -> dict[str, Any]:
    return {
        "uid": ctx.user.uid,
        "teacherUid": use.session.teacher_uid,
        "courseId": use.session.course_id,
        **use.origin,
        "createdAt": ctx.now,
        "schemaVersion": SCHEMA_VERSION,
    }


def _normalized(text: str) -> str:
    """Return a text in the form that is compared with others: without case and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _say(ctx: ToolContext, key: str, **values: Any) -> str:
    return TEXTS.say(ctx.locale, f"tools.{key}", **values)
