"""The worked examples of IEEE Std 1584-2018, Annex D, with every intermediate value.

The figures, by the standard's equation numbers, are those of D.1 and D.2 as public programs repeat
them in their tests: `arcflash` by Li-aung Yip (Python) and its translation into Rust.
"""

from math import log10
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from packs.electrical.calculations.arc_flash import ArcParameters, Study, study
from packs.electrical.calculations.ieee_1584 import (
    FITTED_KV,
    OPEN_AIR,
    Electrodes,
    Enclosure,
    coefficients,
    size_correction,
)
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every

MEDIUM_VOLTAGE = ArcParameters(
    voltage_v=4_160,
    bolted_ka=15,
    electrodes="VCB",
    gap_mm=104,
    working_distance_mm=914.4,
    enclosure=Enclosure(height_mm=1143, width_mm=762, depth_mm=508),
    clearing_time_s=0.197,
    reduced_clearing_time_s=0.223,
)
LOW_VOLTAGE = ArcParameters(
    voltage_v=480,
    bolted_ka=45,
    electrodes="VCB",
    gap_mm=32,
    working_distance_mm=609.6,
    enclosure=Enclosure(height_mm=610, width_mm=610, depth_mm=254),
    clearing_time_s=0.0613,
    reduced_clearing_time_s=0.319,
)


@pytest.fixture
def medium() -> Study:
    return study(MEDIUM_VOLTAGE)


@pytest.fixture
def low() -> Study:
    return study(LOW_VOLTAGE)


def near(value: float) -> object:
    """Equal to the last digit printed, the third after the point."""
    return pytest.approx(value, abs=6e-4)


def test_d1_arcing_currents(medium: Study) -> None:
    fitted = medium.full.current.fitted
    assert fitted == {0.6: near(11.117), 2.7: near(12.816), 14.3: near(14.116)}  # D.9, D.11, D.13
    assert medium.full.current.final_ka == near(12.979)  # D.17


def test_d1_enclosure(medium: Study) -> None:
    correction = medium.correction
    assert correction.kind == "typical"
    assert correction.width_in == near(27.632)  # D.19
    assert correction.height_in == near(45)  # D.20
    assert correction.equivalent_in == near(36.316)  # D.21
    assert correction.factor == near(1.284)  # D.22


def test_d1_energy_and_boundary(medium: Study) -> None:
    found = medium.full.exposure
    assert found.fitted_energy == {0.6: near(8.652), 2.7: near(11.977), 14.3: near(13.367)}
    assert found.energy_j_cm2 == near(12.152)  # D.32
    assert {kv: round(mm) for kv, mm in found.fitted_boundary.items()} == {
        0.6: 1285,  # D.34
        2.7: 1591,  # D.36
        14.3: 1707,  # D.38
    }
    assert round(found.boundary_mm) == 1606  # D.42


def test_d1_at_the_reduced_current(medium: Study) -> None:
    assert medium.variation == near(0.047)  # D.43
    fitted = medium.reduced.current.fitted
    assert fitted == {0.6: near(10.856), 2.7: near(12.515), 14.3: near(13.786)}  # D.45 to D.47
    assert medium.reduced.current.final_ka == near(12.675)  # D.51
    found = medium.reduced.exposure
    assert found.fitted_energy == {0.6: near(8.980), 2.7: near(13.018), 14.3: near(15.602)}
    assert found.energy_j_cm2 == near(13.343)  # D.62
    assert [round(mm) for mm in found.fitted_boundary.values()] == [1316, 1678, 1884]
    assert round(found.boundary_mm) == 1704  # D.72


def test_d1_the_reduced_current_governs(medium: Study) -> None:
    assert medium.governing == "reduced"
    assert medium.energy_cal_cm2 == near(13.343 / 4.184)
    assert round(medium.boundary_mm) == 1704


def test_d2_full_current(low: Study) -> None:
    assert low.full.current.fitted == {0.6: near(32.449)}  # D.82
    assert low.full.current.final_ka == near(28.793)  # D.84
    assert low.correction.width_in == low.correction.height_in == near(24.016)  # D.86, D.87
    assert low.correction.factor == near(1.085)  # D.89
    assert low.full.exposure.energy_j_cm2 == near(11.585)  # D.91
    assert round(low.full.exposure.boundary_mm) == 1029  # D.95


