"""Message log of a thread, the window view of its recent part, and the history for the model.

    threads/{t}/messages/{n}   uid, n, runId, turnId, createdAt, role, and
        of a user's message    parts, replaces, stays
        of a step              step, text, toolCalls, results, provider, providerParts, spent
    threads/{t}/views/window   token, nextMessage, turnId, log, decisions, toldDecisions

A step is a model's reply with the results of its calls; the log only grows. Output of models and
tools is stored as JSON text: Firestore refuses lists inside lists, and a provider must get its own
parts back byte for byte. Results are keyed by the place of their call in the step, the first being
"0": providers choose the ids of calls, and not every text can be the key of a map.

**The window view.** Every run writes it as it ends, with the newest documents of the log and the
token of its lease. So the view also says that the lease is over: while its token is the thread's
newest, no run has been opened since. A run that was cut off leaves no view, and its steps are read
from the log. The field `log` holds the documents as one JSON text, which is read and written many
times as fast as maps.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from rollcall.core.capability import Compaction
from rollcall.core.messages import (
    Media,
    Message,
    ModelMessage,
    Part,
    Text,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.options import collection_id
from rollcall.core.records import convert
from rollcall.core.wire import SCHEMA_VERSION, CallStatus, ToolCallRecord
from rollcall.store import migrations, paths

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.store.batches import DocumentSnapshot


DOCUMENT_BYTES = 1_000_000
"""The most UTF-8 bytes of a document's values. Firestore accepts 1 MiB, field names included."""
REPLY_DOCUMENT_BYTES = 660_000
"""The part of it that a reply may take; the rest is for the results of its calls."""
CALL_BYTES = 1_000
"""What a call counts beside its arguments: its name, its id and the fields of its result."""
RECORD_BYTES = 30_000
"""The largest record of one call that is stored beside its content, if there is room."""
COMPACT_CHARS = 1_000
"""Up to this length, a compact step keeps a call's record, and arguments that are not JSON."""

_CUT_OFF = json.dumps(
    {"error": {"code": "aborted", "message": "this call was cut off; it may be made again"}}
)

CompactionOf = Callable[[ToolCall, Any], Compaction | None]
"""Returns the compaction of a call and its output; None if both stay unchanged."""


class TurnUsage(Struct, frozen=True, rename="camel"):
    """Usage of a turn over all its runs, up to a step."""

    tokens: int = 0
    micro_usd: int = 0
    work_ms: int = 0


class CompactStep(Struct, frozen=True):
    """A step without the contents that its calls read and wrote.

    Attributes:
        size: `step_bytes` of the document.
        of: Names of what its calls read and wrote, such as paths of files.
    """

    document: dict[str, Any]
    size: int
    of: frozenset[str]


# ---- Sizes ----


def utf8_bytes(text: str) -> int:
    """Return how many bytes Firestore counts for a text."""
    return len(text) if text.isascii() else len(text.encode())


def truncate_utf8(text: str, most: int) -> str:
    """Return the longest beginning of a text that has at most `most` bytes."""
    if utf8_bytes(text) <= most:
        return text
    return text.encode()[: max(most, 0)].decode(errors="ignore")


def compact_json(value: Any) -> str:
    """Return JSON text without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def arguments_json(call: ToolCall) -> str:
    """Return a call's arguments as the log stores them; invalid JSON is stored unchanged."""
    if call.arguments is None:
        return call.arguments_text
    return json.dumps(call.arguments, ensure_ascii=False)


def reply_bytes(reply: ModelMessage) -> int:
    """Return how many bytes a reply takes in its step's document."""
    texts = [reply.text, *map(arguments_json, reply.tool_calls)]
    return sum(map(utf8_bytes, (*texts, reply.parts_json))) + CALL_BYTES * len(reply.tool_calls)


