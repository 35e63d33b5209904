"""`run_agent`: one message's journey, from the callable to its result."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Generator
from typing import Any

from rollcall.agent.ask import asker
from rollcall.agent.loop import run
from rollcall.agent.outcome import to_result
from rollcall.agent.prepare import Asked, prepare, receive
from rollcall.agent.turn import Turn
from rollcall.core import events
from rollcall.core.capability import digest
from rollcall.core.context import Platform
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument
from rollcall.core.events import Event
from rollcall.core.inputs import validate
from rollcall.core.messages import Media, Text, UserMessage
from rollcall.core.triggers import Call, OnCall, bound
from rollcall.core.wire import MESSAGE_CHARS, MESSAGE_PARTS, RunRequest, TextPart
from rollcall.store.runs import Finished, Opening, OpenRun
from rollcall.store.threads import open_run, thread_id_for

CONTEXT_CHARS = 4_000
MEDIA_CHARS = 850_000


@bound(OnCall(timeout_s=540))
def run_agent(platform: Platform, call: Call) -> Generator[Event, None, dict[str, Any]]:
    """Answer a message in a thread, streaming AG-UI events; the last value is the `RunResult`."""
    request = validate(RunRequest, call.data)
    _check_context(request)
    asked = receive(
        platform,
        user=call.user,
        agent_id=request.agent,
        message=_message(request),
        locale=request.locale,
        context=request.context,
    )
    opened = open_run(platform.db, _opening(request, asked))
    if isinstance(opened, Finished):
        return (yield from _replay(opened.result))
    deadline = time.monotonic() + asked.profile.deadline_s
    try:
        turn = prepare(
            asked,
            history=opened.history,
            run_id=opened.opening.run_id,
            journal=opened,
            agents=asker(platform, call.user, deadline=deadline, depth=1),
            deadline=deadline,
        )
        return (yield from _drive(turn, opened))
    except AgentError as error:
        opened.give_up(error.message)
        yield events.run_error(message=error.message, code=error.code)
        raise
    except GeneratorExit:
        opened.give_up("the client left")
        raise
    except Exception as error:
        opened.give_up(type(error).__name__)
        yield events.run_error(message="something went wrong on our side", code="internal")
        raise


def _drive(turn: Turn, opened: OpenRun) -> Generator[Event, None, dict[str, Any]]:
    opening = opened.opening
    yield events.run_started(thread_id=opening.thread_id, run_id=opening.run_id)
    ended = yield from run(turn)
    result = to_result(
        ended,
        agent=opening.agent,
        thread_id=opening.thread_id,
        turn_id=opening.turn_id,
        run_id=opening.run_id,
    ).dump()
    opened.finish(step=ended.steps, answer=ended.answer, result=result)
    yield events.run_finished(thread_id=opening.thread_id, run_id=opening.run_id, result=result)
    return result


def _replay(result: dict[str, Any]) -> Generator[Event, None, dict[str, Any]]:
    """A run that was done before is told again by its start and its end."""
    ids = {"thread_id": result["threadId"], "run_id": result["runId"]}
    yield events.run_started(**ids)
    yield events.run_finished(**ids, result=result)
    return result


def _message(request: RunRequest) -> UserMessage:
    if request.message is None:
        field = "resume" if request.resume is not None else "toolResults"
        raise FailedPrecondition("nothing in this thread waits for an answer", field=field)
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
                Text(part.text)
                if isinstance(part, TextPart)
                else Media(part.type, part.media_type, part.data, part.name)
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
    if not media and not message.text.strip():
        raise InvalidArgument("the message is empty", field="message")
    return message


def _check_context(request: RunRequest) -> None:
    size = len(json.dumps(request.context or {}))
    if size > CONTEXT_CHARS:
        raise InvalidArgument(
            f"context has {size:,} characters of JSON; at most {CONTEXT_CHARS:,} are accepted",
            field="context",
        )


def _opening(request: RunRequest, asked: Asked) -> Opening:
    uid = asked.user.uid
    run_id = request.run_id or uuid.uuid4().hex[:20]
    return Opening(
        uid=uid,
        agent=asked.profile.id,
        thread_id=request.thread_id or thread_id_for(uid, run_id),
        is_new=request.thread_id is None,
        run_id=run_id,
        turn_id=run_id,
        request_digest=digest(request.model_dump(mode="json", exclude={"run_id", "when_busy"})),
        message=asked.message,
        context=request.context,
        lease_s=asked.profile.deadline_s,
        supersede=request.when_busy == "supersede",
    )
