"""Unexpected errors of capabilities: shown to the developer on the emulators, and stored
nowhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollcall.agent.direct_call import direct_call
from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext
from rollcall.core.triggers import OnCall
from rollcall.testing import calls, says
from tests.support import local_functions
from tests.support.office import Office
from tests.support.user_data import all_documents

SECRET_OF_THE_CODE = "people_of_the_office"


@capability(name="Look up", category="office")
async def look_up(ctx: ToolContext, *, word: str = "x") -> str:
    """Look a word up."""
    if word == "x":
        raise KeyError(SECRET_OF_THE_CODE)
    return word


@pytest.fixture
def broken(office: Office) -> Office:
    office.redeclare(Capability.of(look_up))
    return office


def test_the_traceback_stands_beside_the_result_and_in_nothing_that_is_kept_or_prompted(
    broken: Office,
) -> None:
    broken.model.replies = [calls(("look_up", {})), says("It did not work.")]
    frames = broken.functions.stream("run_agent", {"agent": "office", "message": "Please."})
    (incident,) = frames[-1]["incidents"]
    (call,) = frames[-1]["result"]["toolCalls"]
    assert SECRET_OF_THE_CODE in incident["traceback"]
    assert "in look_up" in incident["traceback"]
    assert "During handling" not in incident["traceback"]
    assert (call["status"], call["error"]["code"]) == ("failed", "internal")
    assert incident["id"] in call["error"]["message"]
    kept = json.dumps(all_documents(broken.db), default=str)
    assert SECRET_OF_THE_CODE not in kept + repr(broken.model.requests)
    assert SECRET_OF_THE_CODE not in json.dumps([*frames[:-1], frames[-1]["result"]])


def direct(office: Office, data: Any) -> Any:
    handle = direct_call(Capability.of(look_up))
    bound = OnCall().bind("look_up", handle, lambda: office.platform)
    return local_functions.Functions({"look_up": bound}).post("look_up", data)


def test_a_direct_call_that_breaks_off_brings_the_traceback_in_its_details(broken: Office) -> None:
    response = direct(broken, {})
    (incident,) = response.json["error"]["details"]["incidents"]
    assert response.status_code == 500
    assert SECRET_OF_THE_CODE in incident["traceback"]
    assert SECRET_OF_THE_CODE not in json.dumps(all_documents(broken.db), default=str)


def test_an_async_capability_answers_a_direct_call_of_its_arguments_alone(broken: Office) -> None:
    assert direct(broken, {"word": "kiwi"}).json == {"result": "kiwi"}
    assert direct(broken, {"arguments": {"word": "kiwi"}}).json == {"result": "kiwi"}
