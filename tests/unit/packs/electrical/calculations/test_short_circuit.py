"""The fault current at the panels of a project."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.fault_current import Windings, from_infinite_bus
from packs.electrical.calculations.short_circuit import (
    Fault,
    fault_at,
    with_figures,
)
from packs.electrical.projects.records import Panel, Project
from rollcall.core.errors import AgentError, FailedPrecondition, InvalidArgument
from seed.electrical.sample import projects

CIRCUIT = {"circuitNumber": 1, "description": "compressor", "breakerAmps": 40, "poles": 3}


def project(**changes: Any) -> Project:
    """An office at 208 V: a main panel, a sub-panel, and one behind a transformer at 480 V."""
    fields: dict[str, Any] = {
        "id": "office",
        "name": "Office",
        "building": {"occupancy": "office"},
        "service": {
            "serviceVoltage": 480,
            "phases": 3,
            "serviceAmps": 800,
            "availableFaultCurrentAmps": 30_000,
            "sourceXrRatio": 6,
            "conductorSize": "500",
            "conductorSets": 2,
            "lengthFt": 25,
            "conduitType": "rmc",
        },
        "panels": [
            _panel("msb", "MSB", 480, 800, isServiceEquipment=True),
            _panel("hp", "HP", 480, 225, circuits=[{"id": "c1", **CIRCUIT}]),
            _panel("lp", "LP", 208, 225, circuits=[{"id": "c1", **CIRCUIT}]),
        ],
        "transformers": [
            {
                "id": "t1",
                "name": "T1",
                "kva": 75,
                "phases": 3,
                "primaryVoltage": 480,
                "secondaryVoltage": 208,
                "impedancePercent": 4,
                "xrRatio": 2,
            }
        ],
        "feeders": [
            _feeder("f1", "msb", "hp", "4/0", 120),
            _feeder("f2", "hp", "t1", "1", 30),
            _feeder("f3", "t1", "lp", "4/0", 15),
        ],
        "motors": [],
    }
    return Project.model_validate({**fields, **changes})


def _panel(id: str, name: str, volts: float, amps: float, **more: Any) -> dict[str, Any]:
    base = {"id": id, "name": name, "voltage": volts, "phases": 3, "busRating": amps, "spaces": 42}
    return {**base, **more}


def _feeder(id: str, source: str, target: str, size: str, feet: float) -> dict[str, Any]:
    return {
        "id": id,
        "name": id.upper(),
        "sourceId": source,
        "targetId": target,
        "conductorSize": size,
        "lengthFt": feet,
        "conduitType": "emt",
    }


def at(panel_id: str, built: Project | None = None) -> Fault:
    built = built or project()
    panel = built.panel(panel_id)
    assert panel is not None
    return fault_at(built, panel)


def changed(part: str, index: int, **fields: Any) -> Project:
    """The project with some fields of one of its parts changed; None takes one away."""
    data = project().dump()
    record = data[part][index] if isinstance(data[part], list) else data[part]
    record.update(fields)
    for name in [name for name, value in fields.items() if value is None]:
        record.pop(name)
    return Project.model_validate(data)


def test_every_point_of_the_way_is_named_in_order() -> None:
    found = at("lp")
    assert [point.name for point in found.points] == [
        "service",
        "MSB",
        "HP",
        "T1",
        "T1",
        "LP",
    ]
    assert found.lengths_ft == (None, 25, 120, 30, None, 15)


def test_each_run_takes_its_share_by_hand() -> None:
    """C of 2 x 500 kcmil in steel is 22,185 each; of 4/0 15,082 (table of C values)."""
    at_msb = 30_000 / (1 + 3**0.5 * 25 * 30_000 / (22_185 * 2 * 480))
    assert at("msb").amps == pytest.approx(at_msb)
    at_hp = at_msb / (1 + 3**0.5 * 120 * at_msb / (15_082 * 480))
    assert at("hp").amps == pytest.approx(at_hp)


def test_behind_a_transformer_the_current_is_below_that_of_an_infinite_bus() -> None:
    bus = from_infinite_bus("t1", Windings(75, 3, 208, 4, 2)).amps
    assert bus == pytest.approx(75_000 / (208 * 3**0.5) * 100 / (4 * 0.9))
    assert at("lp").amps < bus
    assert at("lp").points[-2].voltage_v == 208


@given(st.floats(1, 1_000), st.floats(1.01, 10))
def test_a_longer_feeder_never_has_more_current_at_its_end(feet: float, times: float) -> None:
    near, far = (changed("feeders", 0, lengthFt=length) for length in (feet, feet * times))
    assert at("hp", far).amps < at("hp", near).amps
    assert at("lp", far).amps < at("lp", near).amps
    assert at("msb", far).amps == at("msb", near).amps


@given(st.sampled_from(["1/0", "4/0", "250", "500"]), st.permutations(range(3)))
def test_the_order_of_records_does_not_matter(size: str, order: list[int]) -> None:
    built = changed("feeders", 0, conductorSize=size)
    data = built.dump()
    mixed = {**data, "panels": [data["panels"][i] for i in order]}
    mixed["feeders"] = [data["feeders"][i] for i in order]
    assert at("lp", Project.model_validate(mixed)).amps == at("lp", built).amps


def test_motors_on_the_bus_and_below_it_add_four_times_their_current() -> None:
    # NEC Table 430.250: 10 hp at 460 V takes 14 A, 10 hp at 208 V 30.8 A.
    motors = [
        _motor("m1", "hp", 480),
        {**_motor("m2", "lp", 208)},
    ]
    built = project(motors=motors)
    at_hp, without = at("hp", built), at("hp")
    assert at_hp.motors.count == 2
    assert at_hp.motors.full_load_amps == pytest.approx(14 + 30.8 * 208 / 480)
    assert at_hp.amps == pytest.approx(without.amps + 4 * at_hp.motors.full_load_amps)
    assert at("lp", built).motors.full_load_amps == pytest.approx(30.8)
    assert any(each.name == "motorContributionFactor" for each in at_hp.basis.assumptions)


def test_a_motors_own_current_counts_where_it_is_known() -> None:
    built = project(motors=[{**_motor("m1", "hp", 480), "nameplateAmps": 12}])
    assert at("hp", built).motors.full_load_amps == 12


def test_motors_can_be_left_out() -> None:
    built = project(motors=[_motor("m1", "hp", 480)])
    panel = built.panel("hp")
    assert panel is not None
    assert fault_at(built, panel, with_motors=False).amps == at("hp").amps


def _motor(id: str, panel_id: str, volts: float) -> dict[str, Any]:
    place = {"panelId": panel_id, "circuitNumber": 1}
    return {"id": id, "name": id, "hp": "10", "voltage": volts, "phases": 3, **place}


def test_the_utilitys_transformer_stands_for_its_fault_current() -> None:
    built = changed(
        "service",
        0,
        availableFaultCurrentAmps=None,
        utilityTransformerKva=500,
        utilityTransformerImpedancePercent=5,
    )
    found = at("msb", built)
    assert found.points[0].amps == pytest.approx(500_000 / (480 * 3**0.5) * 100 / 4.5)
    assert {"service.primaryFaultCurrent", "transformerTolerance"} <= {
        each.name for each in found.basis.assumptions
    }


def test_unknown_service_conductors_lessen_nothing_and_that_is_said() -> None:
    found = at("msb", changed("service", 0, lengthFt=None))
    assert found.amps == 30_000
    assert [point.name for point in found.points] == ["service", "MSB"]
    assert any(each.name == "service.lengthFt" for each in found.basis.assumptions)


def test_an_unknown_conduit_counts_as_nonmagnetic_which_is_the_higher_current() -> None:
    unknown = at("hp", changed("feeders", 0, conduitType=None))
    assert unknown.amps > at("hp").amps
    assert any(each.name == "feeders.f1.conduitType" for each in unknown.basis.assumptions)


@pytest.mark.parametrize(
    ("part", "index", "fields", "named"),
    [
        ("service", 0, {"availableFaultCurrentAmps": None}, "service.availableFaultCurrentAmps"),
        (
            "service",
            0,
            {"availableFaultCurrentAmps": None, "utilityTransformerKva": 500},
            "service.utilityTransformerImpedancePercent",
        ),
        ("feeders", 0, {"lengthFt": None}, "feeders.f1.lengthFt"),
        ("feeders", 1, {"conductorSize": None}, "feeders.f2.conductorSize"),
        ("transformers", 0, {"impedancePercent": None}, "transformers.t1.impedancePercent"),
    ],
)
def test_what_is_missing_is_named(
    part: str, index: int, fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(FailedPrecondition) as refused:
        at("lp", changed(part, index, **fields))
    assert refused.value.field == named


@pytest.mark.parametrize(
    ("part", "index", "fields", "said"),
    [
        ("panels", 1, {"voltage": 208}, "'HP' is at 208 V"),
        ("transformers", 0, {"primaryVoltage": 4_160}, "primary of 'T1'"),
        ("service", 0, {"serviceVoltage": 208}, "'MSB' is at 480 V"),
        ("service", 0, {"phases": 1}, "three phases"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    part: str, index: int, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(AgentError, match=said):
        at("lp", changed(part, index, **fields))


def test_what_was_used_is_listed_with_its_unit() -> None:
    used = {each.name: (each.value, each.unit, each.source) for each in at("lp").basis.inputs}
    assert used["service.availableFaultCurrentAmps"] == (30_000, "A", "project")
    assert used["feeders.f3.lengthFt"] == (15, "ft", "project")
    assert used["transformers.t1.impedancePercent"] == (4, "%", "project")


def test_a_c_value_that_could_not_be_checked_again_is_said() -> None:
    doubtful = {"conductorSize": "750", "conductorMaterial": "aluminum", "conduitType": "pvc"}
    said = {
        each.name: each for each in at("hp", changed("feeders", 0, **doubtful)).basis.assumptions
    }
    assert "second source" in said["feeders.f1.cValue"].reason.say("en")
    assert "feeders.f1.cValue" not in {each.name for each in at("hp").basis.assumptions}


def _behind(volts: float) -> Fault:
    """The office behind a service, a main panel and a transformer of this voltage."""
    data = changed("service", 0, serviceVoltage=volts).dump()
    data["panels"][0]["voltage"] = volts
    data["transformers"][0]["primaryVoltage"] = volts
    data["feeders"] = [
        _feeder("f2", "msb", "t1", "1", 30),
        _feeder("f3", "t1", "lp", "4/0", 15),
    ]
    return at("lp", Project.model_validate(data))


def test_conductors_above_1000_v_are_said_to_be_counted_as_those_of_600_v() -> None:
    said = {each.name: each for each in _behind(4_160).basis.assumptions}
    assert said["feeders.f2.cableVoltage"].value == 600
    assert "service.cableVoltage" in said
    assert "feeders.f3.cableVoltage" not in said
    assert not any("cableVoltage" in each.name for each in _behind(480).basis.assumptions)


# ---- What a question changes of a supply, in a copy ----


OFFICE = next(each.project for each in projects() if each.project.id == "office")


def panel(id: str) -> Panel:
    found = OFFICE.panel(id)
    assert found is not None
    return found


def feeder_length(project: Project, id: str) -> float | None:
    return next(each.length_ft for each in project.feeders if each.id == id)


def test_nothing_asked_changes_nothing() -> None:
    assert with_figures(OFFICE, panel("lp1"), {}, {"length_ft": None}) == (OFFICE, frozenset())


def test_conductors_asked_are_those_that_supply_the_panel() -> None:
    run = {"length_ft": 10, "conductor_size": "4/0", "conductor_sets": 2}
    changed, names = with_figures(OFFICE, panel("lp1"), {}, run)
    assert feeder_length(changed, "dp1-lp1") == 10
    assert feeder_length(changed, "t1-dp1") == feeder_length(OFFICE, "t1-dp1")
    assert feeder_length(OFFICE, "dp1-lp1") == 60
    assert names == {
        "feeders.dp1-lp1.lengthFt",
        "feeders.dp1-lp1.conductorSize",
        "feeders.dp1-lp1.conductorSets",
    }


def test_at_the_service_panel_they_are_the_service_conductors() -> None:
    changed, names = with_figures(OFFICE, panel("mdp"), {}, {"length_ft": 5})
    assert changed.service.length_ft == 5
    assert names == {"service.lengthFt"}


def test_a_transformer_asked_about_stands_in_place_of_a_recorded_current() -> None:
    stated = {"available_fault_current_amps": 9_000}
    known, _ = with_figures(OFFICE, panel("mdp"), stated, {})
    assert known.service.available_fault_current_amps == 9_000
    changed, _ = with_figures(known, panel("mdp"), {"utility_transformer_kva": 750}, {})
    assert changed.service.available_fault_current_amps is None
    assert changed.service.utility_transformer_kva == 750


def test_current_and_transformer_at_once_are_refused() -> None:
    for other in ("utility_transformer_kva", "utility_transformer_impedance_percent"):
        source = {"available_fault_current_amps": 9_000, other: 5.75}
        with pytest.raises(InvalidArgument, match="not both"):
            with_figures(OFFICE, panel("mdp"), source, {})


def test_what_was_asked_is_marked_so() -> None:
    changed, stated = with_figures(OFFICE, panel("mdp"), {}, {"length_ft": 5})
    fault = fault_at(changed, panel("mdp"), stated)
    sources = {each.name: each.source for each in fault.basis.inputs}
    assert (sources["service.lengthFt"], sources["service.phases"]) == ("argument", "project")
