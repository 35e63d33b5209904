"""Connections that break at any point: what a person is told is the same every time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rollcall_cli.deployment import Deployment
from rollcall_cli.dialogue import Dialogue
from rollcall_cli.functions import Functions
from rollcall_cli.identity import User
from rollcall_cli.run_stream import RESTARTED
from rollcall_cli.store import Store
from tests.clients.cli import environment, rollcall
from tests.support.cutting_proxy import CuttingProxy
from tests.support.fake_providers import FakeProviders, Request
from tests.support.full_form import SEED, amount
from tests.support.provider_replies import Reply, call_item, message_item, responses

pytestmark = pytest.mark.usefixtures("seeded")
POINTS = amount(2, full=50)
ANSWER = "".join(f"Sentence {number} of the answer, in one piece. " for number in range(40))


class Steady(FakeProviders):
    """Answers by what it is asked, so that a step that is asked again is answered again."""

    def answer(self, request: Request) -> Reply:
        if b"function_call_output" in request.body:
            return responses(message_item(ANSWER), size=40)
        return responses(call_item("get_priority_messages", '{"limit": 3}', call_id="call_1"))


@pytest.fixture(scope="module")
def providers() -> Iterator[FakeProviders]:
    with Steady() as fake:
        yield fake


def told(deployment: Deployment, user: User) -> tuple[list[Any], dict[str, Any]]:
    """The events of one run, as they stand in the end, and its result."""
    functions = Functions(deployment.functions_url, token=user.token)
    dialogue = Dialogue(functions, agent="messaging", replay=Store(deployment, user).events)
    events: list[Any] = []
    stream = dialogue.message("What is urgent?")
    while True:
        try:
            event = next(stream)
        except StopIteration as end:
            return events, end.value
        if event["type"] != RESTARTED:
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


@pytest.mark.long
def test_streams_cut_at_random_points_tell_the_same(
    deployment: Deployment, user: User, proxy: CuttingProxy
) -> None:
    whole = transcript(told(deployment, user)[0])
    assert whole[1] == ANSWER
    chance = random.Random(SEED)
    proxy.cuts = 0
    for _ in range(POINTS):
        proxy.cut_after = [chance.randrange(0, 12_000), *chance.choices([None, 200, 4_000], k=1)]
        events, result = told(deployment, user)
        assert transcript(events) == whole, proxy.cut_after
        assert result["message"] == ANSWER
    proxy.cut_after = []
    assert proxy.cuts >= POINTS / 2


def test_a_command_whose_connections_break_prints_the_whole_answer(
    proxy: CuttingProxy, tmp_path: Path
) -> None:
    proxy.cut_after = [0, 900, 2_000, 300]
    env = environment(tmp_path, FUNCTIONS_EMULATOR_HOST=proxy.address)
    done = rollcall("ask", "What is urgent?", env=env)
    proxy.cut_after = []
    assert done.returncode == 0, done.stderr
    assert ANSWER.strip() in done.stdout
