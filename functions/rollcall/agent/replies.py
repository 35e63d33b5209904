"""One reply of a model, gathered from its stream while the stream is passed on as events."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from rollcall.core import events
from rollcall.core.errors import AgentError, DeadlineExceeded, InvalidArgument, Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import Json, ModelMessage, ToolCall
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Finish,
    FinishReason,
    Model,
    ModelRequest,
    TextDelta,
    Usage,
)


@dataclass(slots=True)
class Reply:
    """A reply as far as it has come. `calls` maps an id to the tool's name and its JSON text."""

    model: str
    text: str = ""
    calls: dict[str, tuple[str, str]] = field(default_factory=dict)
    reason: FinishReason = FinishReason.STOP
    usage: Usage = field(default_factory=Usage)
    provider_parts: tuple[Json, ...] = ()
    quick_replies: tuple[str, ...] = ()
    started: bool = False
    ended: bool = False

    @property
    def message(self) -> ModelMessage:
        return ModelMessage(
            text=self.text,
            tool_calls=tuple(
                ToolCall.parse(id=id, name=name, text=text)
                for id, (name, text) in self.calls.items()
            ),
            provider=self.model.partition(":")[0],
            provider_parts=self.provider_parts,
        )


def stream_reply(
    models: Sequence[Model], request: ModelRequest, *, message_id: str
) -> Generator[Event, None, Reply]:
    """Pass on the first model's reply that begins; the next is tried only before the first chunk.

    Raises:
        AgentError: Of the last model tried, or of one that failed half-way.
    """
    last = len(models) - 1
    for place, model in enumerate(models):
        reply = Reply(model.id)
        try:
            yield from _stream(model, request, reply, message_id)
            return reply
        except (DeadlineExceeded, InvalidArgument):
            raise
        except AgentError:
            if reply.started or place == last:
                raise
    raise Unavailable("no language model is configured for this agent")


def _stream(
    model: Model, request: ModelRequest, reply: Reply, message_id: str
) -> Generator[Event, None, None]:
    shown = _Shown(message_id)
    try:
        for delta in model.stream(request):
            reply.started = True
            if isinstance(delta, Finish):
                _end(reply, delta)
            else:
                yield from _pass_on(delta, reply, shown)
        if not reply.ended:
            raise Unavailable(f"the stream of {model.id} broke off")
    except AgentError:
        yield from shown.close()
        raise
    yield from shown.close()


@dataclass(slots=True)
class _Shown:
    """What was begun in the event stream and must be ended, also when the model's stream breaks."""

    message_id: str
    has_text: bool = False
    open_calls: list[str] = field(default_factory=list)

    def close(self) -> Generator[Event, None, None]:
        for call_id in self.open_calls:
            yield events.call_end(call_id)
        if self.has_text:
            yield events.text_end(self.message_id)


def _pass_on(
    delta: TextDelta | CallStart | ArgumentsDelta | CallEnd, reply: Reply, shown: _Shown
) -> Generator[Event, None, None]:
    if isinstance(delta, TextDelta):
        if not (text := _whole(delta.text)):
            return
        if not shown.has_text:
            shown.has_text = True
            yield events.text_start(shown.message_id)
        reply.text += text
        yield events.text_content(shown.message_id, text)
    elif isinstance(delta, CallStart):
        reply.calls[delta.id] = (delta.name, "")
        shown.open_calls.append(delta.id)
        yield events.call_start(call_id=delta.id, name=delta.name, parent_id=shown.message_id)
    elif isinstance(delta, ArgumentsDelta):
        name, text = reply.calls[delta.id]
        more = _whole(delta.text)
        reply.calls[delta.id] = (name, text + more)
        yield events.call_arguments(delta.id, more)
    else:
        shown.open_calls.remove(delta.id)
        yield events.call_end(delta.id)


def _whole(text: str) -> str:
    """The text with a mark for each half of a character and each NUL, which nobody can store."""
    return (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    )


def _end(reply: Reply, finish: Finish) -> None:
    reply.ended = True
    reply.reason = finish.reason
    reply.usage = finish.usage
    reply.provider_parts = finish.provider_parts
    reply.quick_replies = finish.quick_replies
