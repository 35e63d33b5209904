"""search_nec and lookup_nec_table as functions are called, over documents that people uploaded."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.electrical.nec_search import search_nec
from packs.electrical.nec_tables import lookup_nec_table
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument, NotFound
from rollcall.core.text import language
from tests.support.knowledge import ANN, EVE, Library

SPECS = """# Switchgear

## Terminals

Tighten the lugs of feeder breakers to 50 lb-in with a calibrated torque wrench.

## הארקה

אלקטרודת ההארקה תותקן ביסוד הבניין לפני היציקה.
"""


@pytest.fixture
def library(db: Client) -> Library:
    library = Library(db)
    library.add(ANN, SPECS, "specs.md")
    return library


def call(library: Library, function: Any, user: Any = ANN, **arguments: Any) -> dict[str, Any]:
    """Call with JSON, checked and answered as a model's or an app's call is."""
    return dict(Capability.of(function).call(library.ctx(user), arguments))


def test_a_users_own_document_is_found_beside_the_code(library: Library) -> None:
    found = search_nec(library.ctx(ANN), query="torque of lugs")
    assert found.articles[0].number == "110.14(D)"
    assert found.passages[0].title == "specs"
    assert "50 lb-in" in found.passages[0].text
    assert found.passages[0].heading.endswith("Terminals")
    assert found.searched_all


def test_a_document_is_asked_for_in_hebrew_alone(library: Library) -> None:
    ctx = library.ctx(ANN)
    ctx.locale = "he"
    found = search_nec(ctx, query="אלקטרודת הארקה ביסוד", source="documents")
    assert found.articles == []
    assert "יציקה" in found.passages[0].text
    assert {citation.type for citation in ctx.citations} == {"document"}
    assert language(found.answer) == "he"


def test_a_strangers_document_is_never_found(library: Library) -> None:
    found = search_nec(library.ctx(EVE), query="torque of lugs")
    assert found.passages == []
    assert found.articles


def test_both_take_and_answer_json(library: Library) -> None:
    table = call(library, lookup_nec_table, table="250.122", value=100)
    assert table["rows"] == [{"ocpdMaxAmps": 100, "copper": "8", "aluminum": "6", "verified": True}]
    assert table["citations"][0]["table"] == "250.122"
    found = call(library, search_nec, query="interrupting rating", source="code")
    assert found["articles"][0]["number"] == "110.9"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"table": "999.1"}, NotFound),
        ({"table": "310.16", "edition": 2014}, InvalidArgument),
        ({"table": "310.16", "size": "5/0"}, InvalidArgument),
        ({"table": "310.16", "unknown": 1}, InvalidArgument),
        ({"table": "x" * 300}, InvalidArgument),
        ({"table": "250.122", "value": -1}, InvalidArgument),
    ],
)
def test_bad_input_is_refused_before_it_is_looked_up(
    library: Library, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        call(library, lookup_nec_table, **arguments)
