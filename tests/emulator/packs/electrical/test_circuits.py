"""Circuits added, changed and removed: by a user's call, by an approval, and by two users at
once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition as Moved
from google.cloud.firestore import Client

from packs.electrical.circuit_removals import remove_circuit
from packs.electrical.circuit_updates import update_circuit
from packs.electrical.circuits import add_circuit
from packs.electrical.projects.access import open_project
from packs.electrical.projects.documents import write_project
from packs.electrical.projects.records import Circuit
from packs.electrical.projects.selection import find_circuit
from rollcall.agent import run_setup
from rollcall.agent.direct_call import direct_call
from rollcall.core.capability import Capability
from rollcall.core.context import Call, ToolContext, User
from rollcall.core.errors import (
    AgentError,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.profile import AgentProfile
from rollcall.endpoints.run_agent import run_agent
from rollcall.models.base import load_model
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from rollcall.testing import calls
from tests.support.catalogs import catalog
from tests.support.local_functions import LocalPlatform
from tests.support.office import Script

from .writes import preview, undo

AtWork = Callable[..., ToolContext]
WRITES = (add_circuit, update_circuit, remove_circuit)
HEATER = {"panelName": "Garage Subpanel", "description": "Shelf heater", "loadWatts": 1500}

pytestmark = pytest.mark.usefixtures("sample_projects")


def call(ctx: ToolContext, capability: Any, **given: Any) -> dict[str, Any]:
    """Call with wire names and commit, as the platform does."""
    result: dict[str, Any] = Capability.of(capability).call(ctx, given)
    ctx.batch.commit()
    return result


def circuits(ctx: ToolContext, panel: str, project: str = "house") -> dict[int, Circuit]:
    found = open_project(ctx, project).project.panel(panel)
    assert found is not None
    return {each.circuit_number: each for each in found.circuits}


def named(ctx: ToolContext, name: str, project: str = "house") -> Circuit:
    opened = open_project(ctx, project)
    return find_circuit(opened.project, circuit_description=name).circuit


def garage(ctx: ToolContext) -> dict[int, Circuit]:
    return circuits(ctx, "garage")


# ---- Adding ----


def test_what_is_left_out_is_proposed_shown_and_written_as_it_was_shown(at_work: AtWork) -> None:
    shown = preview(at_work(project="house"), add_circuit, **HEATER)
    assert shown.display.type == "confirmation"
    assert "Shelf heater" in shown.display.text
    assert "Garage Subpanel" in shown.display.text
    values = {row["Detail"]: row["Value"] for row in shown.display.rows}
    arguments = shown.arguments
    assert values["Circuit number"].strip("\u2068\u2069") == str(arguments["circuitNumber"])
    assert str(arguments["breakerAmps"]) in values["Breaker"]
    assert arguments["conductorSize"] in values["Conductor"]
    assert values["Project"].strip("\u2068\u2069") == "Maple Street house"
    places = {"projectId", "panelId", "panelName", "circuitId", "asBuilt"}
    assert len(values) == len(arguments.keys() - places) + 1  # a row for each, and the project
    assert set(shown.shows) == set(arguments)
    before = garage(at_work())
    done = call(at_work(project="house", writes=True), add_circuit, **arguments)
    after = garage(at_work())
    added = after[arguments["circuitNumber"]]
    assert added.id == arguments["circuitId"] == done["circuitId"]
    assert {key: each for key, each in after.items() if each.id != added.id} == before
    assert added.breaker_amps == arguments["breakerAmps"]
    assert added.conductor_size == arguments["conductorSize"]
    assert done["done"].startswith("Added ")


def test_the_arguments_that_are_approved_are_all_of_them(at_work: AtWork) -> None:
    given = preview(at_work(project="house"), add_circuit, **HEATER).arguments
    frozen = Capability.of(add_circuit).frozen(given)
    again = preview(at_work(), add_circuit, **given).arguments
    assert Capability.of(add_circuit).frozen(again) == frozen
    line = Capability.of(add_circuit).summarize(frozen, "en")
    assert "Shelf heater" in line
    assert f"circuit {given['circuitNumber']}" in line
    assert "להוסיף" in Capability.of(add_circuit).summarize(frozen, "he")


def test_an_addition_is_taken_back(at_work: AtWork) -> None:
    before = garage(at_work())
    given = {**HEATER, "projectId": "house"}
    done = call(at_work(writes=True), add_circuit, **given)
    assert len(garage(at_work())) == len(before) + 1
    undo(at_work(writes=True), add_circuit, remove_circuit, given, done)
    assert garage(at_work()) == before


@pytest.mark.parametrize(
    ("given", "error", "field"),
    [
        ({"panelName": "Panel Z"}, NotFound, "panelName"),
        ({"loadWatts": 0}, InvalidArgument, "loadWatts"),
        ({"loadType": "subpanel"}, InvalidArgument, "loadType"),
        ({"loadWatts": 60_000}, FailedPrecondition, "loadWatts"),
        ({"circuitNumber": 1}, FailedPrecondition, "circuitNumber"),
        ({"loadWatts": 7_200, "breakerAmps": 15}, FailedPrecondition, "breakerAmps"),
        ({"breakerAmps": 17}, InvalidArgument, "breakerAmps"),
        ({"loadWatts": 7_200, "conductorSize": "14"}, FailedPrecondition, "conductorSize"),
        ({"voltage": 480}, InvalidArgument, "voltage"),
        ({"lengthFt": 10, "lengthM": 3}, InvalidArgument, "lengthM"),
        ({"lengthM": 0.001}, InvalidArgument, "lengthM"),
        ({"description": "  "}, InvalidArgument, "description"),
    ],
)
def test_what_cannot_be_added_is_refused_before_anybody_is_asked(
    at_work: AtWork, given: dict[str, Any], error: type[AgentError], field: str
) -> None:
    with pytest.raises(error) as caught:
        preview(at_work(project="house"), add_circuit, **{**HEATER, **given})
    assert caught.value.field == field
    with pytest.raises(error):
        call(at_work(project="house", writes=True), add_circuit, **{**HEATER, **given})


def test_the_panel_is_asked_for_where_there_are_several(at_work: AtWork) -> None:
    with pytest.raises(InvalidArgument, match="which panel"):
        preview(at_work(project="house"), add_circuit, description="x", loadWatts=100)


def test_what_is_there_already_is_recorded_as_it_is_with_warnings(at_work: AtWork) -> None:
    given = {**HEATER, "loadWatts": 7_200, "breakerAmps": 15, "conductorSize": "14"}
    done = call(at_work(project="house", writes=True), add_circuit, **given, asBuilt=True)
    assert garage(at_work())[done["circuitNumber"]].conductor_size == "14"
    assert any("too small" in warning for warning in done["warnings"])


@pytest.mark.parametrize("capability", WRITES)
def test_a_viewer_or_a_stranger_changes_nothing(at_work: AtWork, capability: Any) -> None:
    given = HEATER if capability is add_circuit else {"circuitDescription": "EV charger"}
    if capability is update_circuit:
        given = {**given, "breakerAmps": 60}
    for uid in ("dan", "rina"):
        for attempt in (preview, call):
            with pytest.raises(PermissionDenied):
                attempt(at_work(uid, project="house", writes=True), capability, **given)


def test_an_id_is_used_once(at_work: AtWork) -> None:
    used = next(iter(garage(at_work()).values())).id
    with pytest.raises(AlreadyExists):
        preview(at_work(project="house"), add_circuit, **HEATER, circuitId=used)


def test_hebrew_is_asked_and_told_in_hebrew(at_work: AtWork) -> None:
    given = {"panelName": "לוח דירה", "description": "מייבש כביסה", "loadWatts": 2000}
    shown = preview(at_work(project="dira", locale="he"), add_circuit, **given).display
    done = call(at_work(project="dira", locale="he", writes=True), add_circuit, **given)
    assert shown.title == "להוסיף מעגל חדש?"
    assert {"פרט", "ערך"} == set(shown.columns)
    assert "נוסף" in done["done"]


# ---- What is approved is what is written ----


def test_a_panel_that_still_takes_what_was_approved_gets_exactly_that(at_work: AtWork) -> None:
    approved = preview(at_work(project="house"), add_circuit, **HEATER).arguments
    call(at_work(project="house", writes=True), add_circuit, **HEATER, circuitNumber=20)
    done = call(at_work(writes=True), add_circuit, **approved)
    assert done["circuitNumber"] == approved["circuitNumber"]
    assert len({each.id for each in garage(at_work()).values()}) == len(garage(at_work()))


def test_a_position_that_was_taken_meanwhile_is_refused_and_says_by_what(at_work: AtWork) -> None:
    approved = preview(at_work(project="house"), add_circuit, **HEATER).arguments
    call(at_work(project="house", writes=True), add_circuit, **{**HEATER, "description": "Fan"})
    with pytest.raises(FailedPrecondition, match=r"taken by circuit \d+ \(Fan\)"):
        call(at_work(writes=True), add_circuit, **approved)


def test_capacity_that_was_used_up_meanwhile_is_refused(at_work: AtWork) -> None:
    big = {**HEATER, "loadWatts": 3_000, "description": "First"}
    approved = preview(at_work(project="house"), add_circuit, **HEATER).arguments
    while True:  # others fill the panel
        try:
            call(at_work(project="house", writes=True), add_circuit, **big)
        except FailedPrecondition as refused:
            assert "would carry" in refused.message or "no room" in refused.message
            break
    held = garage(at_work())
    with pytest.raises(FailedPrecondition):
        call(at_work(writes=True), add_circuit, **approved)
    assert garage(at_work()) == held


def test_of_two_who_read_the_panel_at_once_one_writes(at_work: AtWork) -> None:
    first, second = at_work(project="house", writes=True), at_work("demo", writes=True)
    Capability.of(add_circuit).call(first, HEATER)
    Capability.of(add_circuit).call(second, {**HEATER, "projectId": "house", "description": "B"})
    first.batch.commit()
    with pytest.raises(Moved):
        second.batch.commit()
    assert "B" not in {each.description for each in garage(at_work()).values()}


def test_of_two_additions_to_two_panels_of_a_project_at_once_one_writes_and_the_other_can_again(
    at_work: AtWork,
) -> None:
    other = {**HEATER, "panelName": "Main Panel", "description": "B"}
    first, second = at_work(project="house", writes=True), at_work(project="house", writes=True)
    Capability.of(add_circuit).call(first, HEATER)
    Capability.of(add_circuit).call(second, other)  # both would hang on the main panel
    first.batch.commit()
    with pytest.raises(Moved):
        second.batch.commit()
    assert "B" not in {each.description for each in circuits(at_work(), "main").values()}
    call(at_work(project="house", writes=True), add_circuit, **other)
    assert "B" in {each.description for each in circuits(at_work(), "main").values()}


def test_a_circuit_that_gets_a_motor_meanwhile_is_not_removed(at_work: AtWork, db: Client) -> None:
    opened = open_project(at_work(), "workshop")
    motor = opened.project.motors[0]
    free = next(
        each for each in circuits(at_work(), motor.panel_id, "workshop").values() if each.poles == 1
    )
    removing = at_work(project="workshop", writes=True)
    Capability.of(remove_circuit).call(removing, {"circuitId": free.id})
    moved = motor.model_copy(update={"id": "new", "circuit_number": free.circuit_number})
    motors = (*opened.project.motors, moved)
    write_project(db, opened.project.model_copy(update={"motors": motors}), {"demo": "owner"})
    with pytest.raises(Moved):
        removing.batch.commit()
    assert free.circuit_number in circuits(at_work(), motor.panel_id, "workshop")


def test_two_direct_calls_at_once_never_share_a_position(at_work: AtWork, db: Client) -> None:
    sync(db, [Capability.of(each) for each in WRITES], [])
    snapshot.forget()
    handle = direct_call(Capability.of(add_circuit))
    ready, outcomes = threading.Barrier(4), []

    def one(number: int) -> None:
        arguments = {**HEATER, "projectId": "workshop", "panelName": "Main Panel",
                     "description": f"Racer {number}"}  # fmt: skip
        uid = "demo" if number % 2 else "dan"
        ready.wait()
        try:
            done = handle(LocalPlatform(db), Call(User(uid), {"arguments": arguments}))
            outcomes.append(done["circuitNumber"])
        except AgentError as error:
            outcomes.append(error.code)

    racers = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for each in racers:
        each.start()
    for each in racers:
        each.join()
    stored = circuits(at_work(), "mp", "workshop").values()
    written = [each for each in stored if each.description.startswith("Racer")]
    positions = [position for each in stored for position in each.positions]
    assert len(positions) == len(set(positions))
    assert len(outcomes) == 4
    assert len(written) == sum(isinstance(each, int) for each in outcomes) >= 1
    assert {each for each in outcomes if isinstance(each, str)} <= {
        "aborted", "failed-precondition"
    }  # fmt: skip


# ---- Changing ----


def test_only_what_is_given_changes_and_it_is_taken_back(at_work: AtWork) -> None:
    before = named(at_work(), "EV charger")
    given = {"circuitDescription": "EV charger", "projectId": "house", "lengthM": 30.48,
             "area": "garage"}  # fmt: skip
    shown = preview(at_work(), update_circuit, **given)
    assert [row["Detail"] for row in shown.display.rows] == [
        name for name, is_new in (("Area", before.area != "garage"), ("Length", True)) if is_new
    ]
    assert "Project: \u2068Maple Street house\u2069" in shown.display.text
    assert set(shown.shows) == set(shown.arguments)
    done = call(at_work(writes=True), update_circuit, **shown.arguments)
    after = named(at_work(), "EV charger")
    assert after.length_ft == 100
    assert after.model_copy(update={"length_ft": before.length_ft, "area": before.area}) == before
    assert done["before"].get("lengthFt") == before.length_ft
    undo(at_work(writes=True), update_circuit, update_circuit, shown.arguments, done)
    assert named(at_work(), "EV charger") == before


def test_what_was_not_known_is_not_known_again_after_taking_back(at_work: AtWork) -> None:
    made = call(at_work(project="house", writes=True), add_circuit, **HEATER)
    given = {"projectId": "house", "circuitId": made["circuitId"], "lengthFt": 50,
             "powerFactor": 0.95, "newCircuitNumber": 20, "description": "Heater"}  # fmt: skip
    done = call(at_work(writes=True), update_circuit, **given)
    assert garage(at_work())[20].power_factor == 0.95
    undo(at_work(writes=True), update_circuit, update_circuit, given, done)
    back = garage(at_work())[made["circuitNumber"]]
    assert back == Circuit.model_validate(made["circuit"])
    assert back.length_ft is None


def test_a_change_that_breaks_a_rule_is_shown_with_it(at_work: AtWork) -> None:
    shown = preview(at_work(project="house"), update_circuit, circuitDescription="EV charger",
                    conductorSize="12")  # fmt: skip
    assert "240.4" in shown.display.text or "110.14(C)" in shown.display.text


@pytest.mark.parametrize(
    ("given", "error", "field"),
    [
        ({}, InvalidArgument, "description"),
        ({"breakerAmps": 17}, InvalidArgument, "breakerAmps"),
        ({"newCircuitNumber": 1}, FailedPrecondition, "circuitNumber"),
        ({"loadWatts": 80_000}, FailedPrecondition, "loadWatts"),
        ({"lengthFt": 5, "clear": ["length_ft"]}, InvalidArgument, "clear"),
        ({"lengthFt": 0.001}, InvalidArgument, "lengthFt"),
    ],
)
def test_what_cannot_be_changed_is_refused_by_name(
    at_work: AtWork, given: dict[str, Any], error: type[AgentError], field: str
) -> None:
    made = {"projectId": "house", "panelName": "Main Panel", "circuitDescription": "Dishwasher"}
    with pytest.raises(error) as caught:
        preview(at_work(), update_circuit, **made, **given)
    assert caught.value.field == field


def test_a_change_of_a_circuit_that_changed_since_is_refused_with_what_changed(
    at_work: AtWork,
) -> None:
    which = {"projectId": "house", "circuitDescription": "EV charger"}
    approved = preview(at_work(), update_circuit, **which, lengthFt=90).arguments
    removal = preview(at_work(), remove_circuit, **which).arguments
    call(at_work(writes=True), update_circuit, **which, description="EV charger, left")
    for capability, given in ((update_circuit, approved), (remove_circuit, removal)):
        with pytest.raises(FailedPrecondition, match="description EV charger"):
            call(at_work(writes=True), capability, **given)


# ---- Removing ----


def test_a_removal_shows_all_of_the_circuit_and_is_taken_back_whole(at_work: AtWork) -> None:
    before = circuits(at_work(), "main")
    gone = named(at_work(), "Range")
    given = {"projectId": "house", "circuitDescription": "Range"}
    shown = preview(at_work(), remove_circuit, **given)
    assert len(shown.display.rows) == len(gone.dump())  # the project in place of the id
    assert set(shown.shows) == set(shown.arguments)
    done = call(at_work(writes=True), remove_circuit, **shown.arguments)
    assert gone.circuit_number not in circuits(at_work(), "main")
    undo(at_work(writes=True), remove_circuit, add_circuit, shown.arguments, done)
    assert circuits(at_work(), "main") == before


@pytest.mark.parametrize("project", ["house", "office", "workshop", "dira"])
def test_every_circuit_that_may_go_comes_back_as_it_was(at_work: AtWork, project: str) -> None:
    owner = "maya" if project == "office" else "demo"
    opened = open_project(at_work(owner), project)
    for panel in opened.project.panels:
        circuit = panel.circuits[-1]
        given = {"projectId": project, "panelName": panel.name, "circuitId": circuit.id}
        try:
            done = call(at_work(owner, writes=True), remove_circuit, **given)
        except FailedPrecondition as refused:
            assert "motor" in refused.message or "feeder" in refused.message
            continue
        undo(at_work(owner, writes=True), remove_circuit, add_circuit, given, done)
    assert open_project(at_work(owner), project).project == opened.project


@pytest.mark.parametrize(
    ("project", "circuit", "why"),
    [("workshop", "Dust collector", "motor"), ("house", "Garage subpanel", "feeder")],
)
def test_a_circuit_that_a_motor_or_feeder_refers_to_stays(
    at_work: AtWork, project: str, circuit: str, why: str
) -> None:
    given = {"projectId": project, "circuitDescription": circuit}
    with pytest.raises(FailedPrecondition, match=why):
        preview(at_work(), remove_circuit, **given)


def test_a_circuit_with_a_motor_is_not_moved(at_work: AtWork) -> None:
    given = {"projectId": "workshop", "circuitDescription": "Dust collector"}
    with pytest.raises(FailedPrecondition, match="motor"):
        preview(at_work(), update_circuit, **given, newCircuitNumber=37)


# ---- By an agent, with a person's yes ----


@pytest.fixture
def agent(db: Client, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Calls `run_agent` of an agent with these tools; its model makes the calls it is given."""
    model = Script()
    known = {each.__name__: Capability.of(each) for each in WRITES}
    profile = AgentProfile(
        id="electrical", name={"en": "E", "he": "ח"}, instructions="Do.", tools=tuple(known),
        models=(model.id,), allow_unpriced=True,
    )  # fmt: skip
    monkeypatch.setattr(catalog, "agents", lambda: {profile.id: profile})
    monkeypatch.setattr(
        run_setup, "load_model", lambda id: model if id == model.id else load_model(id)
    )
    sync(db, list(known.values()), [profile])
    snapshot.forget()

    def ask(data: dict[str, Any], *replies: Any, uid: str = "demo") -> dict[str, Any]:
        model.replies = list(replies)
        steps = run_agent(LocalPlatform(db), Call(User(uid), {"agent": "electrical", **data}))
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: dict[str, Any] = end.value
                return result

    return ask


