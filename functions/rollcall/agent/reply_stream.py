"""What a model streams, as the events that are shown and the reply that is kept.

Nothing leaves here that could not be stored or sent on: half characters and NULs are marked,
ids of calls are unique, and what a provider wants back is JSON.
"""

from __future__ import annotations

import logging
import math
import queue
import re
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from contextvars import copy_context

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core import events
from rollcall.core.errors import Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import Json, ModelMessage, ToolCall
from rollcall.models.base import (
    ArgumentsDelta,
    CallStart,
    Clock,
    Delta,
    Finish,
    FinishReason,
    Model,
    ModelRequest,
    TextDelta,
    Usage,
)
from rollcall.models.cutting import CURRENT, Cut
from rollcall.store.message_log import CALL_BYTES, REPLY_DOCUMENT_BYTES, reply_bytes

REPLY_CHARS = 150_000
"""The longest reply that is taken in: at most 600,000 bytes of what its document may have."""
NAME_CHARS = 100
"""What is taken in of a tool's name; no tool has one as long as this."""
MAX_PART_DEPTH = 64
_GOOD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:\-]{0,63}")
log = logging.getLogger("rollcall")

SHORTEST_S, LONGEST_S = 0.03, 0.15
LONG_CHARS = 10_000
"""A text of so many characters is passed on at the slowest."""

BUFFERED = 256
"""Deltas that are read ahead of who takes them."""
JOIN_S = 0.5
"""How long a stream that was cut may take to end before it is left to itself."""


