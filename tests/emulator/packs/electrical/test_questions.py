"""Questions of an engineer with their answers, through scripted tool calls: each names the tool and
the arguments that a model would choose, and what the result has to say."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import AgentError
from rollcall.models.provider import OFFLINE
from tests.evals.packs.electrical.suite import questions
from tests.evals.planner.measure import send_all
from tests.support.full_form import cases

QUESTIONS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("questions.jsonl").read_text("utf-8").splitlines()
]
MODULES = {
    "lookup_nec_table": "nec_tables",
    "search_nec": "nec_search",
    "check_conductor_sizing": "conductor_sizing",
    "check_panel_capacity": "panel_capacity",
    "check_service_upgrade": "service_upgrade",
    "calculate_arc_flash": "arc_flash",
    "export_panel_schedule": "panel_schedule",
    "add_circuit": "circuits",
    "run_inspection": "code_inspection",
}


def value_at(data: Any, path: str) -> Any:
    for name in path.split("."):
        data = data[int(name)] if isinstance(data, list | tuple) else data[name]
    return data


def is_right(value: Any, expected: Any) -> bool:
    if isinstance(expected, str) and expected.startswith("> "):
        return float(value) > float(expected[2:])
    if isinstance(expected, str):
        plain = str(value).replace("\u2068", "").replace("\u2069", "")
        pattern = expected.replace("[", "[[]")
        return fnmatchcase(plain, pattern)
    if isinstance(expected, float | int) and not isinstance(expected, bool):
        return float(value) == pytest.approx(float(expected), abs=0.5 if expected > 1000 else 0.01)
    return bool(value == expected)


@pytest.fixture(scope="module")
def db(module_db: Client) -> Client:
    """One for all tests, which only read."""
    return module_db


def test_there_are_40_questions() -> None:
    assert len(QUESTIONS) >= 40


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda each: each["question"])
def test_the_answer_is_right(
    sample_projects: Client, at_work: Callable[..., ToolContext], asked: dict[str, Any]
) -> None:
    module = MODULES.get(asked["tool"], "hand_calculations")
    function = getattr(importlib.import_module(f"packs.electrical.{module}"), asked["tool"])
    ctx = at_work(
        project=asked.get("project"), locale=asked["locale"], writes=asked["tool"] == "add_circuit"
    )
    try:
        found = Capability.of(function).call(ctx, asked["arguments"])
    except AgentError as error:
        found = {"error": f"{error.message}; {error.hint}"}
    wrong = {
        path: (value_at(found, path), expected)
        for path, expected in asked["expect"].items()
        if not is_right(value_at(found, path), expected)
    }
    assert wrong == {}


@pytest.mark.long
def test_no_question_of_an_engineer_is_answered_wrongly() -> None:
    every = questions()
    asked = send_all(cases(every, *range(0, len(every), 4)), OFFLINE)
    assert not [(each.case.id, each.reply) for each in asked if each.verdict == "wrong"]
    assert not [each.error for each in asked if each.error]
