"""The part of a thread that is sent to a model: valid, within the window, with old steps shortened.

`repair_history` turns a broken history into one that every provider accepts. The log is written so
that histories are valid, but some are not: written by an older version, imported, or edited by
hand. One message that a provider refuses must not end a thread. `window` chooses the newest
exchanges that fit into a request.

`compact_documents` shortens steps. The contents that tools read and write would fill any window: a
turn may have 200 steps. If a content can be read again, only a compact form is sent (`compaction`
of its capability), which says that it can be read again; the log keeps everything.

- Steps of earlier turns are compact, and of a long turn only the newest are sent.
- In the current turn contents stay whole while they fit into a share of its budget. When they do
  not, those that a later call of the same file has replaced become compact, then the oldest, until
  half the share is free again. The prompt then changes seldom, and only grows in between: its
  beginning stays the same byte for byte, and providers' prompt caches hit.
- When the compact forms alone outgrow the other share, the oldest steps are left out, many at once.

The outcome depends only on the steps so far. A run hands its steps to the next run in the form in
which it sent them, so the next run gets the same outcome as one that reads the whole log.

What people approved or rejected, and what results recommended, is kept in a few lines when the
messages have left the window. The lines are made from records, not from a model's words.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from rollcall.agent.targets import local_capability
from rollcall.agent.turn import Sources, TurnState
from rollcall.core.capability import Compaction
from rollcall.core.context import Catalog, Dialogue, EarlierCall
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
    CompactionOf,
    CompactStep,
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


def repair_history(
    history: Sequence[Message], *, leaves_last_open: bool = False
) -> tuple[list[Message], list[str]]:
    """Return a valid history, and descriptions of the repairs for the log.

    A valid history comes back equal, without notes; so does one that was repaired before. The
    results of a reply are those that follow it directly.

    Args:
        leaves_last_open: Whether the run will run the last reply's calls: a history that ends with
            calls of which none is answered is then valid.
    """
    notes: Counter[str] = Counter()
    steps: list[tuple[UserMessage | ModelMessage, list[ToolResult]]] = []
    for message in history:
        if not isinstance(message, ToolMessage):
            steps.append((message, []))
        elif steps:
            steps[-1][1].extend(message.results)
    users = (n for n, (message, _) in enumerate(steps) if isinstance(message, UserMessage))
    first = next(users, len(steps))
    if history and not isinstance(history[0], UserMessage):
        notes["left out what stood before the first of the user's messages"] += 1
    valid: list[Message] = []
    for number, (message, stored) in enumerate(steps[first:], start=first + 1):
        is_open = leaves_last_open and number == len(steps) and not stored
        if isinstance(message, ModelMessage):
            reply = _repair_reply(message, notes)
            if not reply.text.strip() and not reply.tool_calls:
                notes["left out an empty reply"] += 1
                continue
            valid.append(reply)
            if reply.tool_calls and not is_open:
                calls = zip(message.tool_calls, reply.tool_calls, strict=True)
                results = (_take_result(each, own, stored, notes) for each, own in calls)
                valid.append(ToolMessage(tuple(results)))
        else:
            valid.append(message)
        if stored:
            notes["left out a result that no call was waiting for"] += len(stored)
    if not notes and valid != list(history):
        notes["put results into the order and under the names of their calls"] += 1
    return valid, [text if n == 1 else f"{text} ({n} times)" for text, n in notes.items()]


def _repair_reply(reply: ModelMessage, notes: Counter[str]) -> ModelMessage:
    """Return the reply with a unique id for each call, and without provider parts that do not fit
    it."""
    taken = {call.id for call in reply.tool_calls}
    calls: dict[str, ToolCall] = {}
    for call in reply.tool_calls:
        if not call.id or call.id in calls:
            notes["gave a call an id of its own"] += 1
            free = (f"{call.id or 'call'}-{n}" for n in itertools.count(2))
            call = replace(call, id=next(each for each in free if each not in taken))
            taken.add(call.id)
        calls[call.id] = call
    reply, parts = replace(reply, tool_calls=tuple(calls.values())), reply.provider_parts
    if all(isinstance(part, dict) for part in parts) and parts_fit(reply):
        return reply
    # Without them adapters write the reply like another provider's; Gemini's adapter puts a
    # placeholder for the missing signature into the first call.
    notes["left out what a provider kept for itself, since it did not fit its reply"] += 1
    return replace(reply, provider_parts=())


def _take_result(
    call: ToolCall, own: ToolCall, stored: list[ToolResult], notes: Counter[str]
) -> ToolResult:
    """Take a call's result out of the stored ones; return it under the call's own id and name."""
    for result in stored:
        if result.call_id == call.id:
            stored.remove(result)
            return replace(result, call_id=own.id, name=own.name)
    notes["answered a call whose result was lost"] += 1
    return ToolResult(own.id, own.name, _LOST, is_error=True)


def window(
    history: Sequence[Message],
    *,
    tokens: int,
    messages: int | None = None,
    counts_steps: bool = True,
) -> list[Message]:
    """Return the newest whole exchanges of a history that fit into `tokens` and have together at
    most `messages` user messages and answers.

    An exchange begins with a user's message and holds the replies and results that follow, so a
    call is never separated from its result. The last exchange is always kept.

    Args:
        counts_steps: Whether the steps of the last exchange count. Where they have their own
            budget, earlier exchanges then stay in the window as the steps grow.
    """
    exchanges: list[list[Message]] = []
    for message in history:
        if isinstance(message, UserMessage):
            exchanges.append([])
        if exchanges:  # the rest of an exchange that begins before `history` is dropped
            exchanges[-1].append(message)
    kept: list[list[Message]] = []
    used = count = 0
    for exchange in reversed(exchanges):
        counted = exchange if kept or counts_steps else exchange[:1]
        used += sum(message.tokens for message in counted)
        for message in exchange:  # calls and results do not count as messages
            is_call = isinstance(message, ModelMessage) and bool(message.tool_calls)
            count += not is_call and not isinstance(message, ToolMessage)
        if kept and (used > tokens or (messages is not None and count > messages)):
            break
        kept.append(exchange)
    return [message for exchange in reversed(kept) for message in exchange]


def fit_messages(messages: Sequence[Message], tokens: int) -> tuple[Message, ...]:
    """Return a request's messages, cut down to fit into `tokens` as far as possible.

    Earlier exchanges are dropped first; then the turn's long results are shortened, the oldest
    first, and each shortened result says so. The user's words and the calls stay.
    """
    newest = window(messages, tokens=tokens // 2, counts_steps=False)
    sizes = [message.tokens for message in newest]
    for shortest in (SHORT_RESULT_CHARS, SHORT_RESULT_CHARS // 10):
        for place, message in enumerate(newest):
            if isinstance(message, ToolMessage) and sum(sizes) > tokens:
                results = (
                    replace(result, content=result.content[:shortest] + SHORTENED)
                    if len(result.content) > shortest + len(SHORTENED)
                    else result
                    for result in message.results
                )
                newest[place] = message = ToolMessage(tuple(results))
                sizes[place] = message.tokens
    return tuple(newest)


MAX_COUNTED = 5_000
"""How many of a thread's older documents are read to count its messages."""


