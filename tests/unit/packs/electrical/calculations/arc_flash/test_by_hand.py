"""Configurations that Annex D has no example of, with the equations written out.

IEEE Std 1584-2018, equations (6) and (11) to (15), with the figures of Tables 3, 6 and 7 in them.
"""

from math import log10

import pytest

from packs.electrical.calculations.arc_flash.enclosure import Enclosure, size_correction
from packs.electrical.calculations.arc_flash.study import Given, study


def test_vcbb_at_480_v() -> None:
    box = Enclosure(508, 508, 508)
    found = study(Given(480, 20, "VCBB", 25, 457.2, box, 0.1))
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
