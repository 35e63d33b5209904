from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rollcall.commands.app import Place, find_app, require_app
from rollcall.commands.doctor import command
from rollcall.commands.doctor.command import (
    ALIKE,
    alike,
    check_agents,
    check_code,
    check_compiled,
    check_health,
    check_overrides,
    check_records,
    check_similarity,
)
from rollcall.commands.doctor.configuration import Settings
from rollcall.commands.doctor.findings import Finding
from rollcall.commands.registry.records import Agent, Record, record_of
from rollcall.registry.entries import Entry
from rollcall.registry.sync import Report
from tests.support.fake_google import FakeGoogle

NOW = datetime.now(UTC)
MANIFEST: dict[str, Any] = {"digest": "d", "count": 3, "asOf": NOW, "compiledAt": NOW}


def record(id: str, description: str = "Find a free room.", **changes: Any) -> Record:
    document = {
        "id": id,
        "name": id.replace("_", " "),
        "description": description,
        "category": "office",
        "status": "active",
        "effect": "read",
        "source": "operator",
        "jsonSchema": {"type": "object", "properties": {}},
        "execution": {"type": "firebase_function", "target": id.replace("_", "-")},
        **changes,
    }
    health = {id: "down"} if id.startswith("slow") else {}
    return record_of(id, document, health=health, refused={})


def entry(id: str, description: str, **changes: Any) -> Entry:
    found = record(id, description, **changes).entry
    assert found
    return found


ROOM = entry("find_room", "Find a free room.")


def levels_and_texts(findings: Any) -> list[tuple[str, str]]:
    return [(each.level, each.text) for each in findings]


def test_an_override_of_no_known_name_is_told() -> None:
    found = levels_and_texts(check_records([record("find_room", overrides={"statsu": "disabled"})]))
    assert found == [("warn", "find_room has overrides that mean nothing: statsu")]
    assert not levels_and_texts(
        check_records([record("find_room", overrides={"note": {}, "status": "beta"})])
    )


def test_a_registry_that_was_never_compiled_fails() -> None:
    (found,) = check_compiled({}, None, production=True)
    assert (found.level, found.about("shop").mend) == (
        "fail",
        "python -m rollcall sync --project shop",
    )


def test_a_document_that_was_changed_after_compiling_fails_after_two_minutes() -> None:
    compiled = {**MANIFEST, "asOf": NOW - timedelta(hours=1)}
    late = check_compiled(compiled, NOW - timedelta(minutes=30), production=True)
    assert [each.level for each in late] == ["ok", "fail"]
    soon = check_compiled(compiled, datetime.now(UTC) - timedelta(seconds=20), production=True)
    assert [each.level for each in soon] == ["ok"]


def test_a_registry_that_nobody_publishes_is_told_in_production_alone() -> None:
    old = {**MANIFEST, "compiledAt": NOW - timedelta(days=3), "asOf": NOW}
    assert [each.level for each in check_compiled(old, None, production=True)] == ["ok", "warn"]
    assert [each.level for each in check_compiled(old, None, production=False)] == ["ok"]


def test_documents_that_differ_from_the_code_fail() -> None:
    (found,) = check_code(Report(written=["capabilities/pay"], withdrawn=["capabilities/old"]))
    assert (found.level, found.text.split(":")[1]) == (
        "fail",
        " capabilities/pay, capabilities/old",
    )
    assert [each.level for each in check_code(Report(unchanged=["capabilities/pay"]))] == ["ok"]


def test_an_id_that_somebody_else_has_fails() -> None:
    found = list(check_code(Report(taken=["capabilities/pay"])))
    assert found[0].level == "fail"


def test_refused_and_unhealthy_ones_are_told() -> None:
    records = [record("well"), record("slow"), record("bad", minRole="king")]
    assert [each.text.split()[0] for each in check_records(records)] == ["bad"]
    assert [each.text for each in check_health(records)] == ["slow is down"]


def test_of_many_refused_ones_the_first_are_told_and_the_rest_counted() -> None:
    found = list(check_records([record(f"bad_{n}", minRole="king") for n in range(25)]))
    assert len(found) == 21
    assert found[-1].text == "5 more are refused"


def test_agents_that_find_all_their_tools_are_well() -> None:
    agents = [Agent("desk", {"tools": ["category:office"], "status": "beta"})]
    assert levels_and_texts(check_agents(agents, [record("find_room")], profiles={"desk"})) == [
        ("ok", "agents/desk (beta) finds all its tools")
    ]


def test_tools_that_there_are_not_and_tools_nobody_offers_are_told() -> None:
    agents = [Agent("desk", {"tools": ["find_room", "find_rom"]})]
    found = levels_and_texts(
        check_agents(agents, [record("find_room"), record("book_room")], profiles={"desk"})
    )
    assert found == [
        ("warn", "agents/desk names what there is not: find_rom (did you mean `find_room`?)"),
        ("warn", "no agent offers book_room: only a client's own calls reach that"),
    ]


