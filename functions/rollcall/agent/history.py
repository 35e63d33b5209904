"""Makes a broken history one that every provider takes, losing as little as possible.

The log is written so that histories are valid. This is for those that are not: written by an older
version, imported, cut by hand, or by a bug that nobody has found yet. A thread must not be lost to
one message that a provider refuses.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent.turn import Before
from rollcall.core.context import EarlierCall
from rollcall.core.messages import (
    Json,
    Media,
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.wire import CallStatus, Citation, ToolCallRecord
from rollcall.store.message_log import (
    TurnUsage,
    read_calls,
    read_record,
    read_results,
    read_usage,
    unanswered_places,
)
from rollcall.store.open_run import OpenRun

_LOST = json.dumps(
    {"error": {"code": "aborted", "message": "this call's result was lost; it may be made again"}}
)
Notes = Counter[str]

MEDIA_TOKENS = 1_000


class _Step(Struct):
    """A message that is no tool message, and the results that belong to it, as they came."""

    message: UserMessage | ModelMessage
    results: list[ToolResult] = field(default_factory=list)


def repaired(
    history: Sequence[Message], *, leaves_last_open: bool = False
) -> tuple[list[Message], list[str]]:
    """The history as a valid one, and what was done to it, in plain words for the log.

    A valid history comes back equal, without notes; so does one that was repaired before.

    Args:
        leaves_last_open: The run goes on with the last reply's calls: a history that ends with
            calls of which none is answered is valid.
    """
    notes: Notes = Counter()
    steps = _from_first_user(_steps(history, notes), notes)
    made: list[Message] = []
    for number, step in enumerate(steps, start=1):
        message = step.message
        if isinstance(message, UserMessage):
            made.append(message)
            continue
        is_open = leaves_last_open and number == len(steps) and not step.results
        reply, results = _answered(message, step.results, notes)
        reply = _with_usable_parts(reply, notes)
        if not reply.text.strip() and not reply.tool_calls:
            notes["left out an empty reply"] += 1
            continue
        made.append(reply)
        if reply.tool_calls and not is_open:
            made.append(ToolMessage(_complete(reply.tool_calls, results, notes)))
    return made, [text if n == 1 else f"{text} ({n} times)" for text, n in notes.items()]


def _steps(history: Sequence[Message], notes: Notes) -> list[_Step]:
    """Give every result to the nearest call before it that has its id and no result yet."""
    steps: list[_Step] = []
    waiting: dict[str, list[_Step]] = {}
    may_follow = False
    for message in history:
        if isinstance(message, ToolMessage):
            _give(message, waiting, steps[-1] if may_follow else None, notes)
            may_follow = False
            continue
        steps.append(_Step(message))
        may_follow = True
        if isinstance(message, ModelMessage):
            for call in message.tool_calls:
                waiting.setdefault(call.id, []).append(steps[-1])
    return steps


def _give(
    message: ToolMessage, waiting: dict[str, list[_Step]], before: _Step | None, notes: Notes
) -> None:
    """Hand the results out; `before` is the message that they directly follow, if none else did."""
    if not message.results:
        notes["left out a tool message without results"] += 1
    for result in message.results:
        asked = waiting.get(result.call_id)
        if not asked:
            notes["left out a result that no call was waiting for"] += 1
            continue
        step = asked.pop()
        step.results.append(result)
        if step is not before:
            notes["put a result behind the reply that called for it"] += 1


def _from_first_user(steps: list[_Step], notes: Notes) -> list[_Step]:
    users = (n for n, step in enumerate(steps) if isinstance(step.message, UserMessage))
    first = next(users, len(steps))
    if first:
        notes["left out what stood before the first of the user's messages"] += 1
    return steps[first:]


def _answered(
    reply: ModelMessage, given: list[ToolResult], notes: Notes
) -> tuple[ModelMessage, list[ToolResult | None]]:
    """The reply with an id of its own for each call, and the calls' results in their order."""
    left = list(enumerate(given))
    taken = {call.id for call in reply.tool_calls}
    calls: dict[str, ToolCall] = {}
    results: list[ToolResult | None] = []
    places: list[int] = []
    for call in reply.tool_calls:
        found = next((each for each in left if each[1].call_id == call.id), None)
        if not call.id or call.id in calls:
            notes["gave a call an id of its own"] += 1
            call = replace(call, id=_free(call.id or "call", taken))
            taken.add(call.id)
        calls[call.id] = call
        if found is None:
            results.append(None)
            continue
        left.remove(found)
        places.append(found[0])
        results.append(replace(found[1], call_id=call.id, name=call.name))
        if found[1].name != call.name:
            notes["gave a result the name of its call"] += 1
    if places != sorted(places):
        notes["put results into the order of their calls"] += 1
    return replace(reply, tool_calls=tuple(calls.values())), results


def _complete(
    calls: Sequence[ToolCall], results: list[ToolResult | None], notes: Notes
) -> tuple[ToolResult, ...]:
    if lost := results.count(None):
        notes["answered a call whose result was lost"] += lost
    return tuple(
        result or ToolResult(call.id, call.name, _LOST, is_error=True)
        for call, result in zip(calls, results, strict=True)
    )


