"""`registry search` on the emulator: the tools that a run would be offered."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from rollcall.core.profile import AgentProfile
from rollcall.registry import selection, snapshot
from rollcall.registry.compiler import compile_registry
from rollcall.registry.selection import FLOOR

from .conftest import Run

DESK = AgentProfile(
    id="desk", name={"en": "Desk"}, instructions="", tools=("find_room", "category:money")
)


@pytest.fixture(autouse=True)
def desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent of this codebase, whose document the registry has; chosen from as if from many."""
    monkeypatch.setattr("rollcall.catalog.Catalog.agents", lambda self: {"desk": DESK})
    monkeypatch.setattr(selection, "FEW", 0)


def test_search_offers_what_fits_and_says_how_well(run: Run, registry: Client) -> None:
    found = run("registry", "search", "is a meeting room free?", "--json").json
    assert found["offered"] == ["find_room"]
    assert found["passed"] is True
    first = found["matches"][0]
    assert (first["id"], first["why"]) == ("find_room", "fits")
    assert first["fit"] > FLOOR == found["floor"]


def test_search_finds_hebrew(run: Run, registry: Client) -> None:
    out = run("registry", "search", "יש חדר לישיבה?").out
    assert "find_room" in out
    assert "מציאת חדר" in out


def test_search_tells_what_authorisation_left_out(run: Run, registry: Client) -> None:
    found = run("registry", "search", "pay the invoice", "--agent", "desk", "--json").json
    assert "pay_invoice" not in found["offered"]
    assert [(each["id"], each["why"]) for each in found["withheld"]] == [
        ("pay_invoice", "for the role admin and above")
    ]
    assert found["leftOut"] == {"for the role admin and above": 1}
    out = run("registry", "search", "pay the invoice", "--agent", "desk").out
    assert "no: for the role admin and above" in out
    admin = run("registry", "search", "pay the invoice", "--role", "admin", "--json").json
    assert admin["offered"] == ["pay_invoice"]


def test_search_leaves_out_other_tenants_what_is_disabled_and_what_is_down(
    run: Run, registry: Client
) -> None:
    registry.document("capabilities/pay_invoice").update({"overrides": {"status": "disabled"}})
    registry.document("capabilities/find_room").update({"overrides": {"tenants": ["acme"]}})
    compile_registry(registry)
    out = run("registry", "search", "a room", "--role", "admin").out
    assert "1 for other tenants" in out
    assert "1 disabled" in out
    registry.document("registry/manifest").update({"health": {"find_room": "down"}})
    snapshot.forget()
    found = run("registry", "search", "a room", "--tenant", "acme", "--json").json
    assert (found["offered"], found["leftOut"]["down"]) == ([], 1)


def test_search_says_that_small_talk_gets_no_tools(run: Run, registry: Client) -> None:
    out = run("registry", "search", "thank you!").out
    assert f"0 tools offered: small talk, best fit 0.00, floor {FLOOR:.2f}" in out


def test_search_says_when_the_floor_is_not_passed(run: Run, registry: Client) -> None:
    out = run("registry", "search", "which frogs sleep in winter?").out
    assert f"0 tools and find_tools offered: best fit 0.00, floor {FLOOR:.2f}" in out


def test_search_says_that_few_tools_are_all_offered(
    run: Run, registry: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "FEW", 12)
    out = run("registry", "search", "which frogs sleep in winter?").out
    assert "1 tool offered: best fit 0.00" in out
    assert "one of few" in out


def test_search_of_an_agent_there_is_not_names_those_there_are(run: Run, registry: Client) -> None:
    done = run("registry", "search", "a room", "--agent", "nobody")
    assert (done.code, "it has: desk" in done.err) == (1, True)
