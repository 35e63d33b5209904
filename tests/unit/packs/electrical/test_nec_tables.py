"""lookup_nec_table, by arguments and by questions."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.nec.editions import EDITIONS
from packs.electrical.nec.tables import FILES
from packs.electrical.nec_tables import NecTable, lookup_nec_table
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import InvalidArgument, NotFound
from rollcall.core.text import language
from tests.support.for_every import for_every

PRIORITY = ["310.16", "250.66", "250.122", "220.12", "220.42", "220.55", "430.52"]


def context(locale: str = "en") -> ToolContext:
    return ToolContext(user=User(uid="u1"), locale=locale)


def look(**given: Any) -> NecTable:
    return lookup_nec_table(context(given.pop("locale", "en")), **given)


def cells(found: NecTable) -> dict[str, Any]:
    (row,) = found.rows
    return row


def test_a_conductor_has_one_row_and_one_column() -> None:
    found = look(table="310.16", size="4 AWG", material="Al", temperature_rating=75)
    assert cells(found) == {"size": "4", "aluminum75": 65, "verified": True}
    assert found.answer is not None and "65 A" in found.answer
    assert (found.table, found.edition, found.total_rows) == ("310.16", 2023, 30)
    assert not found.warnings


@for_every(
    ("query", "table", "expected"),
    [
        ("ampacity of 4 AWG aluminum at 75", "310.16", {"aluminum75": 65}),
        ("which EGC for 100 A", "250.122", {"copper": "8", "aluminum": "6"}),
        ("table 250.66 for 2/0 copper service", "250.66", {"copper": "4", "aluminum": "2"}),
        ("full load current of a 7-1/2 hp three-phase motor at 208 V", "430.250", {"v208": 24.2}),
        ("current of a 5 hp single-phase motor at 240 V", "430.248", {"v230": 28}),
        ("adjustment factor for 7 current-carrying conductors", "310.15(C)(1)", {"factor": 0.7}),
        ("temperature correction at 43 °C", "310.15(B)(1)(1)", {"rating90": 0.87}),
        ("next standard breaker above 83 A", "240.6(A)", {"ratingAmps": 90}),
        ("motor breaker percentage for design B", "430.52(C)(1)", {"instantaneousBreaker": 1100}),
        ("demand of 14 dryers", "220.54", {"percent": 47, "lessPerDryer": 1}),
        ("lighting load of an office", "220.42(A)", {"vaPerFt2": 1.3}),
        ("Chapter 9 Table 9 for 250 kcmil", "Chapter 9 Table 9", {"rCopperSteel": 0.054}),
        ("מה כושר ההולכה של AWG 4 אלומיניום ב-75 מעלות?", "310.16", {"aluminum75": 65}),
        ("איזה מוליך הארקה נדרש למפסק של 100 אמפר?", "250.122", {"copper": "8"}),
        ("עומס תאורה למשרד", "220.42(A)", {"vaPerFt2": 1.3}),
        ("מקדם הפחתה ל-7 מוליכים", "310.15(C)(1)", {"factor": 0.7}),
    ],
)
def test_a_question_finds_its_table_and_row(
    query: str, table: str, expected: dict[str, Any]
) -> None:
    found = look(query=query)
    assert found.table == table
    assert expected.items() <= cells(found).items()


@pytest.mark.parametrize(
    ("locale", "query"), [("en", "5 hp 230 V motor FLC"), ("he", 'זרם מנוע 5 כ"ס 230 וולט')]
)
def test_a_motor_without_a_phase_is_said_to_be_taken_as_three_phase(
    locale: str, query: str
) -> None:
    found = look(locale=locale, query=query)
    assert cells(found)["v230"] == 15.2
    assert "430.248" in found.warnings[-1]


@pytest.mark.parametrize(
    "given",
    [
        {"query": "5 hp 230 V three-phase motor FLC"},
        {"query": 'זרם מנוע תלת-פאזי 5 כ"ס 230 וולט'},
        {"query": "5 hp 230 V 1-phase motor FLC"},
        {"table": "430.250", "value": 5},
        {"table": "430.250", "query": "5 hp motor at 230 V"},
    ],
)
def test_a_motor_whose_phases_are_named_has_no_warning(given: dict[str, Any]) -> None:
    assert not look(**given).warnings


@pytest.mark.parametrize(
    ("locale", "query", "said"),
    [
        ("en", "Is 95 A a standard breaker?", "95 A is no standard rating; the next is 100 A"),
        ("he", "האם 95 אמפר הוא מפסק תקני?", "אינו זרם נקוב תקני"),
        ("en", "Is 601 A a standard fuse?", "601 A is a standard rating of fuses, not of breakers"),
        ("he", "האם 601 אמפר הוא נתיך תקני?", "תקני לנתיכים, ולא למפסקים"),
    ],
)
def test_a_rating_that_is_not_standard_is_said_to_be_none(
    locale: str, query: str, said: str
) -> None:
    found = look(locale=locale, query=query)
    assert found.answer is not None and said in found.answer


@pytest.mark.parametrize("query", ["Is 100 A a standard breaker?", "next standard size above 95 A"])
def test_a_standard_rating_is_given_without_more(query: str) -> None:
    found = look(query=query)
    assert cells(found)["ratingAmps"] == 100
    assert found.answer is not None and "is no standard" not in found.answer


@pytest.mark.parametrize(("locale", "words"), [("en", "breaker or fuse"), ("he", "מפסק או נתיך")])
def test_devices_are_told_in_words(locale: str, words: str) -> None:
    ctx = context(locale)
    found = lookup_nec_table(ctx, table="240.6(A)", value=100)
    assert found.answer is not None and words in found.answer
    assert ctx.display is not None and ctx.display.rows is not None
    assert words in ctx.display.rows[0].values()


@for_every("table", [*PRIORITY, *FILES])
@for_every("edition", EDITIONS)
@for_every("locale", ["en", "he"])
def test_every_table_is_shown_whole_in_every_edition(table: str, edition: Any, locale: str) -> None:
    ctx = context(locale)
    found = lookup_nec_table(ctx, table=table, edition=edition)
    assert len(found.rows) == found.total_rows <= 64
    assert {column.key for column in found.columns} <= set(found.rows[0])
    assert found.verified == all(row["verified"] for row in found.rows)
    assert found.verified or found.warnings
    assert found.sources and found.units
    assert language(found.title) == locale or "C" in table
    assert ctx.display is not None and ctx.display.columns and ctx.display.rows
    assert len(ctx.display.rows) == len(found.rows)
    assert set(ctx.display.rows[0]) == set(ctx.display.columns)


def test_the_answer_leaves_the_title_to_the_result() -> None:
    found = look(table="310.16")
    assert found.answer == "NEC 2023 Table 310.16: 30 rows."
    assert found.title not in look(table="310.16", locale="he").answer


def test_it_cites_the_table_by_its_number_in_the_edition() -> None:
    ctx = context()
    lookup_nec_table(ctx, table="310.16", edition=2017)
    (citation,) = ctx.citations
    assert (citation.code, citation.edition) == ("NEC", "2017")
    assert citation.table == citation.article == "310.15(B)(16)"
    (reference,) = look(table="Chapter 9 Table 8").citations
    assert (reference.article, reference.table) == ("Chapter 9", "8")
    assert not look(table="C values").citations


def test_what_was_not_verified_is_marked_and_explained() -> None:
    found = look(table="220.45", row="hotel", edition=2023)
    assert [row["verified"] for row in found.rows] == [False] * 3
    assert not found.verified
    assert "2017" in found.warnings[0]
    assert "2017" in found.rows[0]["note"]
    assert look(table="220.45", row="office").verified  # one of all others, which did not change
    in_hebrew = look(table="250.122", value=100, edition=2026, locale="he")
    assert language(in_hebrew.warnings[0]) == "he"


def test_editions_differ_where_the_code_does() -> None:
    aluminum = [
        cells(look(table="250.122", value=6000, edition=edition))["aluminum"]
        for edition in (2017, 2020, 2023)
    ]
    assert aluminum == ["1200", "1250", "1250"]


def test_a_service_of_unknown_material_gets_both_rows() -> None:
    assert [row["copper"] for row in look(table="250.66", size="2/0").rows] == ["6", "4"]


def test_what_does_not_enter_the_table_is_said_and_left_aside() -> None:
    found = look(table="220.55", value=3, size="12", material="copper")
    assert cells(found)["columnCKw"] == 14
    assert ["size" in found.warnings[0], "material" in found.warnings[1]] == [True, True]


def test_a_doubtful_cell_concerns_those_who_see_it() -> None:
    assert not look(table="C values", size="750", material="aluminum").verified
    assert look(table="C values", size="750", material="copper").verified


def test_a_temperature_that_names_the_column_enters_nothing() -> None:
    assert not look(query="ampacity of 4 AWG copper at 75 °C", value=75).warnings


def test_arguments_win_over_the_question() -> None:
    found = look(query="ampacity of 4 AWG aluminum at 75", size="2", temperature_rating=90)
    assert cells(found) == {"size": "2", "aluminum90": 100, "verified": True}


@for_every(
    ("given_", "field", "said"),
    [
        ({"table": "310.16", "size": "5/0"}, "size", "18 to 4/0"),
        ({"table": "310.16", "size": "12", "material": "silver"}, "material", "copper"),
        (
            {"table": "250.122", "value": 7000},
            "value",
            "value 7,000; its rows (Overcurrent device up to) go from 15",
        ),
        ({"table": "Chapter 9 Table 9", "size": "700"}, "size", "14 to 1000"),
        ({"table": "310.15(B)(1)(1)", "value": 90}, "value", "10 to 85"),
        ({"table": "430.250", "value": 6}, "value", "1/2 to 500"),
        ({"query": "current of a 5 hp three-phase motor at 277 V"}, "voltage", "220–240"),
        ({"table": "220.12", "row": "spaceship"}, "row", "dwelling"),
        ({"query": "ampacity of 2.5 mm² copper"}, "size", "AWG 14 (2.08 mm²)"),
        ({"query": 'כושר הולכה של 4 ממ"ר'}, "size", "AWG 12 (3.31 mm²)"),
        ({"query": "ampacity of 20 AWG copper"}, "size", "18 to 4/0"),
        ({"query": "כושר הולכה של 275 kcmil"}, "size", "18 to 4/0"),
        ({"query": "synchronous motor FLC 50 hp 460 V"}, "query", "nameplate"),
        ({"table": "430.250", "value": 50, "row": "DC"}, "row", "nameplate"),
        ({"query": "GEC for 2 sets of 500 kcmil"}, "size", "their sum"),
        ({"query": "מוליך אלקטרודת הארקה לשני 350 kcmil במקביל"}, "size", "their sum"),
        ({"table": "430.52", "row": "steam engine"}, "row", "no row"),
        ({}, "table", "310.16"),
        ({"query": "hello"}, "table", "310.16"),
    ],
)
def test_what_cannot_be_looked_up_is_refused_by_name(
    given_: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        look(**given_)
    assert refused.value.field == field
    assert said in refused.value.message


def test_a_metric_area_of_a_known_size_finds_its_row() -> None:
    assert cells(look(query="ampacity of 3.31 mm² copper at 75 °C"))["copper75"] == 25
    by_device = look(query="EGC for a 20 A breaker with 2.5 mm² conductors")
    assert cells(by_device)["copper"] == "12"


def test_conductors_in_parallel_are_looked_up_by_the_sum_of_their_areas() -> None:
    found = look(query="GEC for 2 sets of 500 kcmil copper", size="1000")
    assert cells(found)["copper"] == "2/0"


def test_an_unknown_table_lists_those_known() -> None:
    with pytest.raises(NotFound) as refused:
        look(table="999.1")
    assert all(number in refused.value.message for number in PRIORITY)


def test_the_answer_is_a_sentence_with_its_source_and_its_doubts() -> None:
    assert look(table="310.16", size="4", material="Al", temperature_rating=75).answer == (
        "NEC 2023 Table 310.16: Size: AWG 4; Aluminum, 75 °C: 65 A."
    )
    assert look(table="310.16").answer.endswith("30 rows.")
    hotel = look(table="220.45", row="hotel").answer
    assert "Up to: 20000 VA; Demand: 50 %" in hotel
    assert "2017 edition" in hotel
    in_hebrew = look(query="מוליך הארקה למפסק של 100 אמפר", locale="he").answer
    assert language(in_hebrew) == "he"
    assert "\u2068AWG 8\u2069" in in_hebrew


def test_the_edition_is_the_arguments_else_the_questions() -> None:
    assert look(query="table 250.122 of the 2017 code").edition == 2017
    assert look(query="NEC 2020 table 250.122", edition=2026).edition == 2026
    assert look(query="table 250.122").edition == 2023
    assert look(query="table 250.122, 2017 against 2020").edition == 2023


def test_the_number_of_the_table_is_not_what_it_is_entered_by() -> None:
    assert len(look(table="250.122", value=250.122).rows) == 19
    assert cells(look(table="250.122", value=250))["ocpdMaxAmps"] == 300


def test_a_single_phase_motor_is_not_answered_from_the_three_phase_table() -> None:
    found = look(query="5 hp 230 V single phase full load current")
    assert found.table == "430.248"
    assert cells(found)["v230"] == 28


def test_the_rating_above_another_is_not_that_rating() -> None:
    assert cells(look(query="next standard breaker above 110 A"))["ratingAmps"] == 125
    assert cells(look(query="standard breaker for 110 A"))["ratingAmps"] == 110


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"query": "ampacity of 14 AWG aluminum"}, "size"),
        ({"table": "310.16", "size": "14", "material": "al", "temperature_rating": 75}, "size"),
        ({"query": "full-load current of a 50 hp motor at 115 V"}, "value"),
    ],
)
def test_a_cell_that_the_table_leaves_empty_is_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument, match="no figure") as refused:
        look(**given)
    assert refused.value.field == field