def _free(id: str, taken: set[str]) -> str:
    return next(each for n in range(2, len(taken) + 3) if (each := f"{id}-{n}") not in taken)


def _with_usable_parts(reply: ModelMessage, notes: Notes) -> ModelMessage:
    """Without its provider's parts where they are broken or tell of other calls.

    Adapters then write the reply plainly, as they write another provider's; Gemini's puts the
    text that stands for a signature into the first call.
    """
    parts = reply.provider_parts
    if all(isinstance(part, dict) for part in parts) and _tells(reply.provider, parts, reply):
        return reply
    notes["left out what a provider kept for itself, since it did not fit its reply"] += 1
    return replace(reply, provider_parts=())


def _tells(provider: str | None, parts: Sequence[dict[str, Json]], reply: ModelMessage) -> bool:
    """Whether the parts hold the reply's calls and no others, as far as it can be seen."""
    if not parts:
        return True
    if provider == "gemini":
        return _tells_gemini(
            [part["functionCall"] for part in parts if "functionCall" in part], reply
        )
    if provider == "openai":
        return all(_tells_openai(part, reply) for part in parts)
    return True


def _tells_gemini(told: list[Any], reply: ModelMessage) -> bool:
    """The adapter finds a call's part by its place: ids may be left out, repeated or replaced."""
    names = [call.get("name") or "" for call in told if isinstance(call, dict)]
    return len(names) == len(told) and names == [call.name for call in reply.tool_calls]


def _tells_openai(part: dict[str, Json], reply: ModelMessage) -> bool:
    """The same; of the Responses API's items only those of our tools are calls of ours."""
    if part.get("api") != "responses":
        return isinstance(part.get("extras", []), list | dict)
    items = part.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return False
    told = [item for item in items if item.get("type") in ("function_call", "custom_tool_call")]
    ids, names = ([item.get(key) for item in told] for key in ("call_id", "name"))
    known = [call.id for call in reply.tool_calls]
    if len(ids) == len(known) and {*map(str, ids)} == {*known}:
        return True
    return names == [call.name for call in reply.tool_calls]


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


def earlier_calls(documents: Sequence[dict[str, Any]], place: int) -> Iterator[EarlierCall]:
    """Newest first.

    Args:
        documents: Of the log; the call itself is the `place`-th of the last one.
    """
    for document in reversed(documents):
        if document["role"] == "user":
            continue
        calls = read_calls(document)
        is_own = document is documents[-1]
        for at in range(len(calls) - 1, -1, -1):
            stored = document["results"].get(str(at))
            if stored is not None:
                yield _answered_call(calls[at], stored)
            elif is_own and at < place:
                yield EarlierCall(calls[at].name, calls[at].arguments or {}, is_open=True)


def _answered_call(call: ToolCall, stored: dict[str, Any]) -> EarlierCall:
    content: Any = None
    if not stored["isError"]:
        try:
            content = json.loads(stored["content"])
        except ValueError:
            content = None
    result = content.get("output") if isinstance(content, dict) else None
    return EarlierCall(call.name, call.arguments or {}, result)


def before_of(opened: OpenRun) -> Before:
    """The turn so far, as its documents tell it; nothing for a run that begins one."""
    steps = [
        document
        for document in opened.documents
        if document["role"] == "model" and document["turnId"] == opened.turn_id
    ]
    if not steps:
        return Before()
    answered = [
        (document, place, call)
        for document in steps
        for place, call in enumerate(read_calls(document))
        if str(place) in document["results"]
    ]
    records = [
        (document["results"][str(place)]["runId"], _record(document, place, call))
        for document, place, call in answered
    ]
    last = opened.documents[-1]
    is_open = last is steps[-1] and bool(unanswered_places(last))
    results = read_results(last) if is_open else []
    return Before(
        step=max(document["step"] for document in steps),
        records=tuple(record for _, record in records),
        own_records=tuple(record for run_id, record in records if run_id == opened.run_id),
        calls=tuple(
            call
            for (_, _, call), (_, record) in zip(answered, records, strict=True)
            if record.status is not CallStatus.REFUSED
        ),
        citations=tuple(_citations(steps)),
        answered={
            place: result for place, result in enumerate(results) if str(place) in last["results"]
        },
        spent=_most_spent(steps),
    )


def _record(document: dict[str, Any], place: int, call: ToolCall) -> ToolCallRecord:
    found = read_record(call, document["results"][str(place)])
    missing = {
        "arguments": call.arguments or {},
        "status": CallStatus.FAILED if found.get("error") else CallStatus.DONE,
        "step": document["step"],
        "ms": 0,
    }
    return ToolCallRecord.model_validate({**missing, **found})


def _citations(steps: list[dict[str, Any]]) -> Iterator[Citation]:
    """The numbered citations of all results, as the models were shown them."""
    for document in steps:
        for result in document["results"].values():
            try:
                content = json.loads(result["content"])
            except ValueError:
                continue
            for citation in content.get("citations", ()) if isinstance(content, dict) else ():
                yield Citation.model_validate(citation)


def _most_spent(steps: list[dict[str, Any]]) -> TurnUsage:
    spent = [read_usage(document) for document in steps]
    return max(spent, key=lambda each: each.work_ms)
