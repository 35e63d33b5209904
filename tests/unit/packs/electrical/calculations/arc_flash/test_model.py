"""What holds for every arc inside the range of IEEE Std 1584-2018."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from packs.electrical.calculations.arc_flash.coefficients import ELECTRODES, OPEN_AIR
from packs.electrical.calculations.arc_flash.enclosure import Enclosure
from packs.electrical.calculations.arc_flash.study import Given, study

PANELBOARD = Given(
    voltage_v=480,
    bolted_ka=22,
    electrodes="VCB",
    gap_mm=25,
    working_distance_mm=457.2,
    enclosure=Enclosure(355.6, 304.8, 204),
    clearing_time_s=0.1,
)
SWITCHGEAR = replace(
    PANELBOARD,
    voltage_v=4_160,
    gap_mm=104,
    working_distance_mm=914.4,
    enclosure=Enclosure(914.4, 914.4, 914.4),
)


@st.composite
def arcs(draw: st.DrawFn) -> Given:
    """Any arc that the model takes."""
    low = draw(st.booleans())
    gap = draw(st.floats(6.35, 76.2) if low else st.floats(19.05, 254))
    electrodes = draw(st.sampled_from(ELECTRODES))
    box = Enclosure(
        draw(st.floats(100, 1244.6)), draw(st.floats(4 * gap, 1244.6)), draw(st.floats(50, 1000))
    )
    return Given(
        voltage_v=draw(st.floats(208, 600) if low else st.floats(600.1, 15_000)),
        bolted_ka=draw(st.floats(0.5, 106) if low else st.floats(0.2, 65)),
        electrodes=electrodes,
        gap_mm=gap,
        working_distance_mm=draw(st.floats(305, 2000)),
        enclosure=None if electrodes in OPEN_AIR else box,
        clearing_time_s=draw(st.floats(0.005, 2)),
    )


@given(arcs())
def test_the_arcing_current_is_below_the_bolted_one(arc: Given) -> None:
    found = study(arc)
    assert 0 < found.full.current.final_ka < arc.bolted_ka
    assert 0 < found.variation < 0.4
    assert found.reduced.current.final_ka < found.full.current.final_ka


@given(arcs(), st.floats(1.1, 10))
def test_energy_grows_evenly_with_time(arc: Given, times: float) -> None:
    once = study(arc)
    longer = study(replace(arc, clearing_time_s=arc.clearing_time_s * times))
    assert longer.energy_cal_cm2 == pytest.approx(times * once.energy_cal_cm2)
    assert longer.boundary_mm > once.boundary_mm


@given(arcs(), st.floats(1.01, 5))
def test_energy_falls_with_distance(arc: Given, farther: float) -> None:
    near = study(arc)
    far = study(replace(arc, working_distance_mm=arc.working_distance_mm * farther))
    assert far.energy_cal_cm2 < near.energy_cal_cm2
    assert far.boundary_mm == pytest.approx(near.boundary_mm)
    assert near.energy_at(arc.working_distance_mm * farther) == pytest.approx(far.energy_cal_cm2)


def test_farther_away_the_other_case_may_be_the_worse_one() -> None:
    arc = Given(974, 1, "VOA", 20, 318, None, 1.0)
    far = replace(arc, working_distance_mm=5 * 318)
    assert (study(arc).governing, study(far).governing) == ("full", "reduced")
    assert study(arc).energy_at(5 * 318) == pytest.approx(study(far).energy_cal_cm2)


@given(arcs())
def test_what_governs_is_the_worse_of_the_two(arc: Given) -> None:
    found = study(replace(arc, reduced_clearing_time_s=arc.clearing_time_s * 1.5))
    both = (found.full, found.reduced)
    assert found.energy_cal_cm2 == max(case.energy_cal_cm2 for case in both)
    assert found.boundary_mm == max(case.exposure.boundary_mm for case in both)


@given(arcs())
def test_up_to_600_v_the_boundary_is_where_a_burn_begins(arc: Given) -> None:
    assume(arc.voltage_v <= 600)
    found = study(arc)
    assert found.energy_at(found.boundary_mm) == pytest.approx(1.2)
    at_once = replace(arc, clearing_time_s=found.time_to_burn_s)
    assert study(at_once).energy_cal_cm2 == pytest.approx(1.2)


@given(arcs(), st.sampled_from([600.0, 2_700.0]))
def test_fits_meet_where_one_ends_and_the_next_begins(arc: Given, volts: float) -> None:
    assume(19.05 <= arc.gap_mm <= 76.2 and 0.5 <= arc.bolted_ka <= 65)
    below = study(replace(arc, voltage_v=volts - 1e-6))
    above = study(replace(arc, voltage_v=volts + 1e-6))
    assert above.full.current.final_ka == pytest.approx(below.full.current.final_ka, rel=1e-6)
    if below.correction.kind == above.correction.kind:
        assert above.energy_cal_cm2 == pytest.approx(below.energy_cal_cm2, rel=1e-6)


@given(arcs())
def test_a_larger_box_than_the_test_box_lessens_the_energy(arc: Given) -> None:
    assume(arc.enclosure is not None and arc.gap_mm * 4 <= 508)
    test_box = study(replace(arc, enclosure=Enclosure(508, 508, 508)))
    wide = study(replace(arc, enclosure=Enclosure(660, 660, 508)))
    assert test_box.correction.factor == pytest.approx(1, abs=0.01)
    assert wide.energy_cal_cm2 < test_box.energy_cal_cm2


@given(st.floats(10, 65), st.sampled_from([208.0, 240.0, 400.0, 480.0, 600.0]))
def test_electrodes_that_face_the_worker_are_worse(bolted_ka: float, volts: float) -> None:
    arc = replace(PANELBOARD, bolted_ka=bolted_ka, voltage_v=volts)
    energy = {
        electrodes: study(replace(arc, electrodes=electrodes)).energy_cal_cm2
        for electrodes in ELECTRODES
    }
    assert energy["HCB"] > energy["VCBB"] > energy["VCB"] > energy["VOA"]
    assert energy["HOA"] > energy["VOA"]


@given(st.floats(0.5, 60), st.floats(1.01, 1.5))
def test_more_fault_current_is_more_energy_at_equal_time(bolted_ka: float, times: float) -> None:
    for arc in (PANELBOARD, SWITCHGEAR):
        less = study(replace(arc, bolted_ka=bolted_ka))
        more = study(replace(arc, bolted_ka=min(65, bolted_ka * times)))
        assert more.energy_cal_cm2 >= less.energy_cal_cm2


def test_a_shallow_panelboard_has_less_energy_than_a_deep_one() -> None:
    shallow = study(replace(PANELBOARD, enclosure=Enclosure(355.6, 304.8, 203.2)))
    deep = study(replace(PANELBOARD, enclosure=Enclosure(355.6, 304.8, 203.3)))
    assert (shallow.correction.kind, deep.correction.kind) == ("shallow", "typical")
    assert shallow.energy_cal_cm2 < deep.energy_cal_cm2


def test_at_600_v_no_enclosure_is_shallow() -> None:
    flat = replace(PANELBOARD, enclosure=Enclosure(355.6, 304.8, 100))
    assert study(replace(flat, voltage_v=600)).correction.kind == "typical"
    assert study(replace(flat, voltage_v=599)).correction.kind == "shallow"


@pytest.mark.parametrize("electrodes", ["VOA", "HOA"])
def test_open_air_has_no_enclosure_correction(electrodes: str) -> None:
    found = study(replace(PANELBOARD, electrodes=electrodes, enclosure=None))
    assert found.correction.factor == 1
    assert found.correction.kind is None
