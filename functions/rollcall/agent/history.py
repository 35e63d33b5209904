"""The part of a thread that a model is sent: valid, within the window, with old steps shortened.

`repaired` makes a broken history one that every provider takes, losing as little as possible. The
log is written so that histories are valid; some are not all the same: written by an older version,
imported, or cut by hand. A thread must not be lost to one message that a provider refuses.
`window` chooses the newest exchanges that fit into a request.

`compacted` shortens steps. Contents that were read or written would fill any window: a turn may
have 200 steps. Of what can be read again only a compact form is sent (`recap` of a capability), the
model is told that it can read it again, and the log keeps everything.

- Steps of earlier turns are compact, and of a long turn only the newest are sent.
- In the current turn contents stay whole while they fit into a share of its budget. When they do
  not, those that a later call of the same file has replaced become compact, then the oldest, until
  half the share is free again. So the prompt changes seldom, and in between it only grows: its
  beginning stays the same byte for byte, and providers' prompt caches hit.
- When the compact forms alone outgrow the other share, the oldest steps are left out, many at once.

The outcome depends on the steps up to then and on nothing else. A run leaves its steps to the next
one as it sent them, so the next one comes to the same end as one that reads the whole log.

What people approved or rejected, and what results recommended, is kept in a few lines when the
messages have left the window. The lines follow from records, not from what a model says.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent.turn import Sources, TurnState
from rollcall.core.capability import Capability, Recap
from rollcall.core.context import Catalog, Dialogue, EarlierCall
from rollcall.core.errors import NotFound
from rollcall.core.messages import (
    Message,
    ModelMessage,
    Text,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.options import collection_id
from rollcall.core.readable import line, value
from rollcall.core.redaction import redacted
from rollcall.core.text import BYTES_PER_TOKEN
from rollcall.core.wire import CallStatus, Citation, ToolCallRecord
from rollcall.models.base import parts_fit
from rollcall.store import paths
from rollcall.store.batches import where
from rollcall.store.message_log import (
    CompactStep,
    RecapOf,
    compact_step,
    read_calls,
    read_content,
    read_history,
    read_record,
    read_results,
    read_usage,
    step_bytes,
    unanswered_places,
    without_replaced,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.store.open_run import OpenRun


SHORT_RESULT_CHARS = 1_200
SHORTENED = (
    " [… shortened, because the model's context window is full. Call the tool again for it.]"
)
_LOST = json.dumps(
    {"error": {"code": "aborted", "message": "this call's result was lost; it may be made again"}}
)

Notes = Counter[str]
"""What was done to a history, and how often."""


class _Step(Struct):
    """A message that is no tool message, and the results that belong to it, as they came."""

    message: UserMessage | ModelMessage
    results: list[ToolResult] = field(default_factory=list)


def repaired(
    history: Sequence[Message], *, leaves_last_open: bool = False
) -> tuple[list[Message], list[str]]:
    """Return a valid history, and descriptions of the repairs for the log.

    A valid history comes back equal, without notes; so does one that was repaired before.

    Args:
        leaves_last_open: The run goes on with the last reply's calls: a history that ends with
            calls of which none is answered is valid.
    """
    notes: Notes = Counter()
    steps = _steps(history, notes)
    users = (n for n, step in enumerate(steps) if isinstance(step.message, UserMessage))
    if first := next(users, len(steps)):
        notes["left out what stood before the first of the user's messages"] += 1
    made: list[Message] = []
    for number, step in enumerate(steps[first:], start=first + 1):
        message = step.message
        if isinstance(message, UserMessage):
            made.append(message)
            continue
        is_open = leaves_last_open and number == len(steps) and not step.results
        reply, results = _answered(message, step.results, notes)
        parts = reply.provider_parts
        if not (all(isinstance(part, dict) for part in parts) and parts_fit(reply)):
            # Without them adapters write the reply plainly, as they write another provider's;
            # Gemini's puts the text that stands for a signature into the first call.
            notes["left out what a provider kept for itself, since it did not fit its reply"] += 1
            reply = replace(reply, provider_parts=())
        if not reply.text.strip() and not reply.tool_calls:
            notes["left out an empty reply"] += 1
            continue
        made.append(reply)
        if reply.tool_calls and not is_open:
            if lost := results.count(None):
                notes["answered a call whose result was lost"] += lost
            complete = [
                result or ToolResult(call.id, call.name, _LOST, is_error=True)
                for call, result in zip(reply.tool_calls, results, strict=True)
            ]
            made.append(ToolMessage(tuple(complete)))
    return made, [text if n == 1 else f"{text} ({n} times)" for text, n in notes.items()]


def _steps(history: Sequence[Message], notes: Notes) -> list[_Step]:
    """Return the users' messages and the replies, each reply with its results: every result belongs
    to the nearest call before it that has its id and no result yet."""
    steps: list[_Step] = []
    waiting: dict[str, list[_Step]] = {}
    may_follow = False
    for message in history:
        if not isinstance(message, ToolMessage):
            steps.append(_Step(message))
            may_follow = True
            if isinstance(message, ModelMessage):
                for call in message.tool_calls:
                    waiting.setdefault(call.id, []).append(steps[-1])
            continue
        if not message.results:
            notes["left out a tool message without results"] += 1
        for result in message.results:
            if not waiting.get(result.call_id):
                notes["left out a result that no call was waiting for"] += 1
                continue
            step = waiting[result.call_id].pop()
            step.results.append(result)
            if not may_follow or step is not steps[-1]:
                notes["put a result behind the reply that called for it"] += 1
        may_follow = False
    return steps


def _answered(
    reply: ModelMessage, given: list[ToolResult], notes: Notes
) -> tuple[ModelMessage, list[ToolResult | None]]:
    """Return the reply with an id of its own for each call, and the calls' results in order."""
    left = list(enumerate(given))
    taken = {call.id for call in reply.tool_calls}
    calls: dict[str, ToolCall] = {}
    results: list[ToolResult | None] = []
    places: list[int] = []
    for call in reply.tool_calls:
        found = next((each for each in left if each[1].call_id == call.id), None)
        if not call.id or call.id in calls:
            notes["gave a call an id of its own"] += 1
            free = (f"{call.id or 'call'}-{n}" for n in itertools.count(2))
            call = replace(call, id=next(each for each in free if each not in taken))
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


