"""Sheets as plain data."""

from __future__ import annotations

import pytest

from rollcall.render.sheet import shown


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (123456.78, "123456.78"), (999999.5, "999999.5"), (9876543.0, "9876543"),
        (1e-7, "0.0000001"), (0.1 + 0.2, "0.3"), (2.5, "2.5"), (-0.0, "0"), (7, "7"),
    ],
)  # fmt: skip
def test_numbers_are_shown_whole_and_without_exponents(number: float, text: str) -> None:
    assert shown(number) == text
