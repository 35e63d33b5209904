"""Sheets as plain data."""

from __future__ import annotations

import msgspec
import pytest

from rollcall.render.sheet import (
    Chart,
    Heading,
    Image,
    Item,
    Lines,
    Sheet,
    Table,
    load,
    plain,
    shown,
)


def test_a_sheet_goes_through_json_and_comes_back_the_same() -> None:
    sheet = Sheet(
        "שברים",
        [
            Heading("חלק א"),
            Item(
                "1.", [Table(["שבר", "ערך"], [["1/2", 0.5], ["1/4", None]]), Lines(3)], "5 נקודות"
            ),
            Image(b"\x89PNG", alt="עיגול"),
            Chart(["א"], [3]),
        ],
    )
    assert load(msgspec.json.decode(msgspec.json.encode(plain(sheet)))) == sheet


def test_what_is_no_block_is_refused_with_its_place() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"blocks\[0\]"):
        load({"title": "x", "blocks": [{"type": "Video"}]})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (123456.78, "123456.78"), (999999.5, "999999.5"), (9876543.0, "9876543"),
        (1e-7, "0.0000001"), (0.1 + 0.2, "0.3"), (2.5, "2.5"), (-0.0, "0"), (7, "7"),
    ],
)  # fmt: skip
def test_numbers_are_shown_whole_and_without_exponents(number: float, text: str) -> None:
    assert shown(number) == text