class Reply(Struct):
    """A reply as far as it has come. `calls` maps an id to the tool's name and its JSON text.

    `stopped` says that it was broken off because its reader wanted no more; it calls nothing.
    `cost_usd` is that of every attempt at this reply, None if one of them has no price.
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
        """The reply as it is kept. What its provider wants back is left out where the two are too
        large for one document together: some of it alone would say something else."""
        message = ModelMessage(
            text=self.text,
            tool_calls=tuple(
                ToolCall.parse(id=id, name=name, text=text)
                for id, (name, text) in self.calls.items()
            ),
            provider=self.model.partition(":")[0],
            provider_parts=self.provider_parts,
        )
        if not self.provider_parts or reply_bytes(message) <= REPLY_DOCUMENT_BYTES:
            return message
        log.warning("the parts of a reply of %s are too large to be kept", self.model)
        return replace(message, provider_parts=())


class Intake:
    """Takes deltas in, gives events out and fills a reply.

    Deltas of one text or call that come soon after one another become one event: whoever reads
    waits for the next delta no longer than `wait_s`, and then passes `due` on. What was begun in
    the event stream must be ended, also when the model's stream breaks: `close`. The reply has what
    came when `settle` is called.
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
        self._text = Pieces()
        self._calls: dict[str, Pieces] = {}
        self._taken = _ids_of(request)
        self._open: dict[str, str] = {}
        self._halves: dict[str, str] = {}
        self._room = REPLY_CHARS

    @property
    def is_full(self) -> bool:
        """Whether the reply is as long as it may be: what is still to come is cut off."""
        return self._room <= 0

    def wait_s(self, *, at_most: float) -> float:
        """How long the next delta may be waited for, before what is held back has to go on."""
        held = (self._text, *(self._calls[id] for id in self._open.values()))
        times = [at for each in held if (at := each.due_at()) is not None]
        return min(max(min(times) - self._clock(), 0.0), at_most) if times else at_most

    def take(self, delta: Delta) -> Iterator[Event]:
        """Take one delta in.

        Raises:
            Unavailable: It belongs to a call that is not open.
        """
        self._reply.started = True
        if isinstance(delta, TextDelta):
            yield from self._take_text(delta.text)
        elif isinstance(delta, CallStart):
            yield from self._shown(self._text)
            yield self._start_call(delta)
        elif isinstance(delta, Finish):
            self._finish(delta)
        elif (id := self._open.get(delta.id)) is None:
            raise Unavailable(f"{self._reply.model} went on with a call that is not open")
        elif isinstance(delta, ArgumentsDelta):
            yield from self._add(self._calls[id], self._whole(id, delta.text), id)
        else:
            yield from self._shown(self._calls[id], id)
            del self._open[delta.id]
            yield events.call_end(id)

    def due(self) -> Iterator[Event]:
        """What was held back long enough."""
        now = self._clock()
        if self._text.is_due(now):
            yield from self._shown(self._text)
        for id in self._open.values():
            if self._calls[id].is_due(now):
                yield from self._shown(self._calls[id], id)

    def close(self) -> Iterator[Event]:
        """End what is still open."""
        self.settle()
        for id in self._open.values():
            yield from self._shown(self._calls[id], id)
            yield events.call_end(id)
        yield from self._shown(self._text)
        if self._text.shown_at is not None:
            yield events.text_end(self._message_id)

    def settle(self) -> None:
        """Put what came into the reply."""
        reply = self._reply
        reply.text = self._text.text
        reply.calls = {id: (name, self._calls[id].text) for id, (name, _) in reply.calls.items()}

    def _shown(self, pieces: Pieces, id: str = "") -> Iterator[Event]:
        """What is held back of a call, or of the text, as an event; nothing where nothing is."""
        if pieces.due_at() is None:
            return
        is_first = pieces.shown_at is None
        held = pieces.take(self._clock())
        if id:
            yield events.call_arguments(id, held)
            return
        if is_first:
            yield events.text_start(self._message_id)
        yield events.text_content(self._message_id, held)

    def _take_text(self, text: str) -> Iterator[Event]:
        yield from self._add(self._text, self._whole("", text))

    def _add(self, pieces: Pieces, text: str, id: str = "") -> Iterator[Event]:
        if text:
            pieces.add(text)
            if pieces.is_due(self._clock()):
                yield from self._shown(pieces, id)

    def _start_call(self, delta: CallStart) -> Event:
        id = delta.id
        if id in self._taken or not _GOOD_ID.fullmatch(id):
            id = f"call_{uuid.uuid4().hex[:24]}"
        self._taken.add(id)
        self._open[delta.id] = id
        name = _mended(delta.name)[:NAME_CHARS]
        self._room -= CALL_BYTES
        self._reply.calls[id], self._calls[id] = (name, ""), Pieces()
        return events.call_start(call_id=id, name=name, parent_id=self._message_id)

    def _finish(self, finish: Finish) -> None:
        reply = self._reply
        reply.ended = True
        reply.reason = finish.reason
        reply.usage = finish.usage
        reply.provider_parts = storable(finish.provider_parts, of=reply.model)
        reply.quick_replies = tuple(_mended(each) for each in finish.quick_replies)

    def _whole(self, place: str, text: str) -> str:
        """The text without a half character at its end, which waits for its other half."""
        text = self._halves.pop(place, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[place] = text[-1]
            text = text[:-1]
        text = _mended(text)[: max(self._room, 0)]
        self._room -= len(text)
        return text


def storable(parts: tuple[Json, ...], *, of: str) -> tuple[Json, ...]:
    """The parts with their texts mended; a part that is not JSON is dropped, and that is logged.

    Args:
        of: The model they came from, for the log.
    """
    kept = []
    for part in parts:
        try:
            kept.append(_storable(part, 0))
        except ValueError as error:
            log.warning("a part of a reply of %s cannot be kept: %s", of, error)
    return tuple(kept)


def _storable(value: Json, depth: int) -> Json:
    if depth > MAX_PART_DEPTH:
        raise ValueError(f"it is nested deeper than {MAX_PART_DEPTH} levels")
    if isinstance(value, str):
        return _mended(value)
    if isinstance(value, dict):
        return {_mended(str(key)): _storable(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(each, depth + 1) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number")
    if value is None or isinstance(value, bool | int | float):
        return value
    raise ValueError(f"a {type(value).__name__} is no JSON")


def _mended(text: str) -> str:
    """The text with a mark for each half of a character and each NUL, which nobody can store."""
    if text.isascii() and "\0" not in text:
        return text
    return (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    )


def _ids_of(request: ModelRequest) -> set[str]:
    """Ids of the history's calls: some servers count from the start again in each reply."""
    replies = [message for message in request.messages if isinstance(message, ModelMessage)]
    return {call.id for reply in replies for call in reply.tool_calls}


class Pieces(Struct):
    """One text, as far as it has come. Adding a piece takes no longer for a long text.

    Attributes:
        chars: How long it is by now.
        shown_at: When some of it was passed on last, by the clock of who asks; None before.
    """

    chars: int = 0
    shown_at: float | None = None
    _all: list[str] = field(default_factory=list)
    _shown: int = 0

    def add(self, piece: str) -> None:
        self._all.append(piece)
        self.chars += len(piece)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._all)

    def due_at(self) -> float | None:
        """When what is held back has to be passed on; None if nothing is."""
        if self._shown == len(self._all):
            return None
        if self.shown_at is None:
            return 0.0
        share = min(self.chars / LONG_CHARS, 1.0)
        return self.shown_at + SHORTEST_S + share * (LONGEST_S - SHORTEST_S)

    def is_due(self, now: float) -> bool:
        at = self.due_at()
        return at is not None and at <= now

    def take(self, now: float) -> str:
        """What was held back, which counts as passed on."""
        held = "".join(self._all[self._shown :])
        self._shown, self.shown_at = len(self._all), now
        return held


def pumped(
    model: Model, request: ModelRequest, *, wait_s: Callable[[], float]
) -> Generator[Delta | None, None, None]:
    """Yield the model's deltas, and None whenever none came for `wait_s()` seconds.

    Closing this cuts the model's stream: its connection is shut down, also while it waits.

    Raises:
        DeadlineExceeded: The request's deadline passed.
        Exception: Whatever the model raised.
    """
    pump = _Pump(model, request)
    clock = Clock(request.deadline)
    try:
        while True:
            items = pump.take(timeout_s=0) or pump.take(timeout_s=clock.left_s(at_most=wait_s()))
            if not items:
                yield None
            for item in items:
                if isinstance(item, _End):
                    if item.error is not None:
                        raise item.error
                    return
                yield item
    finally:
        pump.stop()


class _End(Struct, frozen=True):
    """The last item: how the stream ended."""

    error: Exception | None


class _Pump:
    """The thread that reads, and the queue it fills."""

    def __init__(self, model: Model, request: ModelRequest) -> None:
        self._queue: queue.Queue[Delta | _End] = queue.Queue(BUFFERED)
        self._cut = Cut()
        self._thread = threading.Thread(
            target=copy_context().run,
            args=(self._work, model, request),
            name=f"model {model.id}",
            daemon=True,
        )
        self._thread.start()

    def take(self, *, timeout_s: float) -> list[Delta | _End]:
        """All that has come; if nothing has, the first that comes in time."""
        items: list[Delta | _End] = []
        try:
            items.append(
                self._queue.get(timeout=timeout_s) if timeout_s else self._queue.get(False)
            )
            while True:
                items.append(self._queue.get_nowait())
        except queue.Empty:
            return items

    def stop(self) -> None:
        """End the thread, wherever it is; after the stream's own end there is nothing to do."""
        self._cut.make()
        self.take(timeout_s=0)  # it may be waiting for a place in the queue
        self._thread.join(JOIN_S)

    def _work(self, model: Model, request: ModelRequest) -> None:
        CURRENT.set(self._cut)
        error = None
        try:
            self._read(model, request)
        except Exception as caught:  # for the thread that takes
            error = caught
        self._queue.put(_End(error))

    def _read(self, model: Model, request: ModelRequest) -> None:
        clock = Clock(request.deadline)
        stream = model.stream(request)
        try:
            for delta in stream:
                clock.left_s(at_most=1.0)
                self._queue.put(delta)
                if self._cut.is_made:
                    return
        finally:
            if (close := getattr(stream, "close", None)) is not None:
                close()  # here, because a generator belongs to the thread that runs it
