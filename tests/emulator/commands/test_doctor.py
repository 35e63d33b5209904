"""`registry doctor` on the emulator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.commands.app import Place, find_app
from rollcall.commands.doctor import command
from rollcall.commands.doctor.findings import Finding
from rollcall.core.profile import AgentProfile
from rollcall.core.triggers import OnSchedule
from tests.support.catalogs import catalog
from tests.support.fake_google import FakeGoogle
from tests.support.registries import publish

from .conftest import Run


def levels(found: list[dict[str, str]], topic: str) -> list[str]:
    return [each["level"] for each in found if each["topic"] == topic]


def lacks_a_tool(agent: AgentProfile) -> bool:
    """Whether it names a tool of a pack that was deleted."""
    tools = {each for each in agent.tools if each.isidentifier()}
    return not tools <= {each.id for each in catalog.capabilities()}


@pytest.fixture
def published_registry(db: Client) -> None:
    """The registry as `sync` makes it of this codebase."""
    publish(db, catalog.capabilities(), catalog.agents().values())()


def test_a_project_without_a_registry_fails_with_the_command(run: Run, db: Client) -> None:
    done = run("registry", "doctor")
    assert done.code == 1
    assert "it was never compiled: agents have no tools" in done.out
    assert "-m rollcall sync --project" in done.out


def test_after_a_sync_nothing_fails(run: Run, db: Client) -> None:
    run("sync")
    done = run("registry", "doctor", "--json")
    found = done.json["findings"]
    assert (done.code, [each for each in found if each["level"] == "fail"]) == (0, [])
    assert levels(found, "registry") == ["ok", "ok"]
    agents = ["warn" if lacks_a_tool(each) else "ok" for each in catalog.agents().values()]
    assert levels(found, "agents") == [*agents, "warn"]


def test_an_agent_whose_tools_are_all_down_is_not_called_well(
    run: Run, db: Client, published_registry: None
) -> None:
    whole = [each for each in catalog.agents().values() if not lacks_a_tool(each)]
    agent = max(whole, key=lambda each: len(each.tools)).id
    tools = run("registry", "list", "--agent", agent, "--json").json
    health = {each["id"]: "down" for each in tools}
    db.document("registry/manifest").update({"health": health})
    found = run("registry", "doctor", "--json").json["findings"]
    told = [each["text"] for each in found if f"agents/{agent} " in each["text"]]
    names = ", ".join(sorted(health)[:4])
    text = f"agents/{agent} (active) has no tool at present, all are down: {names}"
    assert told == [f"{text} and {len(health) - 4} more"]
    texts = {each["text"] for each in found}
    others = {each.id for each in whole} - {agent}
    assert {f"agents/{other} (active) finds all its tools" for other in others} <= texts


def test_what_only_google_knows_is_skipped_on_the_emulator(
    run: Run, db: Client, published_registry: None
) -> None:
    found = run("registry", "doctor", "--json").json["findings"]
    skipped = {each["topic"] for each in found if each["level"] == "skip"}
    assert {"indexes", "expiry", "rules", "functions", "schedules", "secrets"} <= skipped


def test_refused_documents_and_stale_ones_are_told(run: Run, registry: Client) -> None:
    done = run("registry", "doctor")
    assert done.code == 1
    words = " ".join(done.out.split())
    assert "broken is refused: " in words
    assert "documents are not as this code declares them" in words
    assert "agents/desk (active) is a document alone" in words


def test_an_emulator_that_does_not_answer_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:9")
    monkeypatch.setattr("rollcall.commands.doctor.deployment._REACH_S", 1)
    done = run("registry", "doctor")
    assert (done.code, "No emulator answers at" in done.out) == (1, True)


@pytest.fixture
def google(db: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGoogle]:
    """Google as the doctor reaches it in production."""
    with FakeGoogle(db.project) as fake:
        monkeypatch.setattr(command, "sign_in", lambda project: fake.client)
        yield fake


def findings_by_topic(db: Client) -> dict[str, list[Finding]]:
    """What it finds in production, by topic; the documents are the emulator's all the same."""
    found: dict[str, list[Finding]] = {}
    for each in command.examine(Place(db.project, None, find_app())):
        found.setdefault(each.topic, []).append(each)
    return found


def test_in_production_an_empty_project_is_told_all_that_is_missing(
    run: Run, db: Client, published_registry: None, google: FakeGoogle
) -> None:
    empty: dict[str, dict[str, Any]] = {
        f"cloudfunctions/v2/projects/{db.project}/locations/-/functions": {},
        f"cloudscheduler/v1/projects/{db.project}/locations/us-central1/jobs": {},
        f"identitytoolkit/v1/projects/{db.project}/accounts:batchGet": {},
    }
    for group in ("indexes", "fields"):
        path = f"v1/projects/{db.project}/databases/(default)/collectionGroups/-/{group}"
        empty[f"firestore/{path}"] = {}
    for path, answer in empty.items():
        google.answer(*path.split("/", 1), answer)
    found = findings_by_topic(db)
    assert {each.level for each in found["indexes"]} == {"fail"}
    assert {each.level for each in found["expiry"]} == {"fail"}
    assert [each.text for each in found["rules"]] == ["none were ever deployed"]
    assert found["functions"][0].level == "fail"
    assert len(found["schedules"]) == len(
        [each for each in catalog.function_triggers().values() if isinstance(each, OnSchedule)]
    )
    assert found["roles"][0].level == found["models"][0].level == "warn"


def test_in_production_what_may_not_be_looked_at_is_a_warning_each(
    run: Run, db: Client, published_registry: None, google: FakeGoogle
) -> None:
    google.refuse_all(403, "Permission denied on resource project.")
    found = findings_by_topic(db)
    for topic in ("indexes", "expiry", "rules", "functions", "schedules", "roles"):
        (finding,) = found[topic]
        assert (finding.level, "role" in finding.mend) == ("warn", True), topic


def test_the_auth_emulators_accounts_are_looked_at_where_it_runs(
    run: Run,
    db: Client,
    published_registry: None,
    google: FakeGoogle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = f"v1/projects/{db.project}/accounts:batchGet"
    admin = {"localId": "ann", "customAttributes": '{"role": "admin"}'}
    google.answer("identitytoolkit.googleapis.com", path, {"users": [admin]})
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", google.address)
    found = run("registry", "doctor", "--json").json["findings"]
    assert levels(found, "roles") == ["ok"]
