"""A rule over many cases fails with each case that breaks it."""

from __future__ import annotations

import pytest

from tests.support.for_every import for_every


@for_every("number", [2, 3, 4, 5])
def is_even(number: int) -> None:
    assert number % 2 == 0


@for_every(("low", "high"), [(1, 2), (3, 1)])
@for_every("way", "ab")
def is_ordered(low: int, high: int, way: str) -> None:
    assert way in "ab"
    assert low < high


def test_every_case_that_breaks_a_rule_is_named() -> None:
    with pytest.raises(ExceptionGroup) as broken:
        is_even()
    notes = [error.__notes__[-1] for error in broken.value.exceptions]
    assert notes == ["with number = 3", "with number = 5"]
    assert "2 of 4 cases" in str(broken.value)


def test_rules_of_several_parameters_can_be_stacked() -> None:
    with pytest.raises(ExceptionGroup, match="1 of 2 cases"):
        is_ordered()


def test_a_rule_without_cases_is_refused() -> None:
    with pytest.raises(ValueError, match="no case of number"):
        for_every("number", [])
