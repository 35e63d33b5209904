"""What changed between editions."""

from __future__ import annotations

from packs.electrical.nec.editions import EDITIONS, article
from tests.support.for_every import for_every


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
