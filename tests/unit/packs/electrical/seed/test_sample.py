"""The sample's electrical projects: whole, and wrong only where they say so."""

import pytest

from packs.electrical.projects.records import Circuit, Project
from packs.electrical.projects.topology import path_to, service_panel
from seed.electrical.sample import Sample, projects
from seed.target import DEMO_USER

SAMPLES = {sample.project.id: sample for sample in projects()}
each = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


def loads(project: Project) -> list[Circuit]:
    return [c for panel in project.panels for c in panel.circuits if not c.is_spare]


def test_the_demo_user_owns_a_house_a_workshop_and_a_flat_and_helps_in_an_office() -> None:
    roles = {id: sample.members[DEMO_USER.uid] for id, sample in SAMPLES.items()}
    assert roles == {"house": "owner", "office": "member", "workshop": "owner", "dira": "owner"}
    assert all("owner" in sample.members.values() for sample in SAMPLES.values())


@each
def test_power_reaches_every_panel(sample: Sample) -> None:
    root = service_panel(sample.project)
    assert root.is_service_equipment
    for panel in sample.project.panels:
        path = path_to(sample.project, panel)
        assert (path.legs[-1].target if path.legs else path.service_panel) == panel


@each
def test_circuits_and_feeders_have_all_that_calculations_ask_for(sample: Sample) -> None:
    service = sample.project.service
    for wiring in (*loads(sample.project), *sample.project.feeders, service):
        assert wiring.conductor_size and wiring.length_ft and wiring.conduit_type
        assert wiring.insulation and (wiring.egc_size or wiring is service)
    assert service.available_fault_current_amps or service.utility_transformer_kva
    for panel in sample.project.panels:
        assert panel.aic_rating and panel.enclosure and panel.clearing_time_s
        assert panel.electrode_configuration and panel.conductor_gap_mm
        assert panel.working_space_depth_in and panel.neutral_bonded is not None


@each
def test_circuits_ids_are_used_once_and_loads_are_stated(sample: Sample) -> None:
    circuits = [c for panel in sample.project.panels for c in panel.circuits]
    assert len({c.id for c in circuits}) == len(circuits)
    assert all((c.load_watts > 0) == (c.load_type not in {"spare", "subpanel"}) for c in circuits)


@each
def test_a_subpanels_breaker_is_the_one_of_its_feeder(sample: Sample) -> None:
    for feeder in sample.project.feeders:
        panel = sample.project.panel(feeder.source_id)
        if panel is None:
            continue  # from a transformer
        ratings = {c.breaker_amps for c in panel.circuits if c.load_type == "subpanel"}
        assert feeder.breaker_amps in ratings


@each
def test_violations_name_what_is_there(sample: Sample) -> None:
    project = sample.project
    places = {item.id for item in (*project.panels, *project.transformers)} | {"service"}
    for violation in sample.violations:
        assert violation["at"] in places and violation["what"] and violation["article"]
        if "circuitNumber" in violation:
            panel = project.panel(violation["at"])
            assert panel is not None
            assert violation["circuitNumber"] in {c.circuit_number for c in panel.circuits}


def test_only_the_workshop_is_wrong_on_purpose_and_in_many_ways() -> None:
    wrong = {id: len(sample.violations) for id, sample in SAMPLES.items() if sample.violations}
    assert wrong.keys() == {"workshop"} and wrong["workshop"] >= 25


def test_one_project_is_hebrew_throughout() -> None:
    flat = SAMPLES["dira"].project
    names = [flat.name, *(panel.name for panel in flat.panels), flat.feeders[0].name]
    for text in (*names, *(c.description for c in loads(flat))):
        assert any("א" <= char <= "ת" for char in text)
