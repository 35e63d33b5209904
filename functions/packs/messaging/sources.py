"""Citations of messages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import groupby
from typing import Any

from packs.messaging.documents import in_words, iso, moment_of, text_of
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Citation

MAX_CITATIONS = 20
CONTENT_CHARS = 2_000
"""Most characters of a message in a result."""
QUOTE_CHARS = 160
"""Most characters of a message in a citation."""


def cite_message(
    ctx: ToolContext,
    *,
    conversation_id: str,
    conversation_name: str,
    message_id: str,
    sender_name: str,
    sent_at: datetime | None,
    quote: str,
) -> None:
    """Cite a message as a source of the result, up to `MAX_CITATIONS` messages.

    Args:
        quote: Words of this message only.
    """
    if len(ctx.citations) >= MAX_CITATIONS:
        return
    parts = [conversation_name, sender_name, in_words(sent_at)]
    ctx.cite(
        Citation(
            type="message",
            # A direct chat is called by the other person: no name twice in a row.
            title=" · ".join(part for part, _ in groupby(parts) if part),
            conversation_id=conversation_id,
            message_id=message_id,
            quote=_cut(" ".join(quote.split()), QUOTE_CHARS),
            timestamp=iso(sent_at),
        )
    )


def cite_finding(ctx: ToolContext, data: Mapping[str, Any], *, conversation_name: str) -> None:
    """Cite the message that a stored action item or decision comes from."""
    cite_message(
        ctx,
        conversation_id=text_of(data.get("conversationId")),
        conversation_name=conversation_name,
        message_id=text_of(data.get("messageId")),
        sender_name=text_of(data.get("senderName")),
        sent_at=moment_of(data.get("sourceTimestamp")),
        quote=text_of(data.get("quote")),
    )


def shown(content: str) -> str:
    """Return a message's text, cut to the length that results show."""
    return _cut(content, CONTENT_CHARS)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
