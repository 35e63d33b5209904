"""The tutor's briefing about the student, as data: items to review with their ids, and facts.

It has only those from this teacher's lessons. A tutor follows its teacher's prompt and writes what
the teacher can read, so it could be made to pass on items and facts from other teachers' lessons.
"""

from __future__ import annotations

from packs.tutoring.sessions import Session, open_session
from packs.tutoring.tools import FACTS, ITEMS, MAX_LISTED, PROFILES, to_review_item
from packs.tutoring.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.profile import Place
from rollcall.store.batches import where

MAX_ITEMS = 20
MAX_FACTS = 20


def briefing(ctx: ToolContext, short: bool) -> Place:
    """Return the briefing of a turn's session, which an error for none leaves out."""
    return student_briefing(ctx, open_session(ctx))


def student_briefing(ctx: ToolContext, session: Session) -> Place:
    """Return the student's items, those due first, if the lesson has a review tool, the student's
    facts if it has update_user_profile, and the ids of its tasks, which its prompt describes."""
    enabled, lines, ids = session.lesson.enabled, list[str](), list[str]()
    of_teacher = where("teacherUid", "==", session.teacher_uid)
    if not enabled.keys().isdisjoint({"mark_item_mastered", "play_student_audio"}):
        own = ctx.db.collection(ITEMS).where(filter=where("uid", "==", ctx.user.uid))
        unlearned = own.where(filter=of_teacher).where(filter=where("mastered", "==", False))
        stored = unlearned.limit(MAX_LISTED).stream()
        found = [to_review_item(each.id, each.to_dict() or {}) for each in stored]
        for each in sorted(found, key=lambda item: item.due)[:MAX_ITEMS]:
            ids.append(each.item_id)
            said = {"original": each.original, "correction": each.correction}
            more = {"id": each.item_id, "kind": each.error_type, "due": each.due[:10]}
            lines.append(TEXTS.say(session.lesson.locale, "briefing.item", **said, **more))
    if "update_user_profile" in enabled:
        facts = ctx.db.collection(PROFILES).document(ctx.user.uid).collection(FACTS)
        lines += [
            TEXTS.say(session.lesson.locale, "briefing.fact", fact=each.get("fact"))
            for each in facts.where(filter=of_teacher).limit(MAX_FACTS).stream()
        ]
    tasks = [each.id for each in session.lesson.tasks]
    return Place("\n".join(lines), {"itemId": ids, "taskId": tasks})
