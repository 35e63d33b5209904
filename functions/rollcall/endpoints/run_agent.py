"""`run_agent`: answers a message, or continues a turn that waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from msgspec import Struct, field

from rollcall.agent.budget import UserBudget
from rollcall.agent.continuation import (
    continued_context,
    follow,
    pause,
    replayed_events,
)
from rollcall.agent.history import write_lines
from rollcall.agent.platform import preload
from rollcall.agent.resume import resume_run
from rollcall.agent.run import RunEvents, drive, function_end
from rollcall.agent.run_setup import RunContext, new_context, run_budget
from rollcall.core import events
from rollcall.core.context import Call, Platform
from rollcall.core.errors import InvalidArgument, error_from
from rollcall.core.inputs import digest, read_context, validate
from rollcall.core.messages import Media, Text, UserMessage, redacted_message
from rollcall.core.texts import TEXTS
from rollcall.core.triggers import OnCall, bound
from rollcall.core.wire import MESSAGE_CHARS, MESSAGE_PARTS, RunRequest, TextPart
from rollcall.store.admission import Admission
from rollcall.store.attachments import check_inline
from rollcall.store.budgets import limits
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import recover_run
from rollcall.store.run_opening import Opening, Replacement, message_to_retry, open_run
from rollcall.store.runs import (
    FinishedRun,
    RunState,
    new_run_id,
    previous_run_id,
    thread_id_for,
)

MEDIA_CHARS = 850_000
RUN_AGENT_S = 540


class AcceptedRequest(Struct, frozen=True):
    """A request that an endpoint has read and validated.

    Attributes:
        digest: A digest of the request, by which a repeat under the same `runId` is recognized.
        is_new: Whether the thread `thread_id` may have to be created.
        message_keys: Keys by which the client's messages are recognized if they are sent again.
        answers: Results of the client's tools from before the message, by call id.
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
    # Without empty fields, so that fields of later versions do not change the digest.
    data = request.model_dump(mode="json", exclude={"run_id", "when_busy"}, exclude_none=True)
    accepted = AcceptedRequest(request, digest=digest(data), is_new=request.thread_id is None)
    return (yield from answer_request(platform, call, accepted))


def answer_request(platform: Platform, call: Call, accepted: AcceptedRequest) -> RunEvents:
    """Answer a request of any endpoint: yield the run's events, and return the `RunResult`.

    Raises:
        InvalidArgument: The context is too large, or the message is missing, empty or too large.
    """
    request, until = accepted.request, function_end(RUN_AGENT_S)
    client_context = read_context(request.context)
    if request.resume is not None or request.tool_results is not None:
        resumed = resume_run(platform, call.user, request, request_digest=accepted.digest)
        if isinstance(resumed, dict):
            return resumed
        if isinstance(resumed, OpenRun):
            context = continued_context(platform, resumed, user=call.user, token=call.token)
            return (yield from drive(context, resumed, until=until, streamed=call.streams))
        return (yield from join_run(platform, call, resumed, until=until))
    message = _read_message(platform, call, request)
    context = new_context(
        platform,
        user=call.user,
        agent_id=request.agent,
        message=message.text,
        locale=request.locale,
        client_context=client_context,
        client_id=request.client_id,
        client_tools=request.client_tools or (),
        token=call.token,
    )
    opening, budget = _opening(accepted, context, message)
    with closing(budget):
        opened = open_run(platform.db, opening)
        if isinstance(opened, OpenRun):
            context, streamed = context.with_tools(opened.request), call.streams
            return (
                yield from drive(context, opened, until=until, streamed=streamed, budget=budget)
            )
    return (yield from join_run(platform, call, opened, until=until))


def join_run(platform: Platform, call: Call, state: RunState, *, until: float) -> RunEvents:
    """Yield the events of a run that was requested before, each once, although a recovered run
    repeats its events."""
    newest = -1
    with closing(_join(platform, call, state, until=until)) as stream:
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