def bytes_per_result(reply: ModelMessage) -> int:
    """Return how many bytes the result of each call may take, together with its record."""
    room = DOCUMENT_BYTES - reply_bytes(reply)
    return max(room // max(len(reply.tool_calls), 1), CALL_BYTES)


def step_bytes(document: dict[str, Any]) -> int:
    """Return the bytes of a step in a request: its results, and its text and calls or, if larger,
    its provider parts."""
    calls = sum(
        len((each["arguments"] or each["argumentsText"]).encode()) for each in document["toolCalls"]
    )
    reply = len(document["text"].encode()) + calls
    parts = len(document["providerParts"].encode())
    results = document["results"].values()
    return max(reply, parts) + sum(len(each["content"].encode()) for each in results)


# ---- Writing documents ----


def new_stamp(*, uid: str, number: int, run_id: str, turn_id: str) -> dict[str, Any]:
    """Return the fields that every new document of the log has."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": uid,
        "n": number,
        "runId": run_id,
        "turnId": turn_id,
        "createdAt": datetime.now(UTC),
    }


def user_document(
    stamp: dict[str, Any],
    message: UserMessage,
    *,
    replaces: str | None = None,
    stays: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a user's message as a document of the log.

    Args:
        stamp: See `new_stamp`.
        replaces: The id of the turn that the message replaces, for a retry or an edit.
        stays: Lines with what that turn did and cannot be undone.
    """
    document = {**stamp, "role": "user", "parts": [_part(part) for part in message.parts]}
    return {**document, "replaces": replaces, "stays": list(stays)} if replaces else document


def step_document(
    stamp: dict[str, Any], *, step: int, reply: ModelMessage, spent: TurnUsage
) -> dict[str, Any]:
    """Return a model's reply as a document; the results of its calls are added later."""
    return {
        **stamp,
        "role": "model",
        "step": step,
        "text": reply.text,
        "toolCalls": [
            {
                "id": call.id,
                "name": call.name,
                "arguments": arguments_json(call) if call.arguments is not None else None,
                "argumentsText": "" if call.arguments is not None else call.arguments_text,
            }
            for call in reply.tool_calls
        ],
        "results": {},
        "provider": reply.provider,
        "providerParts": reply.parts_json,
        "spent": to_builtins(spent),
    }


def result_fields(
    result: ToolResult, *, record: dict[str, Any], run_id: str, room: int = DOCUMENT_BYTES
) -> dict[str, Any]:
    """Return one result as its step's document stores it.

    Args:
        record: The call's record for the user; fields that repeat the content are left out.
        run_id: The run that answered the call, which may be later than the step's run.
        room: The bytes that content and record may take together.
    """
    kept = {key: value for key, value in record.items() if key not in {"result", "error"}}
    text = json.dumps(kept, ensure_ascii=False)
    most = min(RECORD_BYTES, room - utf8_bytes(result.content))
    for large in ("display", "arguments", "undo"):  # the step's call also has the arguments
        if utf8_bytes(text) > most:
            kept.pop(large, None)
            text = json.dumps(kept, ensure_ascii=False)
    return {
        "name": result.name,
        "content": result.content,
        "isError": result.is_error,
        "record": text,
        "runId": run_id,
    }


def without_media(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document as the window view stores it, with inline media replaced by their names.
    References to the file store are small, and stay."""
    if document["role"] != "user":
        return document
    parts = [
        part
        if "data" not in part
        else {"type": "text", "text": f"[{part['type']}: {part['name'] or part['mediaType']}]"}
        for part in document["parts"]
    ]
    if parts == document["parts"]:
        return document
    return {**document, "parts": parts, "mediaLeftOut": True}


def compact_step(document: dict[str, Any], compaction_of: CompactionOf) -> CompactStep:
    """Return a step in which each call and its result are replaced by their compaction.

    The log keeps the full step. Compact steps are used in the history for the model, and in the
    window view. If arguments have changed, the provider parts are dropped, since they hold the old
    arguments; the provider then gets the step like one of another provider.
    """
    if document.get("isShort"):
        return CompactStep(document, step_bytes(document), frozenset())
    calls, results, of = list(document["toolCalls"]), dict(document["results"]), set[str]()
    has_changed = False
    for place, call in enumerate(read_calls(document)):
        stored = results.get(str(place))
        content = read_content(stored) if stored else {}
        short = compaction_of(call, content.get("output"))
        if call.arguments is None and len(call.arguments_text) > COMPACT_CHARS:
            has_changed = True
            text = call.arguments_text
            start = f"{text[: COMPACT_CHARS // 2]}… ({len(text):,} characters)"
            calls[place] = {**calls[place], "argumentsText": start}
        if short is None:
            continue
        of |= {short.of} if short.of else set()
        if short.arguments != call.arguments:
            has_changed = True
            calls[place] = {**calls[place], "arguments": compact_json(short.arguments)}
        if stored:
            # A failed call keeps its content.
            stored, record = dict(stored), stored.get("record") or ""
            if len(record) > COMPACT_CHARS:
                kept = {**json.loads(record), "arguments": short.arguments}
                kept = {key: kept[key] for key in kept if key not in ("display", "undo")}
                stored["record"] = compact_json(kept)
            if not stored["isError"] and "output" in content and short.output != content["output"]:
                stored["content"] = compact_json({**content, "output": short.output})
            results[str(place)] = stored
    compact = {**document, "toolCalls": calls, "results": results, "isShort": True}
    if has_changed:
        compact["providerParts"] = "[]"
    return CompactStep(compact, step_bytes(compact), frozenset(of))


# ---- Reading documents ----


def without_replaced(
    documents: Sequence[dict[str, Any]], *, without: str | None = None
) -> list[dict[str, Any]]:
    """Return the documents without those of replaced turns.

    Args:
        without: The id of a turn that is about to be replaced.
    """
    replaced = {without, *(each.get("replaces") for each in documents)} - {None}
    return [each for each in documents if each.get("turnId") not in replaced]


def lasting_effects(documents: Sequence[dict[str, Any]]) -> list[str]:
    """Return the stored lines with lasting effects of replaced turns."""
    return list(dict.fromkeys(line for each in documents for line in each.get("stays", ())))


def read_usage(document: dict[str, Any]) -> TurnUsage:
    """Return the turn's usage up to this step; zero if the document does not have it."""
    return convert(document.get("spent") or {}, TurnUsage)


def read_calls(document: dict[str, Any]) -> list[ToolCall]:
    """Return the calls of a step, in their order."""
    return [
        ToolCall(call["id"], call["name"], None, call["argumentsText"])
        if call["arguments"] is None
        else ToolCall(call["id"], call["name"], json.loads(call["arguments"]), call["arguments"])
        for call in document["toolCalls"]
    ]


def unanswered_places(document: dict[str, Any]) -> list[int]:
    """Return the places of the calls without a result."""
    if document["role"] == "user":
        return []
    places = range(len(document["toolCalls"]))
    return [place for place in places if str(place) not in document["results"]]


def read_results(document: dict[str, Any]) -> list[ToolResult]:
    """Return the results of all calls of a step; a call without one was cut off."""
    results = []
    for place, call in enumerate(read_calls(document)):
        stored = document["results"].get(str(place))
        if stored is None:
            results.append(ToolResult(call.id, call.name, _CUT_OFF, is_error=True))
        else:
            results.append(
                ToolResult(call.id, stored["name"], stored["content"], stored["isError"])
            )
    return results


def read_content(stored: dict[str, Any]) -> dict[str, Any]:
    """Return a stored result's content as a JSON object; empty if it is not one."""
    try:
        content = json.loads(stored["content"])
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def read_record(call: ToolCall, stored: dict[str, Any], *, step: int) -> ToolCallRecord:
    """Return the record of an answered call, as `result_fields` stored it. Missing fields, as in
    results written for calls that were cut off, are derived from the call and its content."""
    record: dict[str, Any] = {
        "arguments": call.arguments or {},
        "status": CallStatus.FAILED if stored["isError"] else CallStatus.DONE,
        "step": step,
        "ms": 0,
        **(json.loads(stored["record"]) if stored.get("record") else {}),
    }
    try:
        content = json.loads(stored["content"])
    except ValueError:
        content = {"output": stored["content"]}
    content = content if isinstance(content, dict) else {"output": content}
    if not stored["isError"]:
        record["result"] = content.get("output")
    elif isinstance(content.get("error"), dict):
        record["error"] = content["error"]
    return ToolCallRecord.model_validate({"id": call.id, "tool": call.name, **record})


def read_history(
    documents: Sequence[dict[str, Any]], *, leaves_last_open: bool = False
) -> list[Message]:
    """Return the documents as a valid history, in which calls that were cut off have an error as
    their result.

    Args:
        leaves_last_open: The run continues with the last document's calls: if one of them has no
            result, the history ends with the reply.
    """
    history: list[Message] = []
    for number, document in enumerate(documents, start=1):
        if document["role"] == "user":
            history.append(UserMessage(tuple(_read_part(part) for part in document["parts"])))
            continue
        reply = read_reply(document)
        history.append(reply)
        is_open = leaves_last_open and number == len(documents) and unanswered_places(document)
        if reply.tool_calls and not is_open:
            history.append(ToolMessage(tuple(read_results(document))))
    return history


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    fields = {"type": part.type, "mediaType": part.media_type, "name": part.name}
    if part.file_id is None:
        return {**fields, "data": part.data}
    return {**fields, "fileId": part.file_id, "bytes": part.bytes}


def _read_part(part: dict[str, Any]) -> Part:
    if part["type"] == "text":
        return Text(part["text"])
    return Media(
        part["type"],
        part["mediaType"],
        part.get("data", ""),
        part["name"],
        file_id=part.get("fileId"),
        bytes=part.get("bytes", 0),
    )


def read_reply(document: dict[str, Any]) -> ModelMessage:
    """Return the model's reply in a step's document."""
    return ModelMessage(
        text=document["text"],
        tool_calls=tuple(read_calls(document)),
        provider=document["provider"],
        provider_parts=tuple(json.loads(document["providerParts"])),
    )


WINDOW_DOCUMENTS = 40
"""How many documents the view holds in addition to those of the newest turn."""
WINDOW_BYTES = 600_000
LOG_PAGES = 10
"""How far back the log is read, in pages of `WINDOW_DOCUMENTS`, if replaced turns take up room or
the newest turn is long."""

log = logging.getLogger("rollcall")


class RecentLog(Struct, frozen=True):
    """The newest documents of a thread's log, without those of replaced turns.

    Attributes:
        next_message: The number of the next document.
        time: The update time of the newest document in Firestore; None if read from the view.
    """

    documents: list[dict[str, Any]]
    next_message: int
    time: Any = None


def run_has_ended(thread: dict[str, Any], view: DocumentSnapshot) -> bool:
    """Whether the run that took the thread's lease last has ended and written this view."""
    return bool((view.to_dict() or {}).get("token", 0) == thread.get("leaseToken"))


def read_recent(
    db: Client, thread_id: str, thread: dict[str, Any], view: DocumentSnapshot
) -> RecentLog:
    """Return a thread's recent log: from its view if that is up to date, otherwise from the log."""
    if not thread:
        return RecentLog([], 0)
    window = view.to_dict() or {}
    stored = json.loads(window.get("log", "[]"))
    if run_has_ended(thread, view) and (stored or not window["nextMessage"]):
        documents = [migrations.read("message", each) for each in stored]
        # The view may lack the newest document, if it was too large, but its number is right.
        return RecentLog(documents, max(window["nextMessage"], thread.get("nextMessage", 0)))
    log.info("thread %s: the window view is rebuilt from the log", thread_id)
    return read_log(db, thread_id, at_least=thread.get("nextMessage", 0))


def read_log(
    db: Client, thread_id: str, *, at_least: int = 0, without: str | None = None
) -> RecentLog:
    """Return a thread's recent log, read from its messages.

    Args:
        at_least: The lowest number of the next document, for a log that was cleared.
        without: The id of a turn to leave out in addition to replaced ones.
    """
    messages = paths.thread(db, thread_id).collection(collection_id("messages"))
    newest_first = messages.order_by("n", direction="DESCENDING").limit(WINDOW_DOCUMENTS)
    snapshots: list[Any] = []
    documents: list[dict[str, Any]] = []
    for _ in range(LOG_PAGES):
        query = newest_first.start_after(snapshots[-1]) if snapshots else newest_first
        page = list(query.stream())
        snapshots += page
        read = [migrations.read("message", each.to_dict() or {}) for each in reversed(snapshots)]
        current = without_replaced(read, without=without)
        # The newest turn is complete, whatever its length.
        documents = current[-max(WINDOW_DOCUMENTS, len(_newest_turn(current))) :]
        is_enough = len(documents) >= WINDOW_DOCUMENTS and has_whole_turn(documents)
        if len(page) < WINDOW_DOCUMENTS or is_enough:
            break
    if not snapshots:
        return RecentLog([], at_least)
    after = int((snapshots[0].to_dict() or {})["n"]) + 1
    return RecentLog(documents, max(after, at_least), snapshots[0].update_time)


def has_whole_turn(documents: Sequence[dict[str, Any]]) -> bool:
    """Whether a thread's newest documents include the newest turn from its beginning."""
    turn = _newest_turn(documents)
    return bool(turn) and turn[0]["role"] == "user"


def _newest_turn(documents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    newest_id = documents[-1].get("turnId") if documents else None
    return [each for each in documents if each.get("turnId") == newest_id]


def window_document(
    documents: Sequence[dict[str, Any]],
    *,
    uid: str,
    token: int,
    next_message: int,
    decisions: Sequence[str] = (),
    decisions_at_start: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the window view that a run writes as it ends: the newest documents that fit, and the
    thread's decisions.

    Args:
        decisions_at_start: The decisions that had been made when the turn began.
    """
    kept: list[str] = []
    size = 0
    most = WINDOW_DOCUMENTS + len(_newest_turn(documents))
    for document in map(without_media, reversed(documents[-most:])):
        kept.append(json.dumps(document, ensure_ascii=False, default=str))  # nobody parses dates
        size += len(kept[-1].encode())
        if size > WINDOW_BYTES:
            kept.pop()
            break
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": uid,
        "token": token,
        "nextMessage": next_message,
        "turnId": documents[-1].get("turnId"),
        "log": f"[{','.join(reversed(kept))}]",
        "decisions": list(decisions),
        "toldDecisions": list(decisions_at_start),
    }
