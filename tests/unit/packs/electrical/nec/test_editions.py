"""What moved between editions."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.nec.editions import EDITIONS, article, parse_edition
from rollcall.core.errors import InvalidArgument
from tests.support.rules import for_every


@for_every(
    ("number", "numbers"),
    [
        ("310.16", ["310.15(B)(16)", "310.16", "310.16", "310.16"]),
        ("310.15(C)(1)", ["310.15(B)(3)(a)", "310.15(C)(1)", "310.15(C)(1)", "310.15(C)(1)"]),
        ("220.12", ["220.12", "220.12", "220.42(A)", "120.42(A)"]),
        ("220.42", ["220.42", "220.42", "220.45", "120.45"]),
        ("220.44", ["220.44", "220.44", "220.47", "120.47"]),
        ("220.55", ["220.55", "220.55", "220.55", "120.55"]),
        ("220", ["220", "220", "220", "120"]),
        ("430.52", ["430.52", "430.52", "430.52(C)(1)", "430.52(C)(1)"]),
        ("250.66", ["250.66"] * 4),
        ("2200.1", ["2200.1"] * 4),
    ],
)
def test_a_number_has_its_number_in_each_edition(number: str, numbers: list[str]) -> None:
    assert [article(number, edition) for edition in EDITIONS] == numbers


def test_a_number_of_a_later_edition_is_led_back() -> None:
    assert article("220.45", 2017) == "220.42"
    assert article("120.55", 2023) == "220.55"
    assert article("120.45", 2020) == "220.42"


@pytest.mark.parametrize("value", [2023, "2023", " 2023 "])
def test_an_edition_is_read_from_a_year(value: Any) -> None:
    assert parse_edition(value) == 2023


@pytest.mark.parametrize("value", [2014, "latest", None, 2023.5])
def test_an_unknown_edition_is_refused_with_those_known(value: Any) -> None:
    with pytest.raises(InvalidArgument, match="2017, 2020, 2023, 2026") as refused:
        parse_edition(value)
    assert refused.value.field == "edition"