def yes(result: dict[str, Any], **more: Any) -> dict[str, Any]:
    (interrupt,) = result["outcome"]["interrupts"]
    payload = {"approved": True, **more}
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}
    return {"threadId": result["threadId"], "resume": [entry]}


IN_HOUSE = {"context": {"projectId": "house"}}


def test_an_agents_addition_waits_for_a_yes_and_is_written_once(
    at_work: AtWork, agent: Callable[..., dict[str, Any]]
) -> None:
    before = garage(at_work())
    asked = agent({"message": "Please add it", **IN_HOUSE}, calls(("add_circuit", HEATER)))
    (interrupt,) = asked["outcome"]["interrupts"]
    assert garage(at_work()) == before
    shown = interrupt["metadata"]["arguments"]
    assert {"circuitNumber", "breakerAmps", "conductorSize", "pole", "circuitId"} <= shown.keys()
    done = agent(yes(asked))
    (made,) = done["toolCalls"]
    assert made["status"] == "done"
    after = garage(at_work())
    assert after[shown["circuitNumber"]].id == shown["circuitId"]
    assert len(after) == len(before) + 1
    assert made["undo"]["tool"] == "remove_circuit"
    back = agent(
        {"message": "Take it back", **IN_HOUSE},
        calls(("remove_circuit", made["undo"]["arguments"])),
    )
    agent(yes(back))
    assert garage(at_work()) == before


