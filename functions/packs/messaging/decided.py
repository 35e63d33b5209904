"""One decision, and how it is put together from what was said."""

import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from packs.messaging.chat import ChatMessage
from packs.messaging.cues import plain
from packs.messaging.impact import ImpactLevel
from packs.messaging.patterns import Pattern

CONTEXT_CHARS = 240
_ASIDE = Pattern(r",? (?:by the way|btw|i guess|אגב|דרך אגב)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided.

    Attributes:
        id: The same whenever the same message is read again.
        decision_maker: A name; who said it where a group ("we") decided, who
            agreed where it was a proposal.
        context: What was said, with the message it answers or the yes to it.
        confidence: 0 to 1; lower once `superseded_by` names a later decision, 0 for a
            tentative one that was said again as a decision.
        is_tentative: Whether it is a proposal or a choice agreed to, which a decision that is
            plainly one may say again.
    """

    id: str
    conversation_id: str
    message_id: str
    decision: str
    decision_maker_id: str | None
    decision_maker: str
    decided_at: datetime
    context: str
    impact: ImpactLevel
    confidence: float
    superseded_by: str | None = None
    is_tentative: bool = False


def identifier(conversation_id: str, message_id: str, what: str) -> str:
    """Return a decision's id: the same whenever the same message is read again."""
    return sha256(f"{conversation_id}|{message_id}|{what.lower()}".encode()).hexdigest()[:20]


def said(message: ChatMessage) -> str:
    """Return who said what, cut to a readable length."""
    text = plain(message.text)
    shown = text if len(text) <= CONTEXT_CHARS else text[: CONTEXT_CHARS - 1] + "…"
    return f"{message.sender_name}: {shown}"


def tidy(what: str) -> str:
    """Return what was decided, beginning with a capital, without marks at its ends."""
    what = _ASIDE.sub("", " ".join(what.split()).strip(" ,;:-.!?"))
    return what[:1].upper() + what[1:]
