"""A run as its operator sees it: noted in its context, told in the log, timed as a span."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, TypeVar, cast

from msgspec import Struct

from rollcall.agent import spans
from rollcall.core.context import Platform
from rollcall.core.errors import Aborted, AgentError
from rollcall.core.log_context import isolated_context, set_fields, set_user
from rollcall.core.logs import fields
from rollcall.store.open_run import OpenRun

Y = TypeVar("Y")
Result = dict[str, Any]
Drive = TypeVar("Drive", bound=Callable[..., Generator[Any, None, dict[str, Any]]])

log = logging.getLogger("rollcall")


def observed(drive: Drive) -> Drive:
    """Have what drives an open run, its third argument, say which run it is, from its first event
    to its end."""

    @wraps(drive)
    def driven(
        platform: Platform, asked: Any, opened: OpenRun, **options: Any
    ) -> Generator[Any, None, Result]:
        events = drive(platform, asked, opened, **options)
        return (yield from isolated_context(_watched(opened, events)))

    return cast(Drive, driven)


def _watched(opened: OpenRun, events: Generator[Y, None, Result]) -> Generator[Y, None, Result]:
    set_user(opened.user.uid)
    set_fields(thread=opened.thread_id, turn=opened.turn_id, run=opened.run_id, agent=opened.agent)
    _tell_opened(opened)
    end = _End(opened, time.monotonic())
    with spans.of_run(opened) as span:
        try:
            result = yield from events
        except Aborted:
            end.tell("left")  # to the task queue, or to the run that took the thread over
            raise
        except AgentError as error:
            # One that is not closed goes on elsewhere.
            end.tell("failed" if opened.is_closed else "left", code=error.code)
            raise
        except GeneratorExit:
            end.tell("left")
            raise
        except Exception as error:
            end.tell("failed", code=type(error).__name__)
            raise
        spans.told_result(span, result)
        end.tell_result(result)
        return result


def _tell_opened(opened: OpenRun) -> None:
    taken_up = opened.attempt > 1
    log.info(
        "run taken up" if taken_up else "run opened",
        extra=fields(
            "run_taken_up" if taken_up else "run_opened",
            attempt=opened.attempt,
            offered=len(opened.request["offered"]),
        ),
    )
    if taken_up:
        return
    for approval in opened.approvals:  # what an earlier run of the turn asked for
        log.info(
            "approval %s: %s",
            approval.id,
            approval.status.value,
            extra=fields("approval_decided", tool=approval.tool, status=approval.status.value),
        )


class _End(Struct, frozen=True):
    """Tells how a run ended; `began` is a `time.monotonic()` value."""

    opened: OpenRun
    began: float

    def tell(self, outcome: str, **figures: Any) -> None:
        ms = round((time.monotonic() - self.began) * 1000)
        told = fields("run_ended", outcome=outcome, ms=ms, attempt=self.opened.attempt, **figures)
        log.info("run ended: %s", outcome, extra=told)

    def tell_result(self, result: Result) -> None:
        calls, usage = result["toolCalls"], result["usage"]
        for interrupt in result["outcome"].get("interrupts") or ():
            told = fields("approval_asked", tool=interrupt["metadata"]["tool"])
            log.info("approval %s: asked", interrupt["id"], extra=told)
        self.tell(
            result["outcome"]["type"],
            stopReason=result.get("stopReason"),
            steps=result["steps"],
            offered=len(self.opened.request["offered"]),
            called=len(calls),
            failed=sum(call["status"] == "failed" for call in calls),
            inputTokens=sum(each["inputTokens"] for each in usage),
            outputTokens=sum(each["outputTokens"] for each in usage),
            microUsd=round(sum(each.get("costUsd") or 0 for each in usage) * 1_000_000),
        )