def test_of_two_approved_additions_to_one_place_one_is_written(
    at_work: AtWork, agent: Callable[..., dict[str, Any]]
) -> None:
    where = {"context": {"projectId": "workshop"}}
    heater = {**HEATER, "panelName": "Main Panel"}
    one = agent({"message": "Add", **where}, calls(("add_circuit", heater)))
    two = agent({"message": "Add", **where}, calls(("add_circuit", heater)), uid="dan")
    first, second = agent(yes(one)), agent(yes(two), uid="dan")
    assert [each["toolCalls"][0]["status"] for each in (first, second)] == ["done", "failed"]
    stored = circuits(at_work(), "mp", "workshop").values()
    assert sum(each.description == "Shelf heater" for each in stored) == 1


def test_changed_arguments_are_completed_and_asked_about_anew(
    at_work: AtWork, agent: Callable[..., dict[str, Any]]
) -> None:
    asked = agent({"message": "Please add it", **IN_HOUSE}, calls(("add_circuit", HEATER)))
    edited = {**HEATER, "projectId": "house", "loadWatts": 4_800}
    done = agent(yes(asked, editedArguments=edited))
    (made,) = done["toolCalls"]
    assert made["status"] == "done"
    assert made["arguments"]["pole"] == "2"
    assert garage(at_work())[made["arguments"]["circuitNumber"]].load_watts == 4_800


