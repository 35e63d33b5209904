"""Sends each message of the planner's cases to `run_agent`, over the sample data of all packs.

A message is a thread of its own, or the last of one; what waits for an approval is left waiting.
PLANNER=questions.jsonl measures these instead of the repository's.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from rollcall.core.context import Call, Platform, User
from rollcall.core.shapes import Role
from rollcall.endpoints.run_agent import run_agent
from rollcall.registry import snapshot
from rollcall.registry.documents import capability_document
from rollcall.registry.sync import sync
from seed.data_sets import load_pack, packs
from seed.screen import Screen
from seed.target import DEMO_USER
from tests.evals.planner.cases import Case, Reply, Verdict, read_cases, verdict
from tests.evals.report import EvalResult, share, table
from tests.support.catalogs import catalog
from tests.support.local_functions import LocalPlatform

RIGHT_SHARE = 0.6
"""At least so many are right; none is wrong."""

_FILE = "PLANNER"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case, what came back, and how that is judged; `error` instead where the run broke."""

    case: Case
    reply: Reply
    verdict: Verdict
    error: str = ""


def measure(model: str) -> EvalResult:
    """Send every message once."""
    files = [Path(os.environ[_FILE])] if os.environ.get(_FILE) else []
    outcomes = send_all(read_cases(*files), model)
    return count_verdicts(f"First messages with {model}", model, outcomes)


def count_verdicts(title: str, model: str, outcomes: Sequence[Outcome]) -> EvalResult:
    """The counts of these outcomes, in all, by language and by kind."""
    done = [each for each in outcomes if not each.error]
    groups = {"all": done}
    groups |= {name: [each for each in done if each.case.language == name] for name in ("en", "he")}
    for kind in dict.fromkeys(each.case.kind for each in done):
        groups[kind] = [each for each in done if each.case.kind == kind]
    figures = {name: counts(some) for name, some in groups.items()}
    rows = [[name, *group.values()] for name, group in figures.items()]
    return EvalResult(
        tables=[table(title, ["", *figures["all"]], rows)],
        figures={"model": model, **figures, "wrong": _ids(done, "wrong")},
        notes=[_in_words(each) for each in done if each.verdict != "right"],
        unmeasured=[f"{each.case.id}: {each.error}" for each in outcomes if each.error],
    )


def counts(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """How many of each verdict, and the share of those that are right."""
    count = Counter(each.verdict for each in outcomes)
    return {
        "messages": len(outcomes),
        "right": count["right"],
        "rightShare": share(count["right"], len(outcomes)),
        "asked": count["asked"],
        "declined": count["declined"],
        "wrong": count["wrong"],
    }


def send_all(cases: Sequence[Case], model: str) -> list[Outcome]:
    """Send every message, in a project with the sample data."""
    platform, known = _sample(), _defaults()
    with mock.patch.dict(os.environ, {"ROLLCALL_MODEL": model}):
        return [_send(platform, case, known) for case in cases]


@cache
def _sample() -> Platform:
    """A new project with the sample data of every pack."""
    make: Any = AnonymousCredentials
    platform = LocalPlatform(
        Client(project=f"demo-eval-{uuid.uuid4().hex[:8]}", credentials=make())
    )
    everybody = {"user": {"runsPerMinute": None, "runsAtOnce": None}}
    platform.db.document("budgets/limits").set(everybody)
    sync(platform.db, catalog.capabilities(), catalog.agents().values())
    snapshot.forget()
    for pack in packs():
        load_pack(pack, platform, ["sample"], Screen())
    return platform


def _defaults() -> dict[str, dict[str, Any]]:
    """The default values of every capability's parameters."""
    documents = {each.id: capability_document(each) for each in catalog.capabilities()}
    return {
        id: {each["name"]: each["default"] for each in document["parameters"] if "default" in each}
        for id, document in documents.items()
    }


def _send(platform: Platform, case: Case, known: Mapping[str, Mapping[str, Any]]) -> Outcome:
    thread_id: str | None = None
    reply = Reply((), "")
    try:
        for message in (*case.before, case.message):
            reply, thread_id = _say(platform, case, message, thread_id)
    except Exception as error:
        return Outcome(case, reply, "wrong", f"{type(error).__name__}: {error}")
    return Outcome(case, reply, verdict(case, reply, known))


def _say(
    platform: Platform, case: Case, message: str, thread_id: str | None
) -> tuple[Reply, str | None]:
    """What one message gets: the calls as the model made them, and the run's result."""
    data = {
        "agent": case.agent,
        "message": message,
        "context": dict(case.context) or None,
        "threadId": thread_id,
        "clientTools": [
            each.id for each in catalog.capabilities() if each.mark.runs_on == "client"
        ],
        "clientId": "eval",
    }
    sent = {key: value for key, value in data.items() if value is not None}
    user = User(DEMO_USER.uid, Role(DEMO_USER.role))
    events = run_agent(platform, Call(user, sent, streams=True))
    names: dict[str, str] = {}
    arguments: dict[str, str] = {}
    while True:
        try:
            event = next(events) or {}
        except StopIteration as end:
            result = end.value
            break
        if event.get("type") == "TOOL_CALL_START":
            names[event["toolCallId"]] = event["toolCallName"]
        elif event.get("type") == "TOOL_CALL_ARGS":
            id = event["toolCallId"]
            arguments[id] = arguments.get(id, "") + event["delta"]
    calls = tuple((name, json.loads(arguments.get(id) or "{}")) for id, name in names.items())
    refused = {each["id"] for each in result["toolCalls"] if each.get("error")}
    waits = result["outcome"]["type"] == "interrupt"
    reply = Reply(
        calls=calls,
        text=result["message"],
        failed=frozenset(place for place, id in enumerate(names) if id in refused),
        asks=result["type"] == "question" and not waits,
        cites=bool(result["citations"]),
    )
    return reply, result["threadId"]


def _ids(outcomes: Sequence[Outcome], wanted: Verdict) -> list[str]:
    return [each.case.id for each in outcomes if each.verdict == wanted]


def _in_words(outcome: Outcome) -> str:
    case, reply = outcome.case, outcome.reply
    calls = [f"{tool} {json.dumps(given, ensure_ascii=False)}" for tool, given in reply.calls]
    called = "; ".join(calls) or "nothing"
    said = " ".join(reply.text.split())[:120]
    return f"{outcome.verdict}: {case.id} {case.message!r} called {called}: {said}"
