"""Connections that break at any point: what a person is told is the same every time."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any
from unittest import mock

import pytest

from rollcall_cli.approvals import Answer
from rollcall_cli.callable import Functions
from rollcall_cli.course import TOLD_ANEW
from rollcall_cli.dialogue import Dialogue, Events
from rollcall_cli.identity import User, sign_in
from rollcall_cli.place import Place
from rollcall_cli.signing_in import DEMO_EMAIL, DEMO_PASSWORD
from rollcall_cli.stored import Stored
from rollcall_cli.tools import run_calls
from rollcall_cli.workspace import Workspace
from tests.clients import whole_task
from tests.clients.cli import environment, rollcall
from tests.support.cutting_proxy import CuttingProxy, cutting_proxy
from tests.support.fake_providers import FakeProviders, Seen
from tests.support.functions_process import functions_process
from tests.support.provider_replies import Reply, call_item, message_item, responses

pytestmark = pytest.mark.usefixtures("seeded")
SEED = int(os.environ.get("ROLLCALL_CUT_SEED", "50"))
POINTS, POINTS_OF_TASK = 50, 10
ANSWER = "".join(f"Sentence {number} of the answer, in one piece. " for number in range(40))


class Steady(FakeProviders):
    """Answers by what it is asked, so that a step that is asked again is answered again."""

    def answer(self, request: Seen) -> Reply:
        if whole_task.ASKED.encode() in request.body:
            return whole_task.reply_to(request.json)
        if b"function_call_output" in request.body:
            return responses(message_item(ANSWER), size=40)
        return responses(call_item("get_priority_messages", '{"limit": 3}', call_id="call_1"))


@pytest.fixture(scope="module")
def providers() -> Iterator[FakeProviders]:
    with Steady() as fake:
        yield fake


@pytest.fixture(scope="module")
def proxy(providers: FakeProviders) -> Iterator[CuttingProxy]:
    """What stands between the client and functions whose models are scripted."""
    models = {"ROLLCALL_MODEL": "openai:gpt-5.5", **providers.env()}
    with functions_process(models) as address, cutting_proxy(address) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def place(proxy: CuttingProxy) -> Place:
    return Place.emulators(
        auth=os.environ["FIREBASE_AUTH_EMULATOR_HOST"],
        firestore=os.environ["FIRESTORE_EMULATOR_HOST"],
        functions=proxy.address,
    )


@pytest.fixture(scope="module")
def user(place: Place) -> User:
    return sign_in(place, email=DEMO_EMAIL, password=DEMO_PASSWORD)


def told(place: Place, user: User) -> tuple[list[Any], dict[str, Any]]:
    """The events of one run, as they stand in the end, and its result."""
    functions = Functions(place.functions_url, token=user.token)
    dialogue = Dialogue(functions, agent="messaging", replay=Stored(place, user).events)
    events: list[Any] = []
    stream = dialogue.message("What is urgent?")
    while True:
        try:
            event = next(stream)
        except StopIteration as end:
            return events, end.value
        if event["type"] != TOLD_ANEW:
            events[event["metadata"]["n"] :] = [event]


def transcript(events: list[Any]) -> list[Any]:
    """What stands in the end: texts as a whole, calls with arguments and results. A step whose
    reply was told a second time, by who took the run up, stands for the first."""
    assert [event["metadata"]["n"] for event in events] == list(range(len(events)))
    steps: dict[str, int] = {}
    for event in list(events):
        if event["type"] == "STEP_STARTED":
            first, at = steps.get(event["stepName"]), events.index(event)
            replies = events[at + 1]["type"] in ("TEXT_MESSAGE_START", "TOOL_CALL_START")
            if first is not None and replies:
                events = [*events[:first], *events[at:]]
            steps[event["stepName"]] = events.index(event)
    text = "".join(e["delta"] for e in events if e["type"] == "TEXT_MESSAGE_CONTENT")
    arguments = "".join(e["delta"] for e in events if e["type"] == "TOOL_CALL_ARGS")
    results = [json.loads(e["content"]) for e in events if e["type"] == "TOOL_CALL_RESULT"]
    for result in results:
        del result["output"]["timestamp"]  # when the tool was asked
    return [events[0]["type"], text, arguments, results, events[-1]["type"]]


def test_streams_cut_at_random_points_tell_the_same(
    place: Place, user: User, proxy: CuttingProxy
) -> None:
    whole = transcript(told(place, user)[0])
    assert whole[1] == ANSWER
    chance = random.Random(SEED)
    proxy.cuts = 0
    for _ in range(POINTS):
        proxy.cut_after = [chance.randrange(0, 12_000), *chance.choices([None, 200, 4_000], k=1)]
        events, result = told(place, user)
        assert transcript(events) == whole, proxy.cut_after
        assert result["message"] == ANSWER
    proxy.cut_after = []
    assert proxy.cuts >= POINTS / 2


def worked(place: Place, user: User, folder: Path) -> tuple[str, list[Any]]:
    """A whole task with tools that run here, everything approved: how its last run answers, and the
    calls of all its runs as they ended."""
    whole_task.prepare(folder)
    functions = Functions(place.functions_url, token=user.token)
    with Workspace(folder) as workspace:
        dialogue = Dialogue(
            functions,
            agent="workspace",
            replay=Stored(place, user).events,
            client_tools=workspace.tools,
        )
        events = dialogue.message(whole_task.ASKED)
        calls: dict[str, Any] = {}
        while True:
            result = drained(events)
            calls |= {
                call["id"]: (call["tool"], call["arguments"], call["status"])
                for call in result["toolCalls"]
            }
            if dialogue.pending:
                nobody = mock.Mock()
                results = run_calls(workspace, dialogue.pending, watcher=nobody, stop=Event())
                events = dialogue.answer_calls(results)
            elif dialogue.waiting:
                events = dialogue.resume([Answer(True).entry(each) for each in dialogue.waiting])
            else:
                return result["message"], list(calls.values())


def drained(events: Events) -> dict[str, Any]:
    while True:
        try:
            next(events)
        except StopIteration as end:
            result: dict[str, Any] = end.value
            return result


def test_a_task_whose_streams_are_cut_at_random_points_does_the_same(
    place: Place, user: User, proxy: CuttingProxy, tmp_path: Path
) -> None:
    proxy.sizes.clear()
    whole = worked(place, user, tmp_path / "whole")
    sizes = list(proxy.sizes)
    assert whole[0] == whole_task.ANSWER
    chance = random.Random(SEED)
    proxy.cuts = 0
    for point in range(POINTS_OF_TASK):
        (place_of_cut,) = chance.choices(range(len(sizes)), weights=sizes)
        after = chance.randrange(sizes[place_of_cut])
        proxy.cut_after = [*[None] * place_of_cut, after]
        answer, calls = worked(place, user, tmp_path / str(point))
        assert calls == whole[1], (place_of_cut, after)
        assert answer == whole[0]
        whole_task.assert_done(tmp_path / str(point))
    proxy.cut_after = []
    # A stream may be a little shorter than the first was: what comes soon is one event.
    assert proxy.cuts >= POINTS_OF_TASK / 2


def test_a_command_whose_connections_break_prints_the_whole_answer(
    proxy: CuttingProxy, tmp_path: Path
) -> None:
    proxy.cut_after = [0, 900, 2_000, 300]
    env = environment(tmp_path, FUNCTIONS_EMULATOR_HOST=proxy.address)
    done = rollcall("ask", "What is urgent?", env=env)
    proxy.cut_after = []
    assert done.returncode == 0, done.stderr
    assert ANSWER.strip() in done.stdout