def test_an_edit_that_names_no_project_is_meant_for_the_one_it_was_asked_in(
    at_work: AtWork, agent: Callable[..., dict[str, Any]]
) -> None:
    asked = agent({"message": "Please add it", **IN_HOUSE}, calls(("add_circuit", HEATER)))
    answer = {**yes(asked, editedArguments=HEATER), "context": {"projectId": "workshop"}}
    (made,) = agent(answer)["toolCalls"]
    assert (made["status"], made["arguments"]["projectId"]) == ("done", "house")


def test_an_agents_removal_and_change_wait_for_a_yes(
    at_work: AtWork, agent: Callable[..., dict[str, Any]]
) -> None:
    change = {"circuitDescription": "EV charger", "lengthFt": 77}
    asked = agent({"message": "Change it", **IN_HOUSE}, calls(("update_circuit", change)))
    assert named(at_work(), "EV charger").length_ft != 77
    (made,) = agent(yes(asked))["toolCalls"]
    assert (made["status"], named(at_work(), "EV charger").length_ft) == ("done", 77)
    gone = {"circuitDescription": "Dishwasher"}
    asked = agent({"message": "Remove it", **IN_HOUSE}, calls(("remove_circuit", gone)))
    assert named(at_work(), "Dishwasher")
    (made,) = agent(yes(asked))["toolCalls"]
    assert made["status"] == "done"
    with pytest.raises(NotFound):
        named(at_work(), "Dishwasher")
