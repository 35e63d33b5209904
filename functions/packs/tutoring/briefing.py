"""What the tutor is told of the student, as data: items to review with their ids, and facts.

Only those of the lessons that this teacher gave. A tutor follows its teacher's words and writes
down what they read, so that with others' items and facts it could be made to pass them on.
"""

from __future__ import annotations

from packs.tutoring.sessions import Session, open_session
from packs.tutoring.tools import FACTS, ITEMS, MAX_LISTED, PROFILES, shown_item
from packs.tutoring.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.profile import Place

MAX_ITEMS = 20
MAX_FACTS = 20


def briefing(ctx: ToolContext, short: bool) -> Place | None:
    """Tell the tutor what its lesson's tools need to know of the student."""
    if ctx.context.get("sessionId") is None:
        return None
    return student_briefing(ctx, open_session(ctx))


def student_briefing(ctx: ToolContext, session: Session) -> Place | None:
    """Return the student's items that are due first where the lesson can review any, and their
    facts where it keeps some, so that neither is told to a lesson without these tools."""
    from google.cloud.firestore import FieldFilter

    enabled, lines, ids = session.configuration.enabled, list[str](), list[str]()
    of_teacher = FieldFilter("teacherUid", "==", session.teacher_uid)
    if not enabled.keys().isdisjoint({"mark_item_mastered", "play_student_audio"}):
        own = ctx.db.collection(ITEMS).where(filter=FieldFilter("uid", "==", ctx.user.uid))
        unlearned = own.where(filter=of_teacher).where(filter=FieldFilter("mastered", "==", False))
        stored = unlearned.limit(MAX_LISTED).stream()
        found = [shown_item(each.id, each.to_dict() or {}) for each in stored]
        for each in sorted(found, key=lambda item: item.due)[:MAX_ITEMS]:
            ids.append(each.item_id)
            said = {"original": each.original, "correction": each.correction}
            more = {"id": each.item_id, "kind": each.error_type, "due": each.due[:10]}
            lines.append(TEXTS.say(session.locale, "briefing.item", **said, **more))
    if "update_user_profile" in enabled:
        facts = ctx.db.collection(PROFILES).document(ctx.user.uid).collection(FACTS)
        lines += [
            TEXTS.say(session.locale, "briefing.fact", fact=each.get("fact"))
            for each in facts.where(filter=of_teacher).limit(MAX_FACTS).stream()
        ]
    return Place("\n".join(lines), {"itemId": ids}) if lines else None
