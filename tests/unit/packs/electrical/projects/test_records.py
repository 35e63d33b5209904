"""Invalid projects are refused in words, with the place of the error."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import pytest

from packs.electrical.projects.records import Panel, PanelCircuit, Project
from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import validate
from seed.electrical.sample import projects
from tests.support.for_every import for_every

SAMPLES = {sample.project.id: sample.project.dump() for sample in projects()}


def changed(path: str, value: Any, *, of: str = "house") -> dict[str, Any]:
    """A sample project with one value set: `panels.0.circuits.1.poles`."""
    data = deepcopy(SAMPLES[of])
    *holders, last = path.split(".")
    place: Any = data
    for part in holders:
        place = place[int(part)] if isinstance(place, list) else place[part]
    place[int(last) if isinstance(place, list) else last] = value
    return data


def validation_error(data: dict[str, Any]) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as caught:
        validate(Project, data, field="project")
    return caught.value


@pytest.mark.parametrize("id", SAMPLES)
def test_a_project_is_the_same_after_its_json(id: str) -> None:
    text = json.dumps(SAMPLES[id])
    assert validate(Project, json.loads(text)).dump() == SAMPLES[id]


@for_every(
    ("path", "value", "reason"),
    [
        ("panels.1.circuits.0.breakerAmps", "60", "valid integer (not '60')"),
        ("panels.1.circuits.0.breakerAmps", 0, "greater than or equal to 1 (not 0)"),
        ("panels.0.circuits.3.conductorSize", "13", "'13' is no conductor size; known: AWG 18"),
        ("panels.0.circuits.3.conductorMaterial", "gold", "known: copper (Cu), aluminum (Al)"),
        ("panels.0.circuits.3.loadType", "toaster", "'lighting', 'receptacle'"),
        ("panels.0.circuits.3.powerFactor", 1.2, "less than or equal to 1 (not 1.2)"),
        ("panels.0.circuits.3.poles", 4, "1, 2 or 3"),
        ("panels.0.phases", 2, "1 or 3"),
        ("panels.0.busRating", -5, "greater than 0"),
        ("panels.0.name", "", "at least 1 character"),
        ("panels.0.id", "a/b", "match pattern"),
        ("panels.0.circuits.0.loadWatts", None, "valid number"),
        ("service.serviceVoltage", 12, "greater than or equal to 100"),
        ("feeders.0.conductorSize", "0 mm2", "is the area of no AWG or kcmil size"),
        ("feeders.0.lengthFt", 20_000, "less than or equal to 10000"),
        ("building.occupancy", "castle", "'dwelling'"),
        ("edition", 2014, "2017, 2020, 2023 or 2026"),
        ("grounding.electrodes.0.kind", "tree", "'water_pipe'"),
    ],
)
def test_a_wrong_value_is_named_by_its_path(path: str, value: Any, reason: str) -> None:
    error = validation_error(changed(path, value))
    assert error.field == f"project.{path}"
    assert error.message.startswith(f"project.{path}") and reason in error.message
    assert re.search("[א-ת]", error.say("he"))


@pytest.mark.parametrize(
    ("path", "field"),
    [("panels.0.colour", "project.panels.0.colour"), ("service.amps", "project.service.amps")],
)
def test_a_field_that_is_not_known_is_named(path: str, field: str) -> None:
    error = validation_error(changed(path, 1))
    assert (error.field, error.message) == (field, f"{field} is not known here; leave it out")
    assert re.search("[א-ת]", error.say("he"))


def test_a_missing_field_is_named() -> None:
    data = deepcopy(SAMPLES["house"])
    del data["panels"][1]["busRating"]
    assert validation_error(data).message == "project.panels.1.busRating is missing"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (
            "panels.0.circuits.1.circuitNumber",
            3,
            "circuits 1 and 3 of Main Panel both take position 3",
        ),
        ("panels.0.circuits.0.poles", 3, "has 3 poles; a panel of 1 phase takes at most 2"),
        ("panels.0.spaces", 30, "takes position 31; the panel has 30"),
        ("panels.0.circuits.1.id", "main-1", "2 circuits of Main Panel have the id 'main-1'"),
    ],
)
def test_circuits_that_do_not_fit_a_panel_are_told_apart(
    path: str, value: Any, reason: str
) -> None:
    error = validation_error(changed(path, value))
    assert error.field == "project.panels.0"
    assert reason in error.message


@for_every(
    ("of", "path", "value", "reason"),
    [
        ("house", "panels.1.id", "main", "2 panels or transformers have the id 'main'"),
        ("house", "panels.1.name", "MAIN PANEL", "two panels are called"),
        ("house", "panels.1.name", "Main", "is called 'Main', which is another panel's id"),
        ("house", "service.panelId", "attic", "the service names the panel 'attic'"),
        ("house", "feeders.0.targetId", "attic", "'Garage feeder' names 'attic'"),
        ("office", "feeders.5.targetId", "lp1", "2 feeders run to 'lp1', which can have one"),
        ("office", "feeders.0.sourceId", "dp1", "the feeders lead from 't1' back to itself"),
        ("office", "motors.0.panelId", "attic", "'Elevator motor' names the panel 'attic'"),
        ("office", "motors.0.circuitNumber", 29, "names circuit 29 of MDP, which is not there"),
        ("office", "transformers.0.id", "lp1", "2 panels or transformers have the id 'lp1'"),
        ("workshop", "motors.1.id", "dust", "2 motors have the id 'dust'"),
        ("workshop", "feeders.1.id", "mp-sp", "2 feeders have the id 'mp-sp'"),
    ],
)
def test_parts_that_do_not_hang_together_are_named(
    of: str, path: str, value: Any, reason: str
) -> None:
    error = validation_error(changed(path, value, of=of))
    assert error.field == "project"
    assert reason in error.message
    assert re.search("[א-ת]", error.say("he"))


def test_five_things_that_are_wrong_are_told_at_once_and_no_more() -> None:
    data = deepcopy(SAMPLES["workshop"])
    for motor in data["motors"]:
        motor["panelId"] = "attic"
    assert validation_error(data).message.count("attic") == 5


def test_horsepower_is_read_as_people_write_it_and_kept_as_in_the_tables() -> None:
    for written in ("7.5", "7 1/2", "7-1/2 hp", "7½"):
        project = validate(Project, changed("motors.0.hp", written, of="workshop"))
        assert project.motors[0].hp == "7-1/2"
    error = validation_error(changed("motors.0.hp", "strong", of="workshop"))
    assert "'strong' is no horsepower; write it as 7.5 or 7-1/2" in error.message


def test_sizes_and_materials_are_read_as_people_write_them() -> None:
    data = changed("panels.0.circuits.0.conductorSize", "#6 AWG")
    data["panels"][0]["circuits"][0] |= {"conductorMaterial": "Cu", "conduitType": "NM Cable"}
    circuit = validate(Project, data).panels[0].circuits[0]
    read = (circuit.conductor_size, circuit.conductor_material, circuit.conduit_type)
    assert read == ("6", "copper", "nm_cable")


def test_a_circuit_takes_every_second_position_and_no_voltage_is_none_to_neutral() -> None:
    dp1: Panel | None = Project.model_validate(SAMPLES["office"]).panel("dp1")
    assert dp1 is not None
    assert dp1.circuits[1].positions == (2, 4, 6)
    assert dp1.line_to_neutral == pytest.approx(120.1, abs=0.1)
    house = Project.model_validate(SAMPLES["house"]).panels[0]
    assert house.line_to_neutral == 120


@pytest.mark.parametrize(
    ("voltage", "phases", "high_leg", "volts"),
    [
        (208, 3, False, 120.1),
        (480, 3, False, 277.1),
        (240, 1, False, 120),
        (208, 1, False, 120.1),  # two lines of a wye
        (240, 3, True, 120),
    ],
)
def test_the_voltage_to_neutral_is_that_of_the_system(
    voltage: float, phases: int, high_leg: bool, volts: float
) -> None:
    data = {"id": "p", "name": "P", "busRating": 100, "spaces": 42}
    panel = Panel.model_validate(
        {**data, "voltage": voltage, "phases": phases, "highLeg": high_leg}
    )
    assert panel.line_to_neutral == pytest.approx(volts, abs=0.05)


def test_a_panel_of_two_wires_has_all_of_its_voltage_to_neutral() -> None:
    data = {"id": "p", "name": "P", "busRating": 63, "spaces": 12, "voltage": 230, "phases": 1}
    assert Panel.model_validate({**data, "wires": 2}).line_to_neutral == 230
    assert Panel.model_validate({**data, "wires": 3}).line_to_neutral == 115


@pytest.mark.parametrize("panels", [100, 101])
def test_a_project_has_at_most_a_hundred_panels(panels: int) -> None:
    one = {"voltage": 208, "phases": 3, "busRating": 100, "spaces": 42}
    data = deepcopy(SAMPLES["office"]) | {"feeders": [], "motors": [], "transformers": []}
    data["service"].pop("panelId")
    data["panels"] = [{"id": f"p{n}", "name": f"P{n}", **one} for n in range(panels)]
    if panels == 100:
        assert len(validate(Project, data).panels) == 100
    else:
        assert "at most 100 items" in validation_error(data).message


def test_a_questions_figures_stand_in_place_of_those_recorded_and_are_named() -> None:
    panel = next(each.project.panels[0] for each in projects() if each.project.id == "house")
    recorded = PanelCircuit(panel, panel.circuits[0])
    asked = recorded.with_figures(load_amps=7, conductor_size="8", length_ft=None)
    assert (asked.circuit.conductor_size, asked.load_amps) == ("8", 7)
    assert asked.circuit.length_ft == recorded.circuit.length_ft is not None
    assert (asked.stated, recorded.stated) == ({"conductor_size"}, frozenset())
    assert recorded.circuit.conductor_size != "8"
