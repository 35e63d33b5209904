"""`run_agent`: answers a message, or continues a turn that waits."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any

from msgspec import Struct, field

from rollcall.agent.budget import UserBudget
from rollcall.agent.continuation import follow, pause, replayed_events
from rollcall.agent.history import write_lines
from rollcall.agent.platform import preload
from rollcall.agent.run import RunEvents, drive, function_end
from rollcall.agent.run_setup import RunContext, admission, new_context, run_budget
from rollcall.core import events
from rollcall.core.capability import digest
from rollcall.core.context import Call, Platform
from rollcall.core.errors import InvalidArgument, error_from
from rollcall.core.events import Event
from rollcall.core.inputs import validate
from rollcall.core.messages import Media, Text, UserMessage, redacted_message
from rollcall.core.redaction import redacted_json
from rollcall.core.triggers import OnCall, bound
from rollcall.core.wire import MESSAGE_CHARS, MESSAGE_PARTS, MediaPart, RunRequest, TextPart
from rollcall.store import paths
from rollcall.store.open_run import OpenRun
from rollcall.store.run_opening import Opening, Replacement, message_to_retry, open_run
from rollcall.store.runs import (
    Abandoned,
    Finished,
    Running,
    new_run_id,
    previous_run_id,
    run_key,
    thread_id_for,
)

CONTEXT_CHARS = 4_000
MEDIA_CHARS = 850_000
RUN_AGENT_S = 540


class AcceptedRequest(Struct, frozen=True):
    """A request as an endpoint took it in.

    Attributes:
        digest: The same whenever the same is sent again under its `runId`.
        is_new: Whether `thread_id` may be that of a thread which is not there yet.
        message_keys: By which the client's messages are known if they are sent again.
        answers: What its tools answered before the message, by call.
    """

    request: RunRequest
    digest: str
    is_new: bool
    message_keys: tuple[str, ...] = ()
    answers: Mapping[str, dict[str, Any]] = field(default_factory=dict)


@bound(OnCall(timeout_s=RUN_AGENT_S, at_start=preload))
def run_agent(platform: Platform, call: Call) -> RunEvents:
    """Answer a message in a thread, or continue a turn that waits, as a stream of AG-UI events; the
    last value is the `RunResult`."""
    request = validate(RunRequest, call.data)
    sent = AcceptedRequest(
        request, digest=_request_digest(request), is_new=request.thread_id is None
    )
    return (yield from answer_request(platform, call, sent))


def answer_request(platform: Platform, call: Call, sent: AcceptedRequest) -> RunEvents:
    """Answer a request of any endpoint: yield the run's events, and return the `RunResult`."""
    request = sent.request
    _check_context(request)
    until = function_end(RUN_AGENT_S)
    if request.resume is not None or request.tool_results is not None:
        return (yield from _answer(platform, call, sent, until=until))
    _check_begins(request)
    message = _requested_message(platform, call, request)
    asked = new_context(
        platform,
        user=call.user,
        agent_id=request.agent,
        message=message,
        locale=request.locale,
        client_context=redacted_json(request.context),
        client_id=request.client_id,
        client_tools=request.client_tools or (),
        token=call.token,
    )
    opening, budget = _opening(sent, asked, message)
    with closing(budget):
        opened = open_run(platform.db, opening)
        if isinstance(opened, OpenRun):
            asked, streamed = asked.with_tools(opened.request), call.streams
            return (yield from drive(asked, opened, until=until, streamed=streamed, budget=budget))
    return (yield from join_run(platform, call, opened, until=until))


def _answer(platform: Platform, call: Call, sent: AcceptedRequest, *, until: float) -> RunEvents:
    """Decisions, or results of the client's tools, for a run that waits."""
    # Most instances are not asked for it at once.
    from rollcall.agent.continuation import continued_context
    from rollcall.agent.resume import resume_run

    opened = resume_run(platform, call.user, sent.request, request_digest=sent.digest)
    if isinstance(opened, dict):
        return opened
    if isinstance(opened, OpenRun):
        asked = continued_context(platform, opened, user=call.user, token=call.token)
        return (yield from drive(asked, opened, until=until, streamed=call.streams))
    return (yield from join_run(platform, call, opened, until=until))


def join_run(
    platform: Platform, call: Call, found: Finished | Running | Abandoned, *, until: float
) -> RunEvents:
    """Yield the events of a run that was requested before, each once; a recovered run repeats its
    events."""
    newest = -1
    with closing(_join(platform, call, found, until=until)) as stream:
        while True:
            try:
                event = next(stream)
            except StopIteration as end:
                result: dict[str, Any] = end.value
                return result
            number = event["metadata"]["n"] if event and "metadata" in event else None
            if number is not None and number <= newest:
                continue
            newest = newest if number is None else number
            yield event


def _join(
    platform: Platform, call: Call, found: Finished | Running | Abandoned, *, until: float
) -> RunEvents:
    """Give a run that was asked for before: its end, its course, or go on with it."""
    from rollcall.agent.continuation import continued_context, take_up

    while True:
        if isinstance(found, Finished):
            return (yield from _replay(platform, call, found))
        if isinstance(found, Abandoned):
            opened = take_up(platform.db, found.thread_id, found.run_id)
            if opened is not None:
                asked = continued_context(platform, opened, user=call.user, token=call.token)
                streamed = call.streams
                return (yield from drive(asked, opened, until=until, streamed=streamed))
            yield from pause(until)  # somebody else was faster, and may not have begun yet
        ended = yield from follow(platform.db, found.thread_id, found.run_id, until=until)
        if isinstance(ended, Finished):
            return _result(ended)
        found = ended