def window(
    history: Sequence[Message],
    *,
    tokens: int,
    messages: int | None = None,
    counts_steps: bool = True,
) -> list[Message]:
    """Return the newest whole exchanges of a history that fit into `tokens`, and have at most
    `messages` messages of the user and answers.

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
        used += sum(message.tokens for message in counted)
        for message in exchange:  # a call, or what it came to, nobody reads as a message
            is_call = isinstance(message, ModelMessage) and bool(message.tool_calls)
            said += not is_call and not isinstance(message, ToolMessage)
        if kept and (used > tokens or (messages is not None and said > messages)):
            break
        kept.append(exchange)
    return [message for exchange in reversed(kept) for message in exchange]


def fitted(messages: Sequence[Message], tokens: int) -> tuple[Message, ...]:
    """Return the messages of a request, cut down to fit into `tokens` as far as that is possible.

    Earlier exchanges go first, then long results of the turn, the oldest first; a result that is
    shortened says so. The user's words and the calls stay, and the newest results keep most.
    """
    made = window(messages, tokens=tokens // 2, counts_steps=False)
    sizes = [message.tokens for message in made]
    for shortest in (SHORT_RESULT_CHARS, SHORT_RESULT_CHARS // 10):
        for place, message in enumerate(made):
            if isinstance(message, ToolMessage) and sum(sizes) > tokens:
                results = [_shortened(result, shortest) for result in message.results]
                made[place] = message = ToolMessage(tuple(results))
                sizes[place] = message.tokens
    return tuple(made)


def _shortened(result: ToolResult, chars: int) -> ToolResult:
    if len(result.content) <= chars + len(SHORTENED):
        return result
    return replace(result, content=result.content[:chars] + SHORTENED)


MOST_COUNTED = 5_000
"""Of a thread's older documents, where its messages are counted."""


def dialogue_so_far(db: Client, thread_id: str, documents: Sequence[dict[str, Any]]) -> Dialogue:
    """Return what was said in a thread.

    Args:
        documents: The log's newest. Where older ones are needed to count, those are read.
    """
    every = [*documents]
    first = documents[0]["n"] if documents else 0
    if first > 0:
        log = paths.thread(db, thread_id).collection(collection_id("messages"))
        older = log.where(filter=where("n", "<", first)).order_by("n", direction="DESCENDING")
        older = older.select(["role", "turnId", "replaces", "createdAt"]).limit(MOST_COUNTED)
        every = [each.to_dict() or {} for each in reversed(list(older.stream()))] + every
    messages = [each for each in without_replaced(every) if each.get("role") == "user"]
    began_at = messages[0].get("createdAt") if messages else None
    own = {id(each) for each in documents}
    texts = [
        "\n".join(part["text"] for part in each["parts"] if part["type"] == "text")
        for each in reversed(messages)
        if id(each) in own
    ]
    return Dialogue(
        thread_id=thread_id,
        user_turns=len(messages),
        began_at=datetime.fromisoformat(began_at) if isinstance(began_at, str) else began_at,
        texts=tuple(texts),
    )


