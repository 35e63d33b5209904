"""Connections that break at any point of a whole task: the same is done every time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any
from unittest import mock

import pytest

from rollcall_cli.approvals import Decision
from rollcall_cli.deployment import Deployment
from rollcall_cli.dialogue import Dialogue, Events
from rollcall_cli.functions import Functions
from rollcall_cli.identity import User
from rollcall_cli.store import Store
from rollcall_cli.tools import run_calls
from rollcall_cli.workspace import Workspace
from tests.clients.packs.workspace import whole_task
from tests.support.cutting_proxy import CuttingProxy
from tests.support.fake_providers import FakeProviders, Request
from tests.support.full_form import SEED, amount
from tests.support.provider_replies import Reply

pytestmark = pytest.mark.usefixtures("seeded")
POINTS = amount(2, full=10)


class Steady(FakeProviders):
    """Answers by what it is asked, so that a step that is asked again is answered again."""

    def answer(self, request: Request) -> Reply:
        return whole_task.reply_to(request.json)


@pytest.fixture(scope="module")
def providers() -> Iterator[FakeProviders]:
    with Steady() as fake:
        yield fake


def worked(deployment: Deployment, user: User, folder: Path) -> tuple[str, list[Any]]:
    """A whole task with tools that run here, everything approved: how its last run answers, and the
    calls of all its runs as they ended."""
    whole_task.prepare(folder)
    functions = Functions(deployment.functions_url, token=user.token)
    with Workspace(folder) as workspace:
        dialogue = Dialogue(
            functions,
            agent="workspace",
            replay=Store(deployment, user).events,
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
                events = dialogue.resume([Decision(True).entry(each) for each in dialogue.waiting])
            else:
                return result["message"], list(calls.values())


def drained(events: Events) -> dict[str, Any]:
    while True:
        try:
            next(events)
        except StopIteration as end:
            result: dict[str, Any] = end.value
            return result


@pytest.mark.long
def test_a_task_whose_streams_are_cut_at_random_points_does_the_same(
    deployment: Deployment, user: User, proxy: CuttingProxy, tmp_path: Path
) -> None:
    proxy.sizes.clear()
    whole = worked(deployment, user, tmp_path / "whole")
    sizes = list(proxy.sizes)
    assert whole[0] == whole_task.ANSWER
    chance = random.Random(SEED)
    proxy.cuts = 0
    for point in range(POINTS):
        (place_of_cut,) = chance.choices(range(len(sizes)), weights=sizes)
        after = chance.randrange(sizes[place_of_cut])
        proxy.cut_after = [*[None] * place_of_cut, after]
        answer, calls = worked(deployment, user, tmp_path / str(point))
        assert calls == whole[1], (place_of_cut, after)
        assert answer == whole[0]
        whole_task.assert_done(tmp_path / str(point))
    proxy.cut_after = []
    # A stream may be a little shorter than the first was: what comes soon is one event.
    assert proxy.cuts >= POINTS / 2
