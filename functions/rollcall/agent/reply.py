"""A model's reply as it streams: deltas become AG-UI events and a `Reply`.

`threaded_stream` reads a model's deltas in a thread, and `ReplyBuilder` makes events of them.
Providers send a few bytes at a time, and an event for each would cost more than its content, in the
stream, in Firestore and in the client. The first delta of a text is therefore sent at once, and
later ones together, after a delay that grows a little with the text. All output can be stored and
sent on: lone surrogates and NULs are replaced, call ids are unique, and provider parts are JSON.
"""

from __future__ import annotations

import logging
import math
import queue
import re
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from queue import SimpleQueue

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent.paid_calls import max_bytes
from rollcall.agent.workers import workers
from rollcall.core import events
from rollcall.core.errors import Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import Json, ModelMessage, ToolCall
from rollcall.models.base import (
    CURRENT,
    ArgumentsDelta,
    CallStart,
    Cancellation,
    Clock,
    Delta,
    Finish,
    FinishReason,
    Model,
    ModelRequest,
    TextDelta,
    Usage,
)
from rollcall.store.message_log import CALL_BYTES, REPLY_DOCUMENT_BYTES, reply_bytes

REPLY_CHARS = 150_000
"""The longest reply that is accepted: at most 600,000 bytes of its document."""
NAME_CHARS = 100
"""The most characters of a tool's name that are read; no tool has such a long name."""
MAX_PART_DEPTH = 64
MIN_S, MAX_S = 0.03, 0.15
"""The shortest and the longest time that a delta is held back."""
LONG_CHARS = 10_000
"""From this length on a text's deltas are held back for `MAX_S`."""
QUEUE_DELTAS = 256
"""How many deltas the reader thread may be ahead of its consumer; beyond it waits `FULL_S`."""
FULL_S = 0.01
JOIN_S = 0.5
"""How long a closed stream may take to end before its thread is abandoned."""
_GOOD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:\-]{0,63}")

log = logging.getLogger("rollcall")


class Reply(Struct):
    """A model's reply, as far as it has arrived.

    Attributes:
        calls: The tool's name and the JSON text of its arguments, by call id.
        cost_usd: The cost of every attempt at this reply; None if one of them has no price.
        started: Whether any delta has arrived.
        ended: Whether its last delta has arrived.
        stopped: Whether it was cut off because the run was stopped; it then calls nothing.
    """

    model: str
    text: str = ""
    calls: dict[str, tuple[str, str]] = field(default_factory=dict)
    reason: FinishReason = FinishReason.STOP
    usage: Usage = field(default_factory=Usage)
    provider_parts: tuple[Json, ...] = ()
    quick_replies: tuple[str, ...] = ()
    cost_usd: float | None = 0.0
    started: bool = False
    ended: bool = False
    stopped: bool = False

    @property
    def message(self) -> ModelMessage:
        """The reply as a message. The provider's parts are dropped if the message is too large for
        one document with them: only some of the parts would mean something else."""
        calls = [
            ToolCall.parse(id=id, name=name, text=text) for id, (name, text) in self.calls.items()
        ]
        if self.reason is FinishReason.LENGTH:
            # The arguments of the last call, and of calls without any, may be incomplete. Without
            # arguments a call is refused, with the reason as its result.
            for place, call in enumerate(calls, 1):
                if place == len(calls) or not call.arguments_text.strip():
                    calls[place - 1] = replace(call, arguments=None)
        message = ModelMessage(
            text=self.text,
            tool_calls=tuple(calls),
            provider=self.model.partition(":")[0],
            provider_parts=self.provider_parts,
        )
        if not self.provider_parts or reply_bytes(message) <= REPLY_DOCUMENT_BYTES:
            return message
        log.warning("the parts of a reply of %s are too large to be kept", self.model)
        return replace(message, provider_parts=())


