"""Labels of panel schedules, English and Hebrew: whether GFCI protection is required, not required
or not checked, by edition; written circuits and inspected ones are judged alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from packs.electrical.calculations.loads.new_load import NewLoad, new_circuit
from packs.electrical.circuit_design import protection_of
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import inspect
from packs.electrical.inspection.rules import gfci
from packs.electrical.nec.editions import EDITIONS, Edition
from packs.electrical.projects.labels import equipment_in, places_in
from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.wording import TEXTS
from tests.support.full_form import cases

LABELS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "labels.jsonl").read_text(encoding="utf-8").splitlines()
]
GFCI_RULES = [rule for rule in gfci.RULES if rule.id != "210.12-afci"]


def project_of(label: dict[str, Any], edition: Edition, **more: Any) -> Project:
    """A building with one panel and one circuit that has the label and no other description."""
    is_home = label["occupancy"] == "dwelling"
    volts, phases = (240, 1) if is_home else (208, 3)
    circuit = {"id": "c", "circuitNumber": 1, "description": label["label"], "loadWatts": 500,
               "poles": label["poles"], "breakerAmps": label["breakerAmps"], **more}  # fmt: skip
    panel = {"id": "p", "name": "P", "voltage": volts, "phases": phases,
             "wires": 3 if is_home else 4, "busRating": 200, "spaces": 42,
             "circuits": [circuit]}  # fmt: skip
    service = {"serviceVoltage": volts, "phases": phases, "serviceAmps": 200, "panelId": "p"}
    return Project.model_validate({
        "id": "x", "name": "X", "edition": edition, "building": {"occupancy": label["occupancy"]},
        "service": service, "panels": [panel],
    })  # fmt: skip


def judged(project: Project) -> set[str]:
    """What the inspection and the design of a circuit come to, which ought to be one answer."""
    (panel,) = project.panels
    report = inspect(Facts(project), GFCI_RULES)
    inspected = "required" if report.issues else "not checked" if report.gaps else "not required"
    needs = protection_of(project, panel, panel.circuits[0])
    open_questions = [each for each in needs.undecided if "GFCI" in each.say("en")]
    written = "required" if needs.gfci else "not checked" if open_questions else "not required"
    return {inspected, written}


def load_type_of(label: dict[str, Any], panel: Panel) -> str:
    load = NewLoad(500, description=label["label"], poles=label["poles"])
    return new_circuit(panel, load, (0.0, 0.0, 0.0)).circuit.load_type


def test_150_labels_in_two_languages_are_none_of_the_words_that_the_code_lists() -> None:
    words = {
        word
        for language in TEXTS.languages
        for group in ("equipment", "places")
        for pattern in TEXTS.data(language, f"labels.{group}").values()
        for word in pattern.split("|")
    }
    labels = [each["label"] for each in LABELS if each["label"].casefold() not in words]
    assert len(labels) >= 150
    assert sum(any("א" <= letter <= "ת" for letter in label) for label in labels) >= 50


@pytest.mark.long
@pytest.mark.parametrize("edition", cases(EDITIONS, 0, -1))
def test_every_label_is_judged_right_whether_written_or_inspected(edition: Edition) -> None:
    wrong = []
    for label in LABELS:
        right = label["gfci"][str(min(edition, 2023))]
        plain = project_of(label, edition)
        kind = load_type_of(label, plain.panels[0])
        for more in ({}, {"loadType": kind}):
            found = judged(project_of(label, edition, **more))
            if found != {right}:
                wrong.append(f"{label['label']} {more}: {found}, not {right}")
    assert wrong == []


def test_the_places_and_the_equipment_of_labels_are_read() -> None:
    wrong = []
    for label in LABELS:
        places, kinds = set(places_in(label["label"])), set(equipment_in(label["label"]))
        if not set(label["places"]) <= places | {"laundry", "garage", "outdoor", "pool"}:
            wrong.append(f"{label['label']}: {places}, not {label['places']}")
        if not set(label["equipment"]) <= kinds and label["equipment"]:
            wrong.append(f"{label['label']}: {kinds}, not {label['equipment']}")
    assert wrong == []


def test_a_protected_circuit_is_never_unchecked() -> None:
    for label in LABELS:
        report = inspect(Facts(project_of(label, 2023, gfci=True)), GFCI_RULES)
        assert (report.issues, report.gaps) == ((), ())


def test_a_recorded_place_counts_more_than_the_description() -> None:
    fridge = {"label": "Refrigerator", "occupancy": "dwelling", "poles": 1, "breakerAmps": 20}
    kitchen = project_of(fridge, 2023, loadType="appliance", area="kitchen")
    assert judged(kitchen) == {"required"}
    assert judged(project_of(fridge, 2023, area="living")) == {"not required"}


def test_the_circuit_of_a_label_is_a_valid_record() -> None:
    for label in LABELS:
        (circuit,) = project_of(label, 2023).panels[0].circuits
        assert Circuit.model_validate(circuit.dump()) == circuit