def _replay(
    platform: Platform, call: Call, found: Finished
) -> Generator[Event, None, dict[str, Any]]:
    """A run that was done before is told again; by its start and its end alone where that is all
    that is wanted, or its events are stored no more."""
    result = _result(found)
    told = replayed_events(platform.db, result) if call.streams else []
    if not told:
        ids = {"thread_id": result["threadId"], "run_id": result["runId"]}
        told = [events.run_started(**ids), events.run_finished(**ids, result=result)]
    yield from told
    return result


def _result(found: Finished) -> dict[str, Any]:
    if found.result is None:
        raise error_from(found.error or {})
    return found.result


def _requested_message(platform: Platform, call: Call, request: RunRequest) -> UserMessage:
    """What is asked: the request's message, or that of the turn which it wants asked again."""
    if request.retry is None or request.thread_id is None:
        return redacted_message(_message(request))
    return message_to_retry(platform.db, call.user.uid, request.thread_id, request.retry)


def _message(request: RunRequest) -> UserMessage:
    if request.message is None:
        raise InvalidArgument("the message is missing", field="message")
    if isinstance(request.message, str):
        message = UserMessage.of(request.message)
    elif len(request.message) > MESSAGE_PARTS:
        raise InvalidArgument(
            f"the message has {len(request.message)} parts; at most {MESSAGE_PARTS} are accepted",
            field="message",
        )
    else:
        message = UserMessage(
            tuple(
                Text(part.text) if isinstance(part, TextPart) else _media(part)
                for part in request.message
            )
        )
    if len(message.text) > MESSAGE_CHARS:
        raise InvalidArgument(
            f"the message has {len(message.text):,} characters; "
            f"at most {MESSAGE_CHARS:,} are accepted",
            field="message",
        )
    media = sum(len(part.data) for part in message.parts if isinstance(part, Media))
    if media > MEDIA_CHARS:
        raise InvalidArgument(
            f"the attachments have {media:,} characters of base64; "
            f"at most {MEDIA_CHARS:,} are accepted",
            field="message",
        )
    has_files = any(isinstance(part, Media) and part.file_id for part in message.parts)
    if not media and not has_files and not message.text.strip():
        raise InvalidArgument("the message is empty", field="message")
    return message


def _media(part: MediaPart) -> Media:
    # What a file is, its record says, once it is read.
    return Media(part.type, part.media_type or "", part.data or "", part.name, part.file_id)


def _check_context(request: RunRequest) -> None:
    size = len(json.dumps(request.context or {}, ensure_ascii=False))
    if size > CONTEXT_CHARS:
        raise InvalidArgument(
            f"context has {size:,} characters of JSON; at most {CONTEXT_CHARS:,} are accepted",
            field="context",
        )


def _check_begins(request: RunRequest) -> None:
    """A message begins a turn, and the ids of runs that go on with one are made here."""
    if request.run_id is not None and previous_run_id(request.run_id) is not None:
        raise InvalidArgument(
            f"{request.run_id!r} is the id of a run that goes on with a turn, and a message "
            "begins one",
            field="runId",
            hint="leave runId out, or choose one without ~",
        )


def _request_digest(request: RunRequest) -> str:
    # Without what is not given: a repeat is told from other data in later versions, too.
    asked = request.model_dump(mode="json", exclude={"run_id", "when_busy"}, exclude_none=True)
    return digest(asked)


def _opening(
    sent: AcceptedRequest, asked: RunContext, message: UserMessage
) -> tuple[Opening, UserBudget]:
    """What a run starts from, and what it spends from."""
    request, uid = sent.request, asked.user.uid
    run_id = request.run_id or new_run_id()
    thread_id = request.thread_id or thread_id_for(uid, run_id)
    budget = run_budget(asked, thread_id, run_id)
    opening = Opening(
        user=asked.user,
        agent=asked.profile.id,
        thread_id=thread_id,
        is_new=sent.is_new,
        run_id=run_id,
        turn_id=run_id,
        request_digest=sent.digest,
        message=message,
        context=asked.client_context,
        request=asked.choose_tools,
        admission=admission(
            asked.platform.db,
            asked.user,
            asked.now,
            paths.run(asked.platform.db, thread_id, run_id).path,
            run_key=run_key(uid, request.run_id) if request.run_id else None,
            budget=budget,
        ),
        supersede=request.when_busy == "supersede",
        is_named=request.run_id is not None,
        message_keys=sent.message_keys,
        answers=sent.answers,
        replacement=_replacing(request, asked),
    )
    return opening, budget


def _replacing(request: RunRequest, asked: RunContext) -> Replacement | None:
    """The turn that the message takes the place of."""
    turn_id = request.retry or request.replaces
    if turn_id is None:
        return None
    entries = asked.registry.content.entries
    return Replacement(
        turn_id,
        "retry" if request.retry else "replaces",
        lambda turn: write_lines(
            turn, writes=lambda tool: tool in entries and entries[tool].spec.writes
        ),
    )
