"""Properties of every stored table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from packs.electrical.nec import tables
from packs.electrical.nec.editions import EDITIONS
from rollcall.core.errors import NotFound
from rollcall.core.text import language
from tests.support.for_every import for_every

every_table = for_every("key", list(tables.FILES))
every_edition = for_every("edition", EDITIONS)


def test_every_file_of_a_table_is_one_that_can_be_looked_up() -> None:
    folder = Path(tables.__file__).with_name("data")
    names = {path.stem for path in folder.glob("*.json")} - {"articles"}
    assert names == set(tables.FILES.values())


@every_table
def test_a_table_says_what_it_is_in_both_languages_and_where_it_is_from(key: str) -> None:
    table = tables.table(key)
    texts = [table.title, *table.notes, *(column.name for column in table.columns)]
    assert all(text.say("en") and text.say("he") for text in texts)
    assert language(table.title.say("he")) == "he"
    assert table.units.say("en") and table.units.say("he")
    assert table.sources
    assert all(language(note.say("he")) == "he" for note in table.notes)


@every_table
def test_the_columns_by_which_a_table_is_entered_are_its_own(key: str) -> None:
    entry = tables.load(tables.FILES[key]).get("entry", {})
    named = [entry[name] for name in ("upTo",) if name in entry]
    named += [f"{entry['range']}{end}" for end in ("Min", "Max") if "range" in entry]
    assert set(named) <= {column.key for column in tables.table(key).columns}
    assert entry.get("quantity") in (None, "amps", "celsius", "count", "hp")
    assert entry.keys() <= {"quantity", "upTo", "range"}


@every_table
@every_edition
def test_what_is_not_verified_says_so_and_why_in_both_languages(key: str, edition: Any) -> None:
    table = tables.table(key, edition)
    assert table.rows
    assert (table.note is None) == all(row.note is None for row in table.rows)
    for row in table.rows:
        if row.note:
            assert row.note.say("en") and language(row.note.say("he")) == "he"


@every_table
@every_edition
def test_a_table_is_found_by_its_number_in_the_edition(key: str, edition: Any) -> None:
    assert tables.key_of(tables.table(key, edition).number) == key


@every_table
@every_edition
def test_no_row_stands_twice(key: str, edition: Any) -> None:
    cells = [tuple(row.values.values()) for row in tables.table(key, edition).rows]
    assert len(cells) == len(set(cells))


@for_every(
    ("number", "key"),
    [
        ("Table 310.16", "310.16"),
        ("310.15(B)(16)", "310.16"),
        ("NEC 2017 table 310.15(b)(16)", "310.16"),
        ("310.15(B)(2)(a)", "310.15(B)(1)(1)"),
        ("310.15(B)(1)", "310.15(B)(1)(1)"),
        ("310.15 (C) (1)", "310.15(C)(1)"),
        ("220.45", "220.42"),
        ("220.42(A)", "220.12"),
        ("120.55", "220.55"),
        ("220.47", "220.44"),
        ("240.6", "240.6(A)"),
        ("430.52(C)(1)", "430.52"),
        ("Chapter 9 Table 8", "Chapter 9 Table 8"),
        ("Ch. 9, Table 9", "Chapter 9 Table 9"),
        ("Table 9", "Chapter 9 Table 9"),
        ("פרק 9 טבלה 8", "Chapter 9 Table 8"),
        ("טבלה 250.122", "250.122"),
        ("c values", "C values"),
    ],
)
def test_a_table_is_known_by_its_number_in_any_edition(number: str, key: str) -> None:
    assert tables.key_of(number) == key


@pytest.mark.parametrize("number", ["310.17", "999", "", "ampacity"])
def test_an_unknown_table_is_refused_with_those_known(number: str) -> None:
    with pytest.raises(NotFound, match=r"310\.16.*Chapter 9 Table 9") as refused:
        tables.key_of(number)
    assert refused.value.field == "table"


def test_a_table_differs_where_editions_differ() -> None:
    of_2017 = tables.table("250.122", 2017).rows[-1].values
    of_2023 = tables.table("250.122", 2023).rows[-1].values
    assert (of_2017["aluminum"], of_2023["aluminum"]) == ("1200", "1250")
    assert [row.values["device"] for row in tables.table("240.6(A)", 2020).rows][3] == "fuse"
    assert [row.values["device"] for row in tables.table("240.6(A)", 2023).rows][3] != "fuse"


def test_tables_that_were_not_checked_against_an_edition_are_named_together() -> None:
    said = tables.unchecked(["310.16", "240.4(D)", "310.15(B)(1)(1)", "310.16"], 2026)
    assert said is not None
    assert "2026 edition: Table 310.16, 240.4(D);" in said.say("en")
    assert language(said.say("he")) == "he"
    assert tables.unchecked(["310.16", "240.4(D)"], 2023) is None
    assert "Table 120.55" in (tables.unchecked(["220.55"], 2026) or said).say("en")