def test_d2_at_the_reduced_current(low: Study) -> None:
    assert low.variation == near(0.247)  # D.96
    assert low.reduced.current.final_ka == near(25.244)  # D.99
    assert low.reduced.exposure.energy_j_cm2 == near(53.156)  # D.103
    assert round(low.reduced.exposure.boundary_mm) == 2669  # D.106
    assert low.governing == "reduced"


# ---- Configurations that Annex D has no example of, with the equations written out ----
# IEEE Std 1584-2018, equations (6) and (11) to (15), with the figures of Tables 3, 6 and 7 in them.


def test_vcbb_at_480_v() -> None:
    box = Enclosure(508, 508, 508)
    found = study(ArcParameters(480, 20, "VCBB", 25, 457.2, box, 0.1))
    current = found.full.current
    fit = -5.767e-9 * 20**4 + 2.524e-6 * 20**3 - 0.00034 * 20**2 + 0.01187 * 20 + 1.013
    assert current.fitted[0.6] == pytest.approx(
        10 ** (-0.017432 + 0.98 * log10(20) - 0.05 * log10(25)) * fit
    )
    power = (
        3.068459
        + 0.26 * log10(25)
        - 0.098107 * current.fitted[0.6] / (fit * 20)
        - 0.06 * log10(20)
        - 1.809 * log10(457.2)
        + 1.19 * log10(current.final_ka)
        - log10(found.correction.factor)
    )
    assert found.full.exposure.energy_j_cm2 == pytest.approx(12.552 / 50 * 100 * 10**power)


@pytest.mark.parametrize(
    ("electrodes", "a", "b"), [("VCB", 4, 20), ("VCBB", 10, 24), ("HCB", 10, 22)]
)
def test_large_enclosures_count_for_less_than_they_measure(
    electrodes: str, a: float, b: float
) -> None:
    found = size_correction(Enclosure(1000, 900, 500), electrodes, 0.48)  # type: ignore[arg-type]
    width = (660.4 + (900 - 660.4) * (0.48 + a) / b) / 25.4
    height = (660.4 + (1000 - 660.4) * (0.48 + a) / b) / 25.4
    assert found.width_in == pytest.approx(width)
    assert found.height_in == pytest.approx(1000 * 0.03937 if electrodes == "VCB" else height)
    assert width < 900 / 25.4


def test_shallow_enclosures_take_the_inverse_of_their_fit() -> None:
    found = size_correction(Enclosure(355.6, 304.8, 150), "HCB", 0.48)
    size = (355.6 + 304.8) * 0.03937 / 2
    assert found.factor == pytest.approx(1 / (-0.0005556 * size**2 + 0.03722 * size + 0.4778))


# ---- The tables of constants hang together ----


every_row = for_every("kv", FITTED_KV)
ELECTRODES: tuple[Electrodes, ...] = get_args(Electrodes)
every_configuration = for_every("electrodes", ELECTRODES)


@every_configuration
@every_row
def test_current_and_energy_share_their_polynomial(electrodes: str, kv: float) -> None:
    """k4 to k10 of Table 1 are those of Tables 3 to 5: the energy divides by the same fit."""
    current = coefficients().arcing_current[electrodes][kv]
    energy = coefficients().energy[electrodes][kv]
    assert (len(current), len(energy)) == (10, 13)
    assert current[3:] == energy[3:10]


@every_configuration
@every_row
def test_energy_falls_with_distance_and_grows_with_current(electrodes: str, kv: float) -> None:
    *_, k12, k13 = coefficients().energy[electrodes][kv]
    assert -2.1 < k12 < -1.5
    assert 0.9 < k13 < 1.2


def test_only_configurations_in_a_box_have_an_enclosure() -> None:
    boxed = set(ELECTRODES) - OPEN_AIR
    assert set(coefficients().equivalent_size) == set(coefficients().enclosure_size) == boxed
    assert all(
        set(kinds) == {"typical", "shallow"} for kinds in coefficients().enclosure_size.values()
    )
    assert {len(row) for row in coefficients().variation.values()} == {7}


# ---- What holds for every arc inside the range of IEEE Std 1584-2018 ----


