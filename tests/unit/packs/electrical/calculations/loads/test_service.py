"""Sizes of services and their conductors."""

from __future__ import annotations

import pytest

from packs.electrical.calculations.loads.lines import system
from packs.electrical.calculations.loads.service import (
    service_conductors,
    service_size,
)

from .samples import building, dwelling


@pytest.mark.parametrize(
    ("amps", "size"), [(40, 100), (100, 100), (100.1, 125), (163, 200), (201, 400), (3_999, 4_000)]
)
def test_a_dwelling_needs_100_a_at_least_and_the_next_common_size(amps: float, size: int) -> None:
    assert service_size(amps, dwelling()) == size


def test_beyond_every_common_service_there_is_none() -> None:
    assert service_size(4_100, building("industrial")) is None
    assert service_size(40, building("office")) == 100


@pytest.mark.parametrize(
    ("rating", "copper", "aluminum"),
    [
        *((100, "4", "2"), (125, "2", "1/0"), (150, "1", "2/0")),
        *((200, "2/0", "4/0"), (400, "400", "600")),
    ],
)
def test_a_dwelling_s_conductors_are_those_of_table_310_12(
    rating: int, copper: str, aluminum: str
) -> None:
    # The sizes of Table 310.12(A); here by its 83 % from Table 310.16.
    found = service_conductors(rating, rating * 0.9, dwelling())
    assert [each.size for each in found] == [copper, aluminum]
    assert all(each.by_dwelling_share and each.sets == 1 for each in found)


def test_other_services_go_by_table_310_16_in_parallel_where_they_are_large() -> None:
    office = building("office", system=system(208, 3))
    copper, aluminum = service_conductors(400, 390, office)
    assert (copper.sets, copper.size, copper.ampacity_amps) == (1, "600", 420)
    assert (aluminum.sets, aluminum.size) == (2, "250")
    assert not copper.by_dwelling_share
    above_800 = service_conductors(1_200, 900, office)[0]
    assert above_800.ampacity_amps >= 1_200  # 240.4(C): no rounding up
