"""The ids of a turn's runs: each follows from the one before."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter

from rollcall.agent.resume import CONTENTS_BYTES
from rollcall.core.wire import RunId
from rollcall.store.runs import (
    RESULT_BYTES,
    is_generated_id,
    new_run_id,
    next_run_id,
    previous_run_id,
    result_json,
)
from tests.support.full_form import cases


@pytest.mark.parametrize(
    ("run_id", "following"),
    [("mine", "mine~1"), ("mine~1", "mine~2"), ("r~99", "r~100"), ("old~1~1", "old~1~2")],
)
def test_the_next_id_counts_on(run_id: str, following: str) -> None:
    assert next_run_id(run_id) == following
    assert previous_run_id(following) == run_id
    assert is_generated_id(following)


def test_a_first_run_follows_none() -> None:
    assert previous_run_id("mine") is None


def test_the_runs_of_a_long_turn_can_all_be_named() -> None:
    run_id = new_run_id()
    for _ in range(1_000):
        run_id = next_run_id(run_id)
        assert TypeAdapter(RunId).validate_python(run_id) == run_id
    assert run_id.endswith("~1000") and len(run_id) < 40


def test_a_runs_result_fits_into_its_document() -> None:
    calls = [{"id": "c", "tool": "t", "result": "א" * RESULT_BYTES, "display": {}}]
    kept = result_json({"message": "Hi.", "toolCalls": calls})
    assert len(kept.encode()) < RESULT_BYTES
    assert json.loads(kept) == {"message": "Hi.", "toolCalls": [{"id": "c", "tool": "t"}]}
    small = {"message": "Hi.", "toolCalls": []}
    assert json.loads(result_json(small)) == small


def test_of_what_waits_a_large_result_keeps_the_calls_arguments_alone() -> None:
    content = "ש" * 150_000
    call = {"id": "c", "tool": "write_file", "arguments": {"content": content}}
    details = {
        "tool": "write_file",
        "arguments": {"content": content},
        "display": {"text": content},
    }
    outcome = {"type": "interrupt", "interrupts": [{"id": "a", "metadata": details}]}
    text = result_json({"outcome": outcome, "toolCalls": [call]})
    kept = json.loads(text)
    assert len(text.encode()) < RESULT_BYTES
    assert kept["toolCalls"] == [call]
    assert kept["outcome"]["interrupts"] == [{"id": "a", "metadata": {"tool": "write_file"}}]


def test_what_a_client_answers_has_room_beside_the_result() -> None:
    assert RESULT_BYTES + CONTENTS_BYTES <= 1_000_000


def call(number: int, letter: str, *, status: str = "done") -> dict[str, Any]:
    arguments = {"content": letter * 50_000}
    return {"id": f"c{number}", "tool": "t", "status": status, "arguments": arguments}


@pytest.mark.parametrize("letter", ["x", "ש", "漢", "😀"])
def test_of_many_large_calls_the_client_finds_what_it_has_still_to_run(letter: str) -> None:
    calls = [call(number, letter) for number in range(40)]
    calls.append(call(40, letter, status="client"))
    whole = {"message": "Hi.", "toolCalls": calls, "outcome": {"type": "success"}}
    text = result_json(whole)
    kept = json.loads(text)
    assert len(text.encode()) <= RESULT_BYTES
    assert kept["toolCalls"][-1] == calls[-1]
    assert [each["arguments"] for each in kept["toolCalls"][:-1]] == [{}] * 40


@pytest.mark.long
@pytest.mark.parametrize("letter", cases(["x", "ש", "漢", "😀"], 3))
def test_the_least_of_a_result_fits_whatever_it_says(letter: str) -> None:
    calls = [call(number, letter, status="client") for number in range(200)]
    whole = {"message": letter * 150_000, "toolCalls": calls, "outcome": {"type": "success"}}
    text = result_json(whole)
    kept = json.loads(text)
    assert len(text.encode()) <= RESULT_BYTES
    assert kept["message"].startswith(letter * 25_000)
    assert kept["toolCalls"][-1] == {**calls[-1], "arguments": {}}