PANELBOARD = ArcParameters(
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
def arcs(draw: st.DrawFn) -> ArcParameters:
    """Any arc that the model takes."""
    low = draw(st.booleans())
    gap = draw(st.floats(6.35, 76.2) if low else st.floats(19.05, 254))
    electrodes = draw(st.sampled_from(ELECTRODES))
    box = Enclosure(
        draw(st.floats(100, 1244.6)), draw(st.floats(4 * gap, 1244.6)), draw(st.floats(50, 1000))
    )
    return ArcParameters(
        voltage_v=draw(st.floats(208, 600) if low else st.floats(600.1, 15_000)),
        bolted_ka=draw(st.floats(0.5, 106) if low else st.floats(0.2, 65)),
        electrodes=electrodes,
        gap_mm=gap,
        working_distance_mm=draw(st.floats(305, 2000)),
        enclosure=None if electrodes in OPEN_AIR else box,
        clearing_time_s=draw(st.floats(0.005, 2)),
    )


@given(arcs())
def test_the_arcing_current_is_below_the_bolted_one(arc: ArcParameters) -> None:
    found = study(arc)
    assert 0 < found.full.current.final_ka < arc.bolted_ka
    assert 0 < found.variation < 0.4
    assert found.reduced.current.final_ka < found.full.current.final_ka


@given(arcs(), st.floats(1.1, 10))
def test_energy_grows_evenly_with_time(arc: ArcParameters, times: float) -> None:
    once = study(arc)
    longer = study(replace(arc, clearing_time_s=arc.clearing_time_s * times))
    assert longer.energy_cal_cm2 == pytest.approx(times * once.energy_cal_cm2)
    assert longer.boundary_mm > once.boundary_mm


@given(arcs(), st.floats(1.01, 5))
def test_energy_falls_with_distance(arc: ArcParameters, farther: float) -> None:
    near = study(arc)
    far = study(replace(arc, working_distance_mm=arc.working_distance_mm * farther))
    assert far.energy_cal_cm2 < near.energy_cal_cm2
    assert far.boundary_mm == pytest.approx(near.boundary_mm)
    assert near.energy_at(arc.working_distance_mm * farther) == pytest.approx(far.energy_cal_cm2)


def test_farther_away_the_other_case_may_be_the_worse_one() -> None:
    arc = ArcParameters(974, 1, "VOA", 20, 318, None, 1.0)
    far = replace(arc, working_distance_mm=5 * 318)
    assert (study(arc).governing, study(far).governing) == ("full", "reduced")
    assert study(arc).energy_at(5 * 318) == pytest.approx(study(far).energy_cal_cm2)


@given(arcs())
def test_what_governs_is_the_worse_of_the_two(arc: ArcParameters) -> None:
    found = study(replace(arc, reduced_clearing_time_s=arc.clearing_time_s * 1.5))
    both = (found.full, found.reduced)
    assert found.energy_cal_cm2 == max(case.energy_cal_cm2 for case in both)
    assert found.boundary_mm == max(case.exposure.boundary_mm for case in both)


@given(arcs())
def test_up_to_600_v_the_boundary_is_where_a_burn_begins(arc: ArcParameters) -> None:
    assume(arc.voltage_v <= 600)
    found = study(arc)
    assert found.energy_at(found.boundary_mm) == pytest.approx(1.2)
    at_once = replace(arc, clearing_time_s=found.time_to_burn_s)
    assert study(at_once).energy_cal_cm2 == pytest.approx(1.2)


@given(arcs(), st.sampled_from([600.0, 2_700.0]))
def test_fits_meet_where_one_ends_and_the_next_begins(arc: ArcParameters, volts: float) -> None:
    assume(19.05 <= arc.gap_mm <= 76.2 and 0.5 <= arc.bolted_ka <= 65)
    below = study(replace(arc, voltage_v=volts - 1e-6))
    above = study(replace(arc, voltage_v=volts + 1e-6))
    assert above.full.current.final_ka == pytest.approx(below.full.current.final_ka, rel=1e-6)
    if below.correction.kind == above.correction.kind:
        assert above.energy_cal_cm2 == pytest.approx(below.energy_cal_cm2, rel=1e-6)


@given(arcs())
def test_a_larger_box_than_the_test_box_lessens_the_energy(arc: ArcParameters) -> None:
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


# ---- Outside the range of the model nothing is calculated (IEEE Std 1584-2018, 4.2) ----


LOW = ArcParameters(
    voltage_v=480,
    bolted_ka=22,
    electrodes="VCB",
    gap_mm=25,
    working_distance_mm=457.2,
    enclosure=Enclosure(355.6, 304.8, 204),
    clearing_time_s=0.1,
)
MEDIUM = replace(LOW, voltage_v=4_160, gap_mm=104, enclosure=Enclosure(914.4, 914.4, 914.4))
OUTSIDE: list[tuple[ArcParameters, dict[str, Any], str, str]] = [
    (LOW, {"voltage_v": 207.9}, "voltage", "208 to 15000"),
    (LOW, {"voltage_v": 120}, "voltage", "208 to 15000"),
    (MEDIUM, {"voltage_v": 15_001}, "voltage", "208 to 15000"),
    (LOW, {"bolted_ka": 0.49}, "boltedFaultKa", "0.5 to 106"),
    (LOW, {"bolted_ka": 106.1}, "boltedFaultKa", "0.5 to 106"),
    (MEDIUM, {"bolted_ka": 0.19}, "boltedFaultKa", "0.2 to 65"),
    (MEDIUM, {"bolted_ka": 65.1}, "boltedFaultKa", "0.2 to 65"),
    (LOW, {"gap_mm": 6.3}, "gapMm", "6.35 to 76.2"),
    (LOW, {"gap_mm": 76.3}, "gapMm", "6.35 to 76.2"),
    (MEDIUM, {"gap_mm": 19}, "gapMm", "19.05 to 254"),
    (MEDIUM, {"gap_mm": 255}, "gapMm", "19.05 to 254"),
    (LOW, {"working_distance_mm": 304.7}, "workingDistanceMm", "305 mm"),
    (LOW, {"enclosure": Enclosure(1244.7, 600, 300)}, "enclosureHeightMm", "1244.6 mm"),
    (LOW, {"enclosure": Enclosure(600, 1245, 300)}, "enclosureWidthMm", "1244.6 mm"),
    (LOW, {"enclosure": Enclosure(600, 99.9, 300)}, "enclosureWidthMm", "100 mm"),
    (LOW, {"enclosure": Enclosure(0, 600, 300)}, "enclosureHeightMm", "1244.6 mm"),
    (LOW, {"enclosure": Enclosure(600, 600, 0)}, "enclosureDepthMm", "above 0"),
    (LOW, {"enclosure": None}, "enclosure", "height, width and depth"),
    (LOW, {"clearing_time_s": 0}, "clearingTimeS", "above 0"),
    (LOW, {"reduced_clearing_time_s": 0}, "reducedClearingTimeS", "above 0"),
    (LOW, {"bolted_ka": float("nan")}, "boltedFaultKa", "0.5 to 106"),
    (LOW, {"working_distance_mm": float("nan")}, "workingDistanceMm", "305 mm"),
]


@for_every(("base", "change", "field", "accepted"), OUTSIDE)
def test_outside_is_refused_with_the_range(
    base: ArcParameters, change: dict[str, Any], field: str, accepted: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        study(replace(base, **change))
    assert refused.value.field == field
    assert accepted in refused.value.message


@for_every(
    ("base", "change"),
    [
        (LOW, {"voltage_v": 208}),
        (LOW, {"bolted_ka": 0.5}),
        (LOW, {"bolted_ka": 106}),
        (LOW, {"gap_mm": 6.35}),
        (LOW, {"gap_mm": 76.2}),
        (LOW, {"working_distance_mm": 12 * 25.4}),
        (LOW, {"enclosure": Enclosure(1244.6, 1244.6, 300)}),
        (LOW, {"enclosure": Enclosure(355.6, 100, 204)}),
        (MEDIUM, {"voltage_v": 15_000}),
        (MEDIUM, {"bolted_ka": 0.2}),
        (MEDIUM, {"bolted_ka": 65}),
        (MEDIUM, {"gap_mm": 19.05}),
        (MEDIUM, {"gap_mm": 228.6}),
    ],
)
def test_the_limits_themselves_are_inside(base: ArcParameters, change: dict[str, Any]) -> None:
    assert study(replace(base, **change)).energy_cal_cm2 > 0


def test_open_air_needs_no_enclosure() -> None:
    assert study(replace(LOW, electrodes="VOA", enclosure=None)).energy_cal_cm2 > 0