def _join(platform: Platform, call: Call, state: RunState, *, until: float) -> RunEvents:
    """Yield the events of a run that was requested before: replay it if it has ended, follow it
    while it goes on, and recover it if its process is gone."""
    if isinstance(state, FinishedRun):
        result = _result(state)
        replayed = replayed_events(platform.db, result) if call.streams else []
        if not replayed:  # some events have expired, or the client does not stream
            ids = {"thread_id": result["threadId"], "run_id": result["runId"]}
            replayed = [events.run_started(**ids), events.run_finished(**ids, result=result)]
        yield from replayed
        return result
    while True:
        if state.is_abandoned:
            opened = recover_run(platform.db, state.thread_id, state.run_id)
            if opened is not None:
                context = continued_context(platform, opened, user=call.user, token=call.token)
                return (yield from drive(context, opened, until=until, streamed=call.streams))
            yield from pause(until)  # another process recovers it, and may not have begun yet
        latest = yield from follow(platform.db, state.thread_id, state.run_id, until=until)
        if isinstance(latest, FinishedRun):
            return _result(latest)
        state = latest


def _result(run: FinishedRun) -> dict[str, Any]:
    """Return a finished run's result, or raise its error."""
    if run.result is None:
        raise error_from(run.error or {})
    return run.result


def _read_message(platform: Platform, call: Call, request: RunRequest) -> UserMessage:
    """Return the request's message without credentials, or that of the turn to retry.

    Raises:
        InvalidArgument: The message is missing, empty or too large, or the run id is reserved for
            continuations.
    """
    if request.run_id and previous_run_id(request.run_id) is not None:
        raise InvalidArgument(
            f"{request.run_id!r} is the id of a continuation, and a message begins a new turn",
            field="runId",
            hint="leave runId out, or choose one without ~",
        )
    if request.retry is not None and request.thread_id is not None:
        return message_to_retry(platform.db, call.user.uid, request.thread_id, request.retry)
    if request.message is None:
        raise InvalidArgument(TEXTS.text("errors.no_message_given"), field="message")
    parts: list[Text | Media] = []
    if isinstance(request.message, str):
        parts.append(Text(request.message))
    elif len(request.message) > MESSAGE_PARTS:
        raise InvalidArgument(
            TEXTS.text("errors.too_many_parts", number=len(request.message), most=MESSAGE_PARTS),
            field="message",
        )
    else:
        for part in request.message:
            if isinstance(part, TextPart):
                parts.append(Text(part.text))
            else:  # a file's media type is read later, from its record
                media_type, data = part.media_type or "", part.data or ""
                parts.append(Media(part.type, media_type, data, part.name, part.file_id))
    message = UserMessage(tuple(parts))
    if len(message.text) > MESSAGE_CHARS:
        raise InvalidArgument(
            TEXTS.text("errors.message_too_long", chars=len(message.text), most=MESSAGE_CHARS),
            field="message",
        )
    media = [part for part in parts if isinstance(part, Media)]
    size = sum(len(part.data) for part in media)
    if size > MEDIA_CHARS:
        raise InvalidArgument(
            TEXTS.text("errors.attachments_too_large", size=size, most=MEDIA_CHARS),
            field="message",
        )
    for number, each in enumerate(parts):
        if isinstance(each, Media) and each.file_id is None:
            check_inline(each, f"message.{number}")
    if not media and not message.text.strip():
        raise InvalidArgument(TEXTS.text("errors.empty_message"), field="message")
    return redacted_message(message)


def _opening(
    accepted: AcceptedRequest, context: RunContext, message: UserMessage
) -> tuple[Opening, UserBudget]:
    """Return the `Opening` of a run, and its budget."""
    request, uid, db = accepted.request, context.user.uid, context.platform.db
    run_id = request.run_id or new_run_id()
    thread_id = request.thread_id or thread_id_for(uid, run_id)
    budget = run_budget(context, thread_id, run_id)
    replacement = None
    if replaced := request.retry or request.replaces:
        entries = context.registry.content.entries

        def find_writes(turn: Sequence[dict[str, Any]]) -> list[str]:
            return write_lines(turn, writes=lambda id: id in entries and entries[id].spec.writes)

        replacement = Replacement(replaced, "retry" if request.retry else "replaces", find_writes)
    opening = Opening(
        user=context.user,
        agent=context.profile.id,
        thread_id=thread_id,
        is_new=accepted.is_new,
        run_id=run_id,
        request_digest=accepted.digest,
        message=message,
        context=context.client_context,
        request=context.choose_tools,
        admission=Admission(
            db=db,
            uid=uid,
            now=context.now,
            limits=limits(db).of_user(context.user),
            budget=budget,
        ),
        supersede=request.when_busy == "supersede",
        is_named=request.run_id is not None,
        message_keys=accepted.message_keys,
        answers=accepted.answers,
        replacement=replacement,
    )
    return opening, budget