class DeltaBuffer(Struct):
    """A streamed text and how much of it was sent on. Adding takes constant time.

    Attributes:
        chars: The text's length.
        sent: How many of its deltas were sent on.
        sent_at: When a part of it was last sent on, by the caller's clock; None before.
    """

    deltas: list[str] = field(default_factory=list)
    chars: int = 0
    sent: int = 0
    sent_at: float | None = None

    def add(self, delta: str) -> None:
        if delta:
            self.deltas.append(delta)
            self.chars += len(delta)

    def due_at(self) -> float:
        """When the text that is held back has to be sent on; infinity if there is none."""
        if self.sent == len(self.deltas):
            return math.inf
        if self.sent_at is None:
            return 0.0
        share = min(self.chars / LONG_CHARS, 1.0)
        return self.sent_at + MIN_S + share * (MAX_S - MIN_S)


class ReplyBuilder:
    """Turns a model's deltas into events and a `Reply`.

    The caller waits for the next delta no longer than `wait_s`, and then sends the events of `due`.
    It calls `close` at the end, also when the model's stream breaks: this ends open texts and calls
    in the event stream, and fills the reply.
    """

    def __init__(
        self,
        reply: Reply,
        *,
        request: ModelRequest,
        message_id: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reply = reply
        self._message_id = message_id
        self._clock = clock
        self._text = DeltaBuffer()
        self._calls: dict[str, DeltaBuffer] = {}
        # Some servers number their calls from the start again in each reply.
        self._ids = {
            call.id
            for message in request.messages
            if isinstance(message, ModelMessage)
            for call in message.tool_calls
        }
        self._open: dict[str, str] = {}
        """Our ids of open calls, by their provider's ids."""
        self._halves: dict[str, str] = {}
        """High surrogates that wait for their second half, by call id; "" is the text."""
        self._room = REPLY_CHARS
        self._byte_room = max_bytes(request.max_output_tokens)

    @property
    def is_full(self) -> bool:
        """Whether the reply has reached its longest length; the rest is cut off."""
        return self._room <= 0 or self._byte_room <= 0

    def wait_s(self, *, at_most: float) -> float:
        """How long to wait for the next delta before text that is held back is due."""
        due_at = self._text.due_at()
        for id in self._open.values():
            due_at = min(due_at, self._calls[id].due_at())
        return min(max(due_at - self._clock(), 0.0), at_most)

    def take(self, delta: Delta) -> Iterator[Event]:
        """Add a delta, and yield the events that are due.

        Raises:
            Unavailable: The delta belongs to a call that is not open.
        """
        reply = self._reply
        reply.started = True
        if isinstance(delta, TextDelta):
            self._text.add(self._cut_to_room("", delta.text))
            yield from self._flush(self._text, due_by=self._clock())
        elif isinstance(delta, CallStart):
            yield from self._flush(self._text)
            id = delta.id
            if id in self._ids or not _GOOD_ID.fullmatch(id):
                id = f"call_{uuid.uuid4().hex[:24]}"
            self._ids.add(id)
            self._open[delta.id] = id
            name = storable_text(delta.name)[:NAME_CHARS]
            self._room -= CALL_BYTES
            reply.calls[id], self._calls[id] = (name, ""), DeltaBuffer()
            yield events.call_start(call_id=id, name=name, parent_id=self._message_id)
        elif isinstance(delta, Finish):
            reply.ended = True
            reply.reason = delta.reason
            reply.provider_parts = storable_parts(delta.provider_parts, model_id=reply.model)
            reply.quick_replies = tuple(storable_text(each) for each in delta.quick_replies)
        elif (open_id := self._open.get(delta.id)) is None:
            raise Unavailable(f"{reply.model} went on with a call that is not open")
        elif isinstance(delta, ArgumentsDelta):
            self._calls[open_id].add(self._cut_to_room(open_id, delta.text))
            yield from self._flush(self._calls[open_id], open_id, due_by=self._clock())
        else:
            yield from self._flush(self._calls[open_id], open_id)
            del self._open[delta.id]
            yield events.call_end(open_id)

    def due(self) -> Iterator[Event]:
        """Yield the events of text that was held back long enough."""
        now = self._clock()
        yield from self._flush(self._text, due_by=now)
        for id in self._open.values():
            yield from self._flush(self._calls[id], id, due_by=now)

    def close(self) -> Iterator[Event]:
        """End open texts and calls, and fill the reply with all that arrived."""
        reply = self._reply
        reply.text = "".join(self._text.deltas)
        for id, (name, _) in reply.calls.items():
            reply.calls[id] = (name, "".join(self._calls[id].deltas))
        for id in self._open.values():
            yield from self._flush(self._calls[id], id)
            yield events.call_end(id)
        yield from self._flush(self._text)
        if self._text.sent_at is not None:
            yield events.text_end(self._message_id)

    def _flush(
        self, buffer: DeltaBuffer, id: str = "", *, due_by: float = math.inf
    ) -> Iterator[Event]:
        """Yield the text that a buffer holds back, if it is due by then.

        Args:
            id: The call whose arguments the buffer has; empty for the reply's text.
        """
        due_at = buffer.due_at()
        if due_at == math.inf or due_at > due_by:
            return
        is_first, unsent = buffer.sent_at is None, "".join(buffer.deltas[buffer.sent :])
        buffer.sent, buffer.sent_at = len(buffer.deltas), self._clock()
        if id:
            yield events.call_arguments(id, unsent)
            return
        if is_first:
            yield events.text_start(self._message_id)
        yield events.text_content(self._message_id, unsent)

    def _cut_to_room(self, id: str, text: str) -> str:
        """Return the text as far as the reply has room for it. A high surrogate at its end is kept
        for the next delta."""
        text = self._halves.pop(id, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[id] = text[-1]
            text = text[:-1]
        encoded = storable_text(text)[: max(self._room, 0)].encode()[: max(self._byte_room, 0)]
        text = encoded.decode(errors="ignore")
        self._room -= len(text)
        # A character that is cut in its middle uses up its bytes too.
        self._byte_room -= len(encoded)
        return text


def storable_parts(parts: tuple[Json, ...], *, model_id: str) -> tuple[Json, ...]:
    """Return a provider's parts with their texts made storable; a part that is not JSON is dropped
    and logged."""
    kept = []
    for part in parts:
        try:
            kept.append(_storable_json(part, 0))
        except ValueError as error:
            log.warning("a part of a reply of %s cannot be kept: %s", model_id, error)
    return tuple(kept)


def _storable_json(value: Json, depth: int) -> Json:
    if depth > MAX_PART_DEPTH:
        raise ValueError(f"it is nested deeper than {MAX_PART_DEPTH} levels")
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(str(k)): _storable_json(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_json(each, depth + 1) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number")
    if value is None or isinstance(value, bool | int | float):
        return value
    raise ValueError(f"a {type(value).__name__} is no JSON")


def storable_text(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate and each NUL, which databases do not
    store."""
    if text.isascii() and "\0" not in text:
        return text
    return (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    )


def threaded_stream(
    model: Model, request: ModelRequest, *, wait_s: Callable[[], float]
) -> Generator[Delta | None, None, None]:
    """Read a model's stream in a thread: yield its deltas, and None after each `wait_s()` seconds
    without one, so that the caller can do other things meanwhile.

    Closing this generator shuts down the model's connection, also while it waits.

    Raises:
        DeadlineExceeded: The request's deadline passed.
        Exception: The model's own error.
    """
    received: SimpleQueue[Delta | Exception | None] = SimpleQueue()  # its error or None ends it
    cancellation = Cancellation()

    def read() -> None:
        CURRENT.set(cancellation)
        end = None
        try:
            clock = Clock(request.deadline)
            stream = model.stream(request)
            try:
                for delta in stream:
                    clock.left_s(at_most=1.0)
                    received.put(delta)
                    while received.qsize() >= QUEUE_DELTAS and not cancellation.is_cancelled:
                        time.sleep(FULL_S)
                    if cancellation.is_cancelled:
                        break
            finally:
                if (close := getattr(stream, "close", None)) is not None:
                    close()  # here, because another thread cannot close a running generator
        except Exception as caught:  # raised again in the consumer's thread
            end = caught
        received.put(end)

    workers().start(read, name=f"model {model.id}")
    clock = Clock(request.deadline)
    has_ended = False
    try:
        while not has_ended:
            try:
                item = received.get(timeout=clock.left_s(at_most=wait_s()))
            except queue.Empty:
                yield None
                continue
            has_ended = item is None or isinstance(item, Exception)
            if isinstance(item, Exception):
                raise item
            if item is not None:
                yield item
    finally:
        cancellation.cancel()
        with suppress(queue.Empty):
            while not has_ended:
                item = received.get(timeout=JOIN_S)
                has_ended = item is None or isinstance(item, Exception)
