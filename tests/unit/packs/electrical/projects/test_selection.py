"""Panels and circuits are found by the names that people use, and never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.projects.selection import find_circuit, find_panel
from rollcall.core.errors import AgentError, InvalidArgument, NotFound
from seed.electrical.sample import projects
from tests.support.for_every import for_every

SAMPLES = {sample.project.id: sample.project for sample in projects()}


def circuit(project: str, **named: Any) -> str:
    return find_circuit(SAMPLES[project], **named).circuit.id


@for_every(
    ("project", "words", "id"),
    [
        ("house", "EV charger", "garage-1"),
        ("house", "the EV charger in the garage", "garage-1"),
        ("house", "electric car charging", "garage-1"),
        ("house", "dryer", "main-2"),
        ("house", "stove", "main-1"),
        ("house", "boiler", "main-5"),
        ("house", "garage door opener", "garage-4"),
        ("house", "sump pump", "main-26"),
        ("house", "heat pump", "main-6"),
        ("house", "dishwasher", "main-15"),
        ("house", "home office receptacles", "main-30"),
        ("house", "מטען לרכב חשמלי", "garage-1"),
        ("house", "המטען של הרכב החשמלי", "garage-1"),
        ("house", "מייבש הכביסה", "main-2"),
        ("office", "elevator", "mdp-13"),
        ("office", "RTU-2", "mdp-7"),
        ("office", "UPS B", "sr-2"),
        ("office", "server room cooling", "sr-5"),
        ("workshop", "welder", "mp-15"),
        ("workshop", "הרתכת", "mp-15"),
        ("workshop", "dust collector", "mp-16"),
        ("dira", "מזגן בסלון", "dira-5"),
        ("dira", "מַזְגָן", "dira-5"),
        ("dira", "הדוד החשמלי", "dira-2"),
        ("dira", "דוּד חַשְׁמַל", "dira-2"),
        ("dira", "מטען לרכב החשמלי", "mahsan-1"),
        ("dira", "ev charger", "mahsan-1"),
        ("dira", "מכונת הכביסה", "dira-12"),
        ("dira", "מדיח", "dira-11"),
        ("dira", "water heater", "dira-2"),
        ("dira", "air conditioner", "dira-5"),
    ],
)
def test_a_circuit_is_found_by_what_it_feeds(project: str, words: str, id: str) -> None:
    assert circuit(project, circuit_description=words) == id


@pytest.mark.parametrize(
    ("named", "id"),
    [
        ({"circuit_id": "garage-1"}, "garage-1"),
        ({"circuit_number": 3, "panel_name": "Garage Subpanel"}, "garage-1"),
        ({"circuit_number": 1, "panel_name": "main panel"}, "main-1"),
        ({"circuit_number": 3, "panel_name": "garage"}, "garage-1"),
        ({"circuit_number": 12, "panel_name": "the main panel"}, "main-10"),
        ({"circuit_number": 31}, "main-31"),
        ({"circuit_number": 1, "circuit_description": "range"}, "main-1"),
        ({"panel_name": "garage", "circuit_description": "lighting"}, "garage-6"),
        ({"circuit_id": "main-1", "circuit_number": 3, "circuit_description": "range"}, "main-1"),
        # words that fit no other circuit are no reason to refuse a number
        ({"circuit_number": 14, "circuit_description": "circuit 14"}, "main-14"),
    ],
)
def test_a_circuit_is_found_by_id_or_number_and_panel(named: dict[str, Any], id: str) -> None:
    assert circuit("house", **named) == id


@pytest.mark.parametrize(
    ("project", "named", "field", "candidates"),
    [
        ("house", {"circuit_number": 1}, "circuitNumber", ["Range", "EV charger"]),
        ("house", {"circuit_description": "kitchen"}, "circuitDescription", ["Range", "Microwave"]),
        ("house", {"circuit_description": "lighting"}, "circuitDescription", ["first", "second"]),
        ("dira", {"circuit_description": "שקעים"}, "circuitDescription", ["שקעי סלון", "מרפסת"]),
        ("office", {"circuit_description": "UPS"}, "circuitDescription", ["UPS A", "UPS B"]),
    ],
)
def test_what_fits_several_is_asked_for_with_the_candidates(
    project: str, named: dict[str, Any], field: str, candidates: list[str]
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        find_circuit(SAMPLES[project], **named)
    assert caught.value.field == field
    assert all(each in caught.value.message for each in candidates)


@pytest.mark.parametrize(
    ("named", "field"),
    [
        ({"circuit_id": "main-99"}, "circuitId"),
        ({"circuit_number": 77, "panel_name": "Main Panel"}, "circuitNumber"),
        ({"circuit_description": "swimming pool"}, "circuitDescription"),
        ({"circuit_description": "מקרר יין בעליית הגג"}, "circuitDescription"),
        ({"circuit_number": 1, "panel_name": "Attic"}, "panelName"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(named: dict[str, Any], field: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_circuit(SAMPLES["house"], **named)
    assert caught.value.field == field
    assert "Range" in caught.value.message or "Garage Subpanel" in caught.value.message


@pytest.mark.parametrize(
    ("named", "field"),
    [
        ({"circuit_id": "main-1", "circuit_description": "dishwasher"}, "circuitDescription"),
        ({"circuit_number": 14, "circuit_description": "dishwasher"}, "circuitDescription"),
        ({"circuit_id": "main-1", "circuit_number": 14}, "circuitNumber"),
    ],
)
def test_names_of_different_circuits_are_refused(named: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument, match="another one") as caught:
        find_circuit(SAMPLES["house"], **named)
    assert caught.value.field == field


def test_an_id_and_the_name_of_another_panel_are_refused() -> None:
    house = SAMPLES["house"]
    assert find_panel(house, panel_id="garage", panel_name="garage subpanel").id == "garage"
    with pytest.raises(InvalidArgument, match="different panels") as caught:
        find_panel(house, panel_id="garage", panel_name="Main Panel")
    assert caught.value.field == "panelName"


def test_a_refusal_lists_ten_and_counts_the_rest() -> None:
    with pytest.raises(NotFound) as caught:
        find_circuit(SAMPLES["house"], circuit_id="x")
    assert caught.value.message.count(";") == 10 and "and 21 more" in caught.value.message


def test_nothing_named_is_asked_for() -> None:
    with pytest.raises(InvalidArgument, match="which circuit"):
        find_circuit(SAMPLES["house"])


@for_every(
    ("project", "name", "id"),
    [
        ("house", "Main Panel", "main"),
        ("house", " main   PANEL ", "main"),
        ("house", "main", "main"),
        ("house", "the garage panel", "garage"),
        ("house", "garage subpanel", "garage"),
        ("office", "lp2", "lp2"),
        ("office", "panel LP2", "lp2"),
        ("workshop", "yard", "yard"),
        ("dira", "לוח דירה", "dira"),
        ("dira", "לוח הדירה", "dira"),
        ("dira", "בלוח המחסן", "mahsan"),
        ("dira", "לוּחַ מַחְסָן", "mahsan"),
        ("dira", "הלוח של המחסן", "mahsan"),
    ],
)
def test_a_panel_is_found_by_its_name(project: str, name: str, id: str) -> None:
    assert find_panel(SAMPLES[project], panel_name=name).id == id


@pytest.mark.parametrize(
    ("named", "error", "words"),
    [
        ({}, InvalidArgument, "which panel? the project has Main Panel, Garage Subpanel"),
        ({"panel_name": "attic"}, NotFound, "no panel 'attic'"),
        ({"panel_name": "panel"}, NotFound, "no panel 'panel'"),
        ({"panel_id": "attic"}, NotFound, "the project has Main Panel"),
    ],
)
def test_a_panel_that_is_not_named_rightly_is_asked_for(
    named: dict[str, str], error: type[AgentError], words: str
) -> None:
    with pytest.raises(error) as caught:
        find_panel(SAMPLES["house"], **named)
    assert words in caught.value.message


def test_a_panels_name_where_its_id_is_asked_for_is_understood() -> None:
    assert find_panel(SAMPLES["office"], panel_id="HP1").id == "hp1"
    assert find_panel(SAMPLES["workshop"], panel_id="Yard").id == "yard"


def test_the_only_panel_needs_no_name_and_like_names_are_listed() -> None:
    house = SAMPLES["house"]
    alone = house.model_copy(update={"panels": house.panels[:1]})
    assert find_panel(alone).id == "main"
    east, west = (
        house.panels[0].model_copy(update={"id": side, "name": f"Floor {side}"})
        for side in ("east", "west")
    )
    with pytest.raises(InvalidArgument, match="could be Floor east, Floor west"):
        find_panel(house.model_copy(update={"panels": (east, west)}), panel_name="floor panel")