def test_an_agent_without_any_tool_fails() -> None:
    agents = [Agent("desk", {"tools": ["find_room"]})]
    found = levels_and_texts(
        check_agents(agents, [record("find_room", status="disabled")], profiles={"desk"})
    )
    assert found[0] == ("fail", "agents/desk has no tool that may be offered")
    assert found[1] == ("warn", "agents/desk: disabled or refused are find_room")


def findings_of_desk(tools: list[str], records: list[Record]) -> list[Finding]:
    agents = [Agent("desk", {"tools": tools, "status": "active"})]
    return list(check_agents(agents, records, profiles={"desk"}))


def test_an_agent_whose_tools_are_all_down_is_told_with_their_names() -> None:
    (found,) = findings_of_desk(["category:office"], [record("slow"), record("slower")])
    assert (found.level, found.text) == (
        "warn",
        "agents/desk (active) has no tool at present, all are down: slow, slower",
    )
    assert found.mend.endswith("-m rollcall registry list --agent desk --project {project}")


def test_of_many_tools_that_are_down_the_first_are_named() -> None:
    names = ("slow", "slower", "slow_3", "slow_4", "slow_5", "slow_6")
    (found,) = findings_of_desk(["*"], [record(name) for name in names])
    assert found.text.endswith(": slow, slower, slow_3, slow_4 and 2 more")


def test_an_agent_finds_its_tools_as_long_as_one_is_not_down() -> None:
    well = findings_of_desk(["*"], [record("slow"), record("find_room")])
    assert levels_and_texts(well) == [("ok", "agents/desk (active) finds all its tools")]


def test_tools_that_are_disabled_do_not_count_beside_those_that_are_down() -> None:
    records = [record("slow"), record("find_room", status="disabled")]
    found = levels_and_texts(findings_of_desk(["slow", "find_room", "find_rom"], records))
    assert found == [
        ("warn", "agents/desk names what there is not: find_rom (did you mean `find_room`?)"),
        ("warn", "agents/desk: disabled or refused are find_room"),
        ("warn", "agents/desk (active) has no tool at present, all are down: slow"),
    ]


def test_an_agent_that_no_code_declares_is_told_and_offers_nothing() -> None:
    agents = [Agent("desk", {"tools": ["*"], "source": "operator", "status": "active"})]
    alone, offered = check_agents(agents, [record("find_room")], profiles={"office"})
    assert (alone.level, alone.text) == (
        "warn",
        "agents/desk (active) is a document alone: no code declares this agent, so nobody can "
        "ask it",
    )
    assert alone.mend == (
        "declare an AgentProfile of the id 'desk' in a pack and deploy, or delete agents/desk"
    )
    assert offered.text.startswith("no agent offers find_room")


def test_an_agent_whose_code_is_gone_is_told_once_it_is_withdrawn() -> None:
    gone = Agent("desk", {"tools": ["*"], "source": "code", "status": "disabled"})
    found = levels_and_texts(check_agents([gone], [], profiles=()))
    assert found == [("ok", "agents/desk is disabled, and no code declares it")]


def test_an_agent_of_another_codebase_is_not_without_code() -> None:
    fields = {"tools": ["*"], "source": "code", "codebase": "school", "status": "active"}
    found = levels_and_texts(
        check_agents([Agent("desk", fields)], [record("find_room")], profiles=())
    )
    assert found == [("ok", "agents/desk (active) finds all its tools")]


def test_overrides_of_an_agent_that_nobody_can_read_are_told() -> None:
    (found,) = check_overrides([Agent("desk", {"overrides": {"maxSteps": "many"}})])
    assert found.level == "warn"
    assert found.text.startswith("agent desk: overrides.maxSteps: input should be ")
    assert list(check_overrides([Agent("desk", {"overrides": {"maxSteps": 3}})])) == []


def test_one_name_for_two_is_told() -> None:
    entries = [entry("a", "Find a room.", name="Rooms"), entry("b", "Pay a bill.", name="rooms ")]
    (found,) = check_similarity(entries)
    assert found == Finding(
        "warn",
        "one name (en: rooms) for a, b: people cannot tell them apart",
    )


def test_descriptions_of_the_same_words_are_told_and_others_are_not() -> None:
    entries = [
        entry("book_room", "Reserve a meeting room for a group of people at a given time."),
        entry("reserve_room", "Reserve meeting rooms for groups of people at the given time."),
        entry("pay_bill", "Pay a bill from the account that is named."),
    ]
    ((first, second, share),) = alike(entries)
    assert (first, second) == ("book_room", "reserve_room")
    assert share > 0.85


