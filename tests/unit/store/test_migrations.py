"""Reading what older versions stored."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from rollcall.core.errors import FailedPrecondition
from rollcall.core.wire import SCHEMA_VERSION
from rollcall.store import migrations

RESULT = {"name": "search", "content": '{"output": 1}', "isError": False}
OTHER = {"name": "list", "content": '{"output": 2}', "isError": True}


def step(results: dict[str, Any], *ids: str, **more: Any) -> dict[str, Any]:
    calls = [{"id": id, "name": "search", "arguments": "{}", "argumentsText": ""} for id in ids]
    return {"role": "model", "toolCalls": calls, "results": results, "schemaVersion": 1, **more}


def test_what_this_code_writes_it_can_read() -> None:
    assert SCHEMA_VERSION <= migrations.NEWEST


def test_results_by_call_id_are_found_by_place() -> None:
    read = migrations.read("message", step({"b": OTHER, "a": RESULT}, "a", "x", "b"))
    assert read["results"] == {"0": RESULT, "2": OTHER}
    assert read["schemaVersion"] == migrations.NEWEST


def test_calls_that_share_an_id_share_its_result() -> None:
    read = migrations.read("message", step({"a": RESULT}, "a", "a"))
    assert read["results"] == {"0": RESULT, "1": RESULT}


@pytest.mark.parametrize("version", [1, 2])
def test_results_by_place_are_left_as_they_are(version: int) -> None:
    stored = step({"0": RESULT, "1": OTHER}, "a", "b", schemaVersion=version)
    assert migrations.read("message", stored)["results"] == stored["results"]


@pytest.mark.parametrize("id", ["1", "0", "", "a.b/c"])
def test_a_call_id_may_be_any_text(id: str) -> None:
    assert migrations.read("message", step({id: RESULT}, id))["results"] == {"0": RESULT}


def test_a_document_without_a_version_is_the_oldest() -> None:
    stored = step({"a": RESULT}, "a")
    del stored["schemaVersion"]
    assert migrations.read("message", stored)["results"] == {"0": RESULT}


def test_a_users_message_only_changes_its_version() -> None:
    stored = {"role": "user", "parts": [{"type": "text", "text": "Hi"}], "schemaVersion": 1}
    assert migrations.read("message", stored) == {**stored, "schemaVersion": migrations.NEWEST}


@pytest.mark.parametrize("version", [0, 1])
def test_an_old_threads_context_is_read_as_text(version: int) -> None:
    read = migrations.read("thread", {"context": {"lesson": 3}, "schemaVersion": version})
    assert json.loads(read["context"]) == {"lesson": 3}
    assert (read["waiting"], read["allowed"]) == (None, {})


def test_what_is_read_is_not_changed() -> None:
    stored = step({"a": RESULT}, "a")
    before = copy.deepcopy(stored)
    migrations.read("message", stored)
    assert stored == before


@pytest.mark.parametrize("version", [migrations.NEWEST + 1, "2", None, 1.5])
def test_a_version_nobody_knows_is_refused(version: Any) -> None:
    with pytest.raises(FailedPrecondition, match=f"version {version!r}"):
        migrations.read("run", {"schemaVersion": version})
