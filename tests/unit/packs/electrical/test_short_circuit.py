"""Interrupting ratings against fault currents (NEC 110.9)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.fault_current import (
    INTERRUPTING_RATINGS_A,
    from_utility,
    smallest_interrupting_rating,
)
from packs.electrical.calculations.short_circuit import Fault, Motors, fault_at
from packs.electrical.results import Basis
from packs.electrical.short_circuit import RatingCheck, check_rating, path_chart
from seed.electrical.sample import projects

OFFICE = next(each.project for each in projects() if each.project.id == "office")


def checked(
    amps: float, rating: float | None, *, xr: float = 2.0, motors: Motors | None = None, **of: Any
) -> RatingCheck:
    panel = OFFICE.panels[0].model_copy(update={"is_service_equipment": False, **of})
    point = from_utility("service", amps, 480, 3, xr)
    fault = Fault(panel, (point,), (None,), motors or Motors(0, 0), Basis())
    return check_rating(OFFICE, panel, fault, rating)


@pytest.mark.parametrize(
    ("amps", "rating"),
    [(1, 10_000), (10_000, 10_000), (10_001, 14_000), (42_001, 50_000), (200_000, 200_000)],
)
def test_the_smallest_standard_rating_that_suffices(amps: float, rating: int) -> None:
    assert smallest_interrupting_rating(amps) == rating


@given(st.floats(1, 300_000))
def test_a_rating_is_never_below_the_current(amps: float) -> None:
    found = smallest_interrupting_rating(amps)
    assert (found is None) == (amps > INTERRUPTING_RATINGS_A[-1])
    assert found is None or found >= amps


@given(st.floats(500, 250_000), st.sampled_from(INTERRUPTING_RATINGS_A))
def test_compliant_means_rated_for_what_is_available(amps: float, rating: int) -> None:
    found = checked(amps, rating)
    assert found.compliant == (amps <= rating)
    assert found.duty_amps is not None and found.duty_amps >= amps
    assert bool(found.warnings) == (not found.compliant or round(found.duty_amps) > rating)


def test_a_rating_equal_to_the_current_suffices() -> None:
    assert checked(10_000, 10_000, xr=1).compliant


def test_motors_count() -> None:
    assert checked(9_900, 10_000).compliant
    assert not checked(9_900, 10_000, motors=Motors(1, 30)).compliant


def test_a_rating_that_is_not_known_is_not_checked() -> None:
    found = checked(15_000, None)
    assert (found.compliant, found.required, found.duty_amps) == (None, 18_000, None)
    assert "18,000 A" in found.warnings[0].say("en")


def test_above_200_ka_no_standard_rating_suffices() -> None:
    found = checked(210_000, 200_000)
    assert (found.required, found.compliant) == (None, False)
    assert "current limitation" in found.warnings[0].say("en")


def test_high_x_r_makes_a_close_rating_too_low_for_the_peak() -> None:
    assert checked(21_500, 22_000, xr=4.9).warnings == ()
    found = checked(21_500, 22_000, xr=12)
    assert found.compliant
    assert found.duty_amps is not None
    assert found.duty_amps > 22_000
    assert "X/R 12.0" in found.warnings[0].say("en")


def test_a_series_rating_comes_with_its_conditions() -> None:
    few = checked(9_000, 10_000, series_rated=True, motors=Motors(1, 90))
    many = checked(9_000, 10_000, series_rated=True, motors=Motors(3, 110))
    assert [len(few.warnings), len(many.warnings)] == [1, 2]
    assert "100 A" in many.warnings[1].say("en")  # 1 % of 10,000 A


def test_service_equipment_is_marked_with_the_current() -> None:
    found = checked(9_000, 10_000, is_service_equipment=True)
    assert any(
        "110.24(A)" in warning.say("en") and "9,000 A" in warning.say("en")
        for warning in found.warnings
    )


# ---- The chart of a fault current along its way ----


WORKSHOP = next(each.project for each in projects() if each.project.id == "workshop")


def test_each_point_has_a_bar_and_motors_stand_on_the_last() -> None:
    fault = fault_at(WORKSHOP, WORKSHOP.panels[1])
    rows = path_chart(fault, 22_000, "en")["data"]["values"]
    assert [row["point"] for row in rows] == [
        "Service terminals",
        "Main Panel",
        "Shop Floor",
        "Shop Floor",
    ]
    assert sum(row["amps"] for row in rows if row["point"] == "Shop Floor") == round(fault.amps)


@pytest.mark.parametrize(("locale", "name"), [("en", "T1 (primary)"), ("he", "⁨T1⁩ (ראשוני)")])
def test_a_transformers_primary_is_named_in_the_users_language(locale: str, name: str) -> None:
    (panel,) = [each for each in OFFICE.panels if each.name == "LP1"]
    rows = path_chart(fault_at(OFFICE, panel), None, locale)["data"]["values"]
    assert [row["point"] for row in rows[2:4]] == [name, "T1"]


def test_a_known_rating_is_a_line() -> None:
    fault = fault_at(WORKSHOP, WORKSHOP.panels[1])
    known, unknown = (path_chart(fault, rating, "en") for rating in (22_000, None))
    assert known["layer"][1]["data"]["values"][0]["amps"] == 22_000
    assert len(unknown["layer"]) == 1


def test_it_is_labelled_in_the_users_language() -> None:
    fault = fault_at(WORKSHOP, WORKSHOP.panels[0], with_motors=False)
    chart = path_chart(fault, None, "he")
    assert chart["title"] == "זרם הקצר לאורך ההזנה"
    assert chart["data"]["values"][0]["point"] == "נקודת החיבור"
