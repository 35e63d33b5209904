"""`registry list` and `registry show` on the emulator."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from tests.support.catalogs import catalog

from .conftest import ROOM, Run


def test_list_says_where_it_looks_and_shows_every_capability(run: Run, registry: Client) -> None:
    done = run("registry", "list")
    first, *lines = done.out.splitlines()
    assert first.startswith(f"Reading project {registry.project} · the emulator at ")
    assert done.code == 0
    (room,) = [line.split() for line in lines if line.startswith("find_room")]
    assert room[:5] == ["find_room", "office", "read", "user", "active"]


def test_list_tells_what_was_refused_and_why(run: Run, registry: Client) -> None:
    out = run("registry", "list").out
    (refused,) = [line for line in out.splitlines() if line.startswith("refused, ")]
    assert refused.startswith("refused, and offered to nobody: broken: ")
    assert "$ref" in refused


def test_list_marks_what_an_operator_overruled(run: Run, registry: Client) -> None:
    registry.document("capabilities/find_room").update({"overrides": {"status": "deprecated"}})
    out = run("registry", "list").out
    assert "deprecated*" in out
    assert "* is what an operator overruled" in out


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ([], ["broken", "find_room", "pay_invoice"]),
        (["--status", "beta"], ["pay_invoice"]),
        (["--status", "refused"], ["broken"]),
        (["--agent", "desk"], ["find_room", "pay_invoice"]),
    ],
    ids=str,
)
def test_list_is_narrowed(run: Run, registry: Client, options: list[str], ids: list[str]) -> None:
    done = run("registry", "list", "--json", *options)
    assert [each["id"] for each in done.json] == ids
    assert done.err.startswith("Reading project")


def test_list_of_an_agent_there_is_not_says_which_there_are(run: Run, registry: Client) -> None:
    done = run("registry", "list", "--agent", "nobody")
    words = "There is no agent 'nobody'; there are: desk."
    assert (done.code, done.err.strip()) == (1, words)


ODD: dict[str, dict[str, Any]] = {
    "exec_text": {"execution": "findRoom"},
    "no_url": {"execution": {"type": "api_endpoint", "target": "https://[::1/x"}},
    "overrides_text": {"overrides": "off"},
    "overrides_list": {"overrides": ["off"]},
    "phrases_list": {"overrides": {"phrases": ["room"]}},
    "phrases_text": {"overrides": {"phrases": {"he": "חדר"}}},
    "enriched_text": {"enriched": "x"},
    "names_list": {"names": ["x"]},
    "category_list": {"category": ["x"]},
    "nothing": {"id": None, "name": None},
    "loose_schema": {"source": "code", "jsonSchema": {"properties": {"a": True}}},
    "note_text": {"overrides": {"note": "hi", "statsu": "x"}},
    "control": {"name": "a\x1b[31m\u202eb"},
    "בלי שם": {"id": "BadId"},
}


def test_no_document_takes_a_command_down(run: Run, registry: Client) -> None:
    for id, fields in ODD.items():
        registry.document(f"capabilities/{id}").set({**ROOM, "id": id, **fields})
    assert run("sync").code == 0
    out = run("registry", "list").out
    assert "\x1b" not in out and "\u202e" not in out
    for id in ODD:
        for more in ([], ["--json"]):
            done = run("registry", "show", id, *more)
            assert (done.code, "\x1b" in done.out, "\u202e" in done.out) == (0, False, False)
    assert run("registry", "search", "find a meeting room").code == 0
    found = run("registry", "show", "note_text", "--json").json
    assert found["unknownOverrides"] == ["statsu"]


def test_no_agents_document_takes_a_command_down(run: Run, registry: Client) -> None:
    for id, fields in {
        "names_text": {"names": "x", "tools": "*", "overrides": "x", "instructions": 5},
        "names_list": {"names": ["x"], "tools": ["*", 5], "overrides": {"status": ["off"]}},
        "nothing": {},
        "note": {"overrides": {"note": {"at": 5}, "instructions": ["x"]}},
    }.items():
        registry.document(f"agents/{id}").set(fields)
        for more in ([], ["--json"]):
            assert run("registry", "show", f"agents/{id}", *more).code == 0
    assert run("registry", "list", "--agent", "names_list").code == 0
    assert run("registry", "doctor").code in (0, 1)
    assert "so it is disabled" in run("registry", "show", "agents/names_text").out


def test_list_shows_hebrew_names_in_reading_order(run: Run, registry: Client) -> None:
    assert "\u2068Find a room · מציאת חדר\u2069" in run("registry", "list").out


def declare_desk_elsewhere(db: Client) -> None:
    """Another codebase says that its code declares the agent."""
    db.document("agents/desk").update({"source": "code", "codebase": "shop"})


def test_show_tells_all_of_a_capability(run: Run, registry: Client) -> None:
    overrides = {"keywords": ["hall"], "phrases": {"he": ["יש חדר פנוי?"]}}
    enriched = {"phrases": {"en": ["book a room"], "he": ["לא זה"]}}
    registry.document("capabilities/find_room").update(
        {"overrides": overrides, "enriched": enriched}
    )
    out = run("registry", "show", "find_room").out
    assert out.startswith("Reading project")
    lines = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines()}
    assert lines["declared.names.he"] == "\u2068מציאת חדר\u2069"
    assert lines["arguments.seats.description"] == "People to seat."
    assert lines["status"] == "active"
    found = run("registry", "show", "find_room", "--json").json
    assert found["declared"]["keywords"] == ["room", "meeting", "חדר", "ישיבה"]
    assert (found["overrides"], found["enriched"]) == (overrides, enriched)
    arguments = found["offered"]["spec"]["parameters"]["properties"]
    assert arguments["seats"] == {"type": "integer", "description": "People to seat.", "minimum": 1}
    assert found["offered"]["spec"]["examples"][0]["userRequest"] == "Is a room for 4 free?"
    assert found["approval"] is None


def test_show_counts_no_agent_that_is_a_document_alone(run: Run, registry: Client) -> None:
    found = run("registry", "show", "find_room", "--json").json
    assert found["agents"] == []


def test_show_counts_agents_of_this_code_and_of_others(run: Run, registry: Client) -> None:
    declare_desk_elsewhere(registry)
    own = max(catalog.agents())
    registry.document(f"agents/{own}").set({"tools": ["*"], "status": "beta"})
    registry.document("agents/stray").set({"tools": ["find_room"]})
    found = run("registry", "show", "find_room", "--json").json
    assert found["agents"] == [
        {"id": "desk", "by": "find_room", "status": "active"},
        {"id": own, "by": "*", "status": "beta"},
    ]


def test_show_says_when_a_write_is_asked_about(run: Run, registry: Client) -> None:
    approval = run("registry", "show", "pay_invoice", "--json").json["approval"]
    asked = {"ask": "above", "argument": "amountUsd", "threshold": 100, "expiresS": 3_600}
    assert approval.items() >= asked.items()


def test_show_of_a_refused_one_tells_why(run: Run, registry: Client) -> None:
    done = run("registry", "show", "broken")
    assert (done.code, "$ref" in done.out) == (0, True)
    found = run("registry", "show", "broken", "--json").json
    assert (found["status"], "$ref" in found["refused"]) == ("refused", True)
    assert found["offered"] is None


def test_show_of_an_agent(run: Run, registry: Client) -> None:
    registry.document("agents/desk").update({"overrides": {"maxSteps": 2}})
    found = run("registry", "show", "agents/desk", "--json").json
    assert found["tools"] == ["find_room", "category:money"]
    assert found["overrides"] == {"maxSteps": 2}
    assert found["instructions"] == "Help at the desk."


def test_show_of_an_agent_says_where_it_is_a_document_alone(run: Run, registry: Client) -> None:
    assert run("registry", "show", "agents/desk", "--json").json["hasCode"] is False
    declare_desk_elsewhere(registry)
    assert run("registry", "show", "agents/desk", "--json").json["hasCode"] is True


@pytest.mark.parametrize("id", ["nothing", "agents/nobody"])
def test_show_of_what_there_is_not_says_what_there_is(run: Run, registry: Client, id: str) -> None:
    done = run("registry", "show", id)
    assert done.code == 1
    assert id.split("/")[-1] in done.err
