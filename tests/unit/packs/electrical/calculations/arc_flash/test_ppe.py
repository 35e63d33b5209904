"""PPE by incident energy (NFPA 70E-2018 to 2024, Table 130.7(C)(15)(c))."""

import pytest

from packs.electrical.calculations.arc_flash.ppe import ppe_for
from rollcall.core.text import language
from tests.support.rules import for_every


@for_every(
    ("energy", "requirement", "category"),
    [
        (0.2, "none", None),
        (1.2, "none", None),
        (1.21, "category", 1),
        (4, "category", 1),
        (4.01, "category", 2),
        (8, "category", 2),
        (8.01, "category", 3),
        (25, "category", 3),
        (25.01, "category", 4),
        (40, "category", 4),
        (40.01, "do_not_work_energized", None),
    ],
)
def test_the_category_is_the_lowest_that_covers_the_energy(
    energy: float, requirement: str, category: int | None
) -> None:
    found = ppe_for(energy)
    assert (found.requirement, found.category) == (requirement, category)


def test_above_40_the_only_thing_to_put_on_is_a_lock() -> None:
    (only,) = ppe_for(55).items
    assert "De-energize" in only.en
    assert "לנתק" in only.he


@pytest.mark.parametrize("energy", [1, 3, 7, 20, 35, 60])
def test_what_is_worn_is_said_in_both_languages(energy: float) -> None:
    for item in ppe_for(energy).items:
        assert (language(item.en), language(item.he)) == ("en", "he")


def test_from_category_3_on_a_suit_with_a_hood_is_worn() -> None:
    assert not any("jacket" in item.en for item in ppe_for(7.9).items)
    worn = [item.en for item in ppe_for(8.1).items]
    assert any("hood rated at least 25" in item for item in worn)