def earlier_calls(documents: Sequence[dict[str, Any]], place: int) -> Iterator[EarlierCall]:
    """Yield the calls made earlier in a thread, newest first, for capabilities.

    Args:
        documents: Of the log; the call itself is the `place`-th of the last one.
    """
    for document in reversed(documents):
        if document["role"] == "user":
            continue
        calls = read_calls(document)
        is_own = document is documents[-1]
        for at in range(len(calls) - 1, -1, -1):
            call, stored = calls[at], document["results"].get(str(at))
            arguments = call.arguments or {}
            if stored is not None:
                content = {} if stored["isError"] else read_content(stored)
                yield EarlierCall(call.name, arguments, content.get("output"))
            elif is_own and at < place:
                yield EarlierCall(call.name, arguments, is_open=True)


def turn_state(opened: OpenRun) -> TurnState:
    """Return how far the turn has come, by its documents; nothing for a new turn."""
    steps = [
        document
        for document in opened.documents
        if document["role"] == "model" and document["turnId"] == opened.turn_id
    ]
    if not steps:
        return TurnState()
    state = TurnState(
        step=max(document["step"] for document in steps),
        before=max(map(read_usage, steps), key=lambda spent: spent.work_ms),
    )
    citations: list[Citation] = []
    for document in steps:
        for place, call in enumerate(read_calls(document)):
            stored = document["results"].get(str(place))
            if stored is None:
                continue
            record = read_record(call, stored, step=document["step"])
            is_own = stored["runId"] == opened.run_id
            (state.records if is_own else state.earlier).append(record)
            if record.status is not CallStatus.REFUSED:
                state.count(call)
        for stored in document["results"].values():
            found = read_content(stored).get("citations", ())
            citations += [Citation.model_validate(each) for each in found]
    state.sources = Sources(citations)
    last = opened.documents[-1]
    if last is steps[-1] and unanswered_places(last):
        results = enumerate(read_results(last))
        state.answered = {place: each for place, each in results if str(place) in last["results"]}
    return state


NEWEST_STEPS = 10
"""How many of a turn's newest steps are always sent."""
LEFT_OUT = "[Many steps of this task were taken since then. The oldest are not shown here.]"

MAX_LINES = 20
LINE_CHARS = 240
_LASTING = {CallStatus.DONE: "done", CallStatus.UNKNOWN: "begun; nobody knows whether it happened"}
_OUTCOMES = {
    CallStatus.DONE: "done",
    CallStatus.REJECTED: "rejected",
    CallStatus.EXPIRED: "the request expired unanswered; nothing was written",
    CallStatus.FAILED: "failed",
    CallStatus.UNKNOWN: "outcome unknown",
}


def compacted(
    documents: Sequence[dict[str, Any]],
    *,
    turn_id: str,
    tokens: int | None,
    recap_of: RecapOf,
) -> list[dict[str, Any]]:
    """Return a thread's newest documents as the next request sends them.

    Args:
        turn_id: The turn that goes on.
        tokens: The budget of its steps; None sends them as they were.
        recap_of: Returns a call's compact form; see `recaps`.
    """
    before = [each for each in documents if each["turnId"] != turn_id]
    turn = [each for each in documents if each["turnId"] == turn_id]
    newest: Counter[str] = Counter()
    earlier: list[dict[str, Any]] = []
    for document in reversed(before):
        newest[document["turnId"]] += 1
        if document["role"] == "user":
            earlier.append(document)
        elif newest[document["turnId"]] <= NEWEST_STEPS + 1:  # the answer is a document as well
            earlier.append(compact_step(document, recap_of).document)
    if tokens is not None:
        turn = _compacted_turn(turn, tokens * BYTES_PER_TOKEN, recap_of)
    return [*earlier[::-1], *turn]


def compacted_history(documents: Sequence[dict[str, Any]]) -> list[Message]:
    """Return the history that compacted documents hold; the message of a turn whose oldest steps
    are left out says so."""
    shown = [each for each in documents if not each.get("isLeftOut")]
    history = read_history(shown, leaves_last_open=True)
    if len(shown) < len(documents):
        for place in range(len(history) - 1, -1, -1):
            message = history[place]
            if isinstance(message, UserMessage):
                history[place] = replace(message, parts=(*message.parts, Text(LEFT_OUT)))
                break
    return history