def dialogue_so_far(db: Client, thread_id: str, documents: Sequence[dict[str, Any]]) -> Dialogue:
    """Return a thread's dialogue: the number of user turns, its beginning, and the newest texts.

    Args:
        documents: The newest of the log. Older ones are read only to be counted.
    """
    every = [*documents]
    first = documents[0]["n"] if documents else 0
    if first > 0:
        log = paths.thread(db, thread_id).collection(collection_id("messages"))
        older = log.where(filter=where("n", "<", first)).order_by("n", direction="DESCENDING")
        older = older.select(["role", "turnId", "replaces", "createdAt"]).limit(MAX_COUNTED)
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
    """Yield the thread's earlier calls for a capability, newest first.

    Args:
        documents: Documents of the log; the capability's own call is the `place`-th of the last.
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
    """Return the state of a run's turn, read from the turn's documents; a fresh state for a new
    turn."""
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
            stored_citations = read_content(stored).get("citations", ())
            citations += [Citation.model_validate(each) for each in stored_citations]
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
_WRITE_OUTCOMES = {
    CallStatus.DONE: "done",
    CallStatus.UNKNOWN: "begun; nobody knows whether it happened",
}
_OUTCOMES = {
    CallStatus.DONE: "done",
    CallStatus.REJECTED: "rejected",
    CallStatus.EXPIRED: "the request expired unanswered; nothing was written",
    CallStatus.FAILED: "failed",
    CallStatus.UNKNOWN: "outcome unknown",
}


def compact_documents(
    documents: Sequence[dict[str, Any]],
    *,
    turn_id: str,
    tokens: int | None,
    compaction_of: CompactionOf,
) -> list[dict[str, Any]]:
    """Return a thread's newest documents in the form in which the next request sends them.

    Args:
        turn_id: The current turn.
        tokens: The budget of its steps; None sends them whole.
        compaction_of: Returns a call's compact form; see `compactions`.
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
            earlier.append(compact_step(document, compaction_of).document)
    if tokens is not None:
        turn = _compact_turn(turn, tokens * BYTES_PER_TOKEN, compaction_of)
    return [*earlier[::-1], *turn]


