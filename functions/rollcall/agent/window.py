"""The part of a thread's history that a model is shown."""

from __future__ import annotations

from collections.abc import Sequence

from rollcall.core.messages import Media, Message, ModelMessage, ToolMessage, UserMessage

MEDIA_TOKENS = 1_000


def window(
    history: Sequence[Message],
    *,
    tokens: int,
    messages: int | None = None,
    counts_steps: bool = True,
) -> list[Message]:
    """The newest whole exchanges of `history` that fit into `tokens`, and have at most `messages`
    messages of the user and answers.

    An exchange begins with a user's message and holds the replies and results that follow, so a
    call is never parted from its result. The last exchange is kept whatever it costs.

    Args:
        counts_steps: Whether the steps of the last exchange count. Where they have a budget of
            their own, what was said before stays in the window as they grow.
    """
    exchanges: list[list[Message]] = []
    for message in history:
        if isinstance(message, UserMessage):
            exchanges.append([])
        if exchanges:  # what is left of an exchange that begins before `history` is of no use
            exchanges[-1].append(message)
    kept: list[list[Message]] = []
    used = said = 0
    for exchange in reversed(exchanges):
        counted = exchange if kept or counts_steps else exchange[:1]
        used += sum(estimate_tokens(message) for message in counted)
        said += sum(_is_said(message) for message in exchange)
        if kept and (used > tokens or (messages is not None and said > messages)):
            break
        kept.append(exchange)
    return [message for exchange in reversed(kept) for message in exchange]


def _is_said(message: Message) -> bool:
    """Whether a person reads it as a message: not a call, nor what it came to."""
    if isinstance(message, ModelMessage):
        return not message.tool_calls
    return isinstance(message, UserMessage)


def estimate_tokens(message: Message) -> int:
    """Roughly what a message costs: a token for each four bytes, which is high for Hebrew."""
    parts = message.parts if isinstance(message, UserMessage) else ()
    media = sum(isinstance(part, Media) for part in parts)
    size = sum(len(text.encode()) for text in _texts(message))
    return 4 + size // 4 + MEDIA_TOKENS * media


def _texts(message: Message) -> list[str]:
    if isinstance(message, UserMessage):
        return [message.text]
    if isinstance(message, ToolMessage):
        return [result.content for result in message.results]
    return [message.text, *(call.name + call.arguments_text for call in message.tool_calls)]
