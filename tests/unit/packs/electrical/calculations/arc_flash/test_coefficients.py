"""The tables of constants hang together."""

from packs.electrical.calculations.arc_flash.coefficients import (
    ARCING_CURRENT,
    ELECTRODES,
    ENCLOSURE_SIZE,
    ENERGY,
    EQUIVALENT_SIZE,
    FITTED_KV,
    OPEN_AIR,
    VARIATION,
)
from tests.support.rules import for_every

every_row = for_every("kv", FITTED_KV)
every_configuration = for_every("electrodes", ELECTRODES)


@every_configuration
@every_row
def test_current_and_energy_share_their_polynomial(electrodes: str, kv: float) -> None:
    """k4 to k10 of Table 1 are those of Tables 3 to 5: the energy divides by the same fit."""
    current = ARCING_CURRENT[electrodes][kv]  # type: ignore[index]
    energy = ENERGY[electrodes][kv]  # type: ignore[index]
    assert (len(current), len(energy)) == (10, 13)
    assert current[3:] == energy[3:10]


@every_configuration
@every_row
def test_energy_falls_with_distance_and_grows_with_current(electrodes: str, kv: float) -> None:
    *_, k12, k13 = ENERGY[electrodes][kv]  # type: ignore[index]
    assert -2.1 < k12 < -1.5
    assert 0.9 < k13 < 1.2


def test_only_configurations_in_a_box_have_an_enclosure() -> None:
    boxed = set(ELECTRODES) - OPEN_AIR
    assert set(EQUIVALENT_SIZE) == set(ENCLOSURE_SIZE) == boxed
    assert all(set(kinds) == {"typical", "shallow"} for kinds in ENCLOSURE_SIZE.values())
    assert {len(row) for row in VARIATION.values()} == {7}