def compact_history(documents: Sequence[dict[str, Any]]) -> list[Message]:
    """Return the history in compacted documents. If a turn's oldest steps are left out, its user
    message says so."""
    shown = [each for each in documents if not each.get("isLeftOut")]
    history = read_history(shown, leaves_last_open=True)
    if len(shown) < len(documents):
        for place in range(len(history) - 1, -1, -1):
            message = history[place]
            if isinstance(message, UserMessage):
                history[place] = replace(message, parts=(*message.parts, Text(LEFT_OUT)))
                break
    return history


def compactions(catalog: Catalog) -> CompactionOf:
    """Return a function that gives a call's compact form, as its capability declares it."""

    find = cache(partial(local_capability, catalog))  # one look-up for each capability

    def compaction(call: ToolCall, output: Any) -> Compaction | None:
        capability = find(call.name)
        if capability is None or call.arguments is None:
            return None
        return capability.compaction(call.arguments, output)

    return compaction


def _compact_turn(
    turn: Sequence[dict[str, Any]], budget: int, compaction_of: CompactionOf
) -> list[dict[str, Any]]:
    """Return a turn's documents in the form in which they are sent.

    They are compacted step by step, as the turn's requests were, so that each request repeats the
    one before.

    Args:
        budget: Bytes of all steps together: two thirds for contents that are sent whole, one third
            for the compact forms of all steps.
    """
    made: list[dict[str, Any]] = []
    compact: dict[int, CompactStep] = {}
    whole: dict[int, int] = {}  # bytes that a compact form would save, by steps sent whole

    def is_replaced(place: int) -> bool:
        """Return whether later steps have read or written all that this step did."""
        later = (compact[each].of for each in whole if each > place)
        own = compact[place].of
        return bool(own) and own <= frozenset[str]().union(*later)

    for newest, document in enumerate(turn):
        made.append(document)
        is_open = document["role"] == "user" or unanswered_places(document)
        if is_open or document.get("isLeftOut"):
            continue
        step = compact[newest] = compact_step(document, compaction_of)
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
        summaries: The approvals' summaries of the calls that people decided, by call.
    """
    lines = list(before)
    for call in calls:
        output = call.result if isinstance(call.result, dict) else {}
        recommended, text = output.get("recommendation"), ""
        if call.id in summaries or call.undo is not None:
            summary = summaries.get(call.id) or str(output.get("done") or call.tool)
            outcome = _OUTCOMES.get(_status(call))
            text = f"{summary} ({outcome})" if outcome else ""
        elif call.status is CallStatus.DONE and isinstance(recommended, str) and recommended:
            text = f"{call.tool} recommended: {recommended}"
        if text and (kept := line(redacted(text), LINE_CHARS)) not in lines:
            lines.append(kept)
    return lines[-MAX_LINES:]


def write_lines(documents: Sequence[dict[str, Any]], *, writes: Callable[[str], bool]) -> list[str]:
    """Return a line for each write in a turn's documents, also for those with an unknown outcome.

    Args:
        writes: Returns whether the tool of this name writes.
    """
    lines = []
    for document in documents:
        for place, call in enumerate(read_calls(document)) if document["role"] == "model" else ():
            stored = document["results"].get(str(place))
            if stored is None or not writes(call.name):
                continue
            record = read_record(call, stored, step=document["step"])
            if outcome := _WRITE_OUTCOMES.get(_status(record)):
                text = f"{call.name} {json.dumps(value(record.arguments), ensure_ascii=False)}"
                lines.append(f"{line(redacted(text), LINE_CHARS)} ({outcome})")
    return list(dict.fromkeys(lines))[-MAX_LINES:]


def _status(record: ToolCallRecord) -> CallStatus:
    """Return a call's status; a write that was cut off is marked as unknown only in its error."""
    is_unknown = record.error is not None and record.error.get("code") == CallStatus.UNKNOWN
    return CallStatus.UNKNOWN if is_unknown else record.status
