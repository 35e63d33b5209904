"""The worked examples of IEEE Std 1584-2018, Annex D, with every intermediate value.

The figures, by the standard's equation numbers, are those of D.1 and D.2 as public programs repeat
them in their tests: `arcflash` by Li-aung Yip (Python) and its translation into Rust.
"""

import pytest

from packs.electrical.calculations.arc_flash.enclosure import Enclosure
from packs.electrical.calculations.arc_flash.study import Given, Study, study

MEDIUM_VOLTAGE = Given(
    voltage_v=4_160,
    bolted_ka=15,
    electrodes="VCB",
    gap_mm=104,
    working_distance_mm=914.4,
    enclosure=Enclosure(height_mm=1143, width_mm=762, depth_mm=508),
    clearing_time_s=0.197,
    reduced_clearing_time_s=0.223,
)
LOW_VOLTAGE = Given(
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
