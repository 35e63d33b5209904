"""Live voice: `create_live_session`, which lets a client talk to the tutor without this server.

The server does not hear the talk. The client answers a tool call by calling that capability's own
function with `context: {sessionId, turns?, heard?}`; time and the session's state are checked there
as in text, and the client's statements about the talk are recorded as claimed.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from packs.tutoring.briefing import student_briefing
from packs.tutoring.sessions import (
    GRACE,
    SESSIONS,
    SessionId,
    check_open,
    open_session,
    update_session,
)
from packs.tutoring.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, ResourceExhausted
from rollcall.core.hidden import Hidden
from rollcall.core.profile import TurnSetup
from rollcall.core.shapes import Wire
from rollcall.store.batches import where

START = timedelta(minutes=2)
"""Most time until a client begins the talk."""
MAX_TOKENS, MAX_A_DAY = 10, 20
"""Most talks in a session, and of a student in sessions of the last 24 hours, since no budget
bounds their cost. A talk that broke off is resumed with the same token."""
MAX_SESSIONS = 200
"""Most sessions of a day that are read; a student with as many can begin no talk."""


class LiveSession(Wire):
    """What create_live_session returns. `token` is for this client only, and is not stored."""

    session_id: str
    token: Annotated[str, Hidden()]
    model: str
    start_before: str
    expires_at: str
    tools: list[str]


@capability(related=["start_session", "end_session"], min_role="student")
def create_live_session(ctx: ToolContext, *, session_id: SessionId) -> LiveSession:
    """Let the student's own client talk to the tutor by voice, for the rest of an open lesson.

    Args:
        session_id: The session, from start_session.
    """
    session = open_session(ctx, session_id)
    check_open(ctx, session)
    if session.live_tokens >= MAX_TOKENS:
        raise ResourceExhausted(TEXTS.text("errors.talks_of_lesson", most=MAX_TOKENS))
    own = ctx.db.collection(SESSIONS).where(filter=where("uid", "==", ctx.user.uid))
    recent = own.where(filter=where("startedAt", ">", ctx.now - timedelta(days=1)))
    today = list(recent.select(["liveTokens"]).limit(MAX_SESSIONS).stream())
    talks = sum((each.to_dict() or {}).get("liveTokens") or 0 for each in today)
    if len(today) == MAX_SESSIONS or talks >= MAX_A_DAY:
        raise ResourceExhausted(TEXTS.text("errors.talks_of_day", most=MAX_A_DAY))
    expires_at = session.ends_at + GRACE
    start_before = min(ctx.now + START, expires_at)
    try:
        token = ctx.create_live_token(
            "tutor",
            setup=TurnSetup(session.prompt, frozenset(session.lesson.enabled)),
            place=student_briefing(ctx, session),
            start_before=start_before,
            expires_at=expires_at,
        )
    except FailedPrecondition as error:
        message = TEXTS.text("errors.no_voice", why=error.text)
        raise FailedPrecondition(message, hint=error.hint_text) from error
    # Only the count of tokens is written, which lets the talk's tool calls through; if the session
    # has changed meanwhile, the token is not returned.
    update_session(ctx, session, {"liveTokens": session.live_tokens + 1})
    return LiveSession(
        session_id=session.id,
        token=token.token,
        model=token.model,
        start_before=start_before.isoformat(),
        expires_at=expires_at.isoformat(),
        tools=sorted(session.lesson.enabled),
    )