def test_pairs_are_named_from_the_most_alike_on() -> None:
    words = "reserve large meeting room floor tomorrow morning afternoon evening"
    texts = {"a": words, "b": f"{words} early", "c": words.removesuffix("evening"), "d": "pay"}
    pairs = alike([entry(id, text) for id, text in texts.items()])
    assert [(one, other) for one, other, _ in pairs] == [("a", "b"), ("a", "c")]
    assert all(ALIKE <= share < 1 for *_, share in pairs)


def test_of_many_pairs_the_first_are_named_and_the_rest_counted() -> None:
    same = "Reserve a meeting room for a group of people."
    entries = [entry(f"book_{n}", same, name=f"Name {n}") for n in range(6)]
    (found,) = check_similarity(entries)
    assert len(alike(entries)) == 15
    assert found.text.count("(100%)") == 10
    assert found.text.endswith(" and 5 more")


def shop(root: Path, main: str) -> Place:
    """An app in production that declares nothing of its own."""
    (root / "functions" / "capabilities").mkdir(parents=True)
    (root / "functions" / "main.py").write_text(
        f"{main}\nfrom rollcall import bind\n\nbind(globals())\n"
    )
    (root / "firebase.json").write_text('{"functions": {}}')
    (root / "firestore.rules").touch()
    (root / "firestore.indexes.json").touch()
    return Place("shop", None, require_app(find_app(root)))


def test_functions_are_looked_for_in_the_region_that_the_code_sets(tmp_path: Path) -> None:
    place = shop(tmp_path, "set_global_options(region='europe-west1')")
    for variables, region in (
        ({}, "europe-west1"),
        ({"ROLLCALL_REGION": "us-east1"}, "us-east1"),
    ):
        with FakeGoogle() as google:
            google.answer("cloudfunctions", "v2/projects/shop/locations/-/functions", {})
            settings = Settings(variables, (), "functions/.env.shop")
            found = list(command._in_production(google.client, place, settings))
            assert any(path.endswith(f"/{region}/jobs") for path in google.asked)
        (functions,) = (each for each in found if each.topic == "functions")
        assert f" are not deployed in {region}: " in functions.text


def test_files_of_firestore_that_are_missing_or_broken_are_findings_and_the_rest_is_checked(
    tmp_path: Path,
) -> None:
    place, settings = shop(tmp_path, ""), Settings({}, (), "functions/.env.shop")
    (tmp_path / "firestore.rules").unlink()
    (tmp_path / "firestore.indexes.json").write_text("{,}")
    with FakeGoogle() as google:
        findings = list(command._in_production(google.client, place, settings))
    of = {each.topic: each for each in findings}
    assert (of["rules"].level, of["rules"].mend) == ("fail", "python -m rollcall init")
    assert of["rules"].text == "there is no firestore.rules here to compare with"
    for topic in ("indexes", "expiry"):
        assert (of[topic].level, "indexes.json:1: this is no JSON" in of[topic].text) == (
            "fail",
            True,
        )
    assert "roles" in of


@pytest.mark.parametrize(
    ("file", "topics"),
    [("firestore.rules", ["rules"]), ("firestore.indexes.json", ["indexes", "expiry"])],
)
def test_a_file_of_firestore_that_is_not_utf_8_is_a_finding_with_the_byte(
    tmp_path: Path, file: str, topics: list[str]
) -> None:
    place, settings = shop(tmp_path, ""), Settings({}, (), "functions/.env.shop")
    (tmp_path / file).write_bytes("// כללים\n".encode("windows-1255"))
    with FakeGoogle() as google:
        release = "v1/projects/shop/releases/cloud.firestore"
        named = {"rulesetName": "projects/shop/rulesets/1", "updateTime": "2026-01-01"}
        google.answer("firebaserules", release, named)
        google.answer("firebaserules", "v1/projects/shop/rulesets/1", {"source": {"files": []}})
        findings = list(command._in_production(google.client, place, settings))
    of = {each.topic: each for each in findings}
    told = f"{tmp_path / file}:1: byte 3 of the file, 0xeb, is not UTF-8. Save the file as UTF-8."
    assert [(of[each].level, of[each].text) for each in topics] == [("fail", told)] * len(topics)


@pytest.mark.parametrize(
    ("main", "line"),
    [
        ("def run_agent(): ...", 1),
        ("try:\n    def run_agent(): ...\nfinally:\n    pass", 2),
        ("try:\n    import absent\nexcept ImportError:\n    def run_agent(): ...", 4),
    ],
)
def test_a_function_of_main_with_the_name_of_the_engines_is_a_wrong_definition(
    tmp_path: Path, main: str, line: int
) -> None:
    (found,) = command.examine(shop(tmp_path, main))
    assert (found.level, found.topic) == ("fail", "definitions")
    assert f"functions/main.py:{line} has a 'run_agent' of its own" in found.text