def recaps(catalog: Catalog) -> RecapOf:
    """Return how calls become compact, as their capabilities say; each is looked up once."""

    @cache
    def find(name: str) -> Capability | None:
        try:
            return catalog.find_capability(name)
        except NotFound:  # a model made the name up, or the tool is another codebase's
            return None

    def recap(call: ToolCall, output: Any) -> Recap | None:
        found = find(call.name)
        if found is None or call.arguments is None:
            return None
        return found.recap(call.arguments, output)

    return recap


def _compacted_turn(
    turn: Sequence[dict[str, Any]], budget: int, recap_of: RecapOf
) -> list[dict[str, Any]]:
    """Return a turn's documents as they are sent, worked out step by step.

    Args:
        budget: Bytes of all steps together: two thirds are for contents that are sent whole, one
            for the compact forms of all steps.
    """
    made: list[dict[str, Any]] = []
    compact: dict[int, CompactStep] = {}
    whole: dict[int, int] = {}  # what could be saved of those that are sent whole, in bytes

    def is_replaced(place: int) -> bool:
        """Return whether later steps read or wrote all that this one did."""
        later = (compact[each].of for each in whole if each > place)
        own = compact[place].of
        return bool(own) and own <= frozenset[str]().union(*later)

    for newest, document in enumerate(turn):
        made.append(document)
        is_open = document["role"] == "user" or unanswered_places(document)
        if is_open or document.get("isLeftOut"):
            continue
        step = compact[newest] = compact_step(document, recap_of)
        if (saved := step_bytes(document) - step.size) > 0:
            whole[newest] = saved
        # Contents that have outgrown their share become compact, but never the newest.
        total, share = sum(whole.values()), budget * 2 // 3
        if total > share:
            for place in sorted(whole, key=lambda each: (not is_replaced(each), each)):
                if place != newest and total > share // 2:
                    made[place] = compact[place].document
                    total -= whole.pop(place)
        # The oldest steps are left out, if even the compact forms have outgrown their share.
        total, share = sum(step.size for step in compact.values()), budget // 3
        if total > share:
            for place in list(compact)[:-NEWEST_STEPS]:
                if total > share // 2:
                    step = compact.pop(place)
                    made[place] = {**step.document, "isLeftOut": True}
                    whole.pop(place, None)
                    total -= step.size
    return made


def decision_lines(
    before: Sequence[str], calls: Sequence[ToolCallRecord], summaries: Mapping[str, str]
) -> list[str]:
    """Return the newest `MAX_LINES` lines of a thread's decisions, including those of a run's
    calls.

    Args:
        summaries: What people were asked about the calls that they have decided, by call.
    """
    lines = list(before)
    for call in calls:
        output = call.result if isinstance(call.result, dict) else {}
        recommended, text = output.get("recommendation"), ""
        if call.id in summaries or call.undo is not None:
            said = summaries.get(call.id) or str(output.get("done") or call.tool)
            outcome = _OUTCOMES.get(_status(call))
            text = f"{said} ({outcome})" if outcome else ""
        elif call.status is CallStatus.DONE and isinstance(recommended, str) and recommended:
            text = f"{call.tool} recommended: {recommended}"
        if text and (kept := line(redacted(text), LINE_CHARS)) not in lines:
            lines.append(kept)
    return lines[-MAX_LINES:]


def write_lines(documents: Sequence[dict[str, Any]], *, writes: Callable[[str], bool]) -> list[str]:
    """Return lines for the writes in a turn's documents, also for those with an unknown outcome.

    Args:
        writes: Whether the tool of this name writes.
    """
    lines = []
    for document in documents:
        for place, call in enumerate(read_calls(document)) if document["role"] == "model" else ():
            stored = document["results"].get(str(place))
            if stored is None or not writes(call.name):
                continue
            record = read_record(call, stored, step=document["step"])
            if outcome := _LASTING.get(_status(record)):
                text = f"{call.name} {json.dumps(value(record.arguments), ensure_ascii=False)}"
                lines.append(f"{line(redacted(text), LINE_CHARS)} ({outcome})")
    return list(dict.fromkeys(lines))[-MAX_LINES:]


def _status(record: ToolCallRecord) -> CallStatus:
    """Return a call's status; a write that was cut off says in its error that it is unknown."""
    is_unknown = record.error is not None and record.error.get("code") == CallStatus.UNKNOWN
    return CallStatus.UNKNOWN if is_unknown else record.status
