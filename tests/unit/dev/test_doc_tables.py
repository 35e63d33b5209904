"""The documentation's tables agree with the code."""

from __future__ import annotations

from collections import Counter

import pytest

from dev import doc_tables

PAGES = {page: page.read_text(encoding="utf-8") for page in doc_tables.DOCS.rglob("*.md")}


def test_the_tables_are_current() -> None:
    stale = [page.name for page, text in PAGES.items() if doc_tables.render(text) != text]
    assert not stale, "run `make format`"


def test_each_table_stands_in_one_page() -> None:
    held = Counter(name for text in PAGES.values() for name in doc_tables.names(text))
    assert held == dict.fromkeys(doc_tables.TABLES, 1)


def test_a_number_that_was_changed_by_hand_is_noticed() -> None:
    text = next(text for text in PAGES.values() if "turn_limits" in doc_tables.names(text))
    assert "|`max_tools`|5|" in text
    changed = text.replace("|`max_tools`|5|", "|`max_tools`|8|")
    assert doc_tables.render(changed) == text


def test_a_table_that_there_is_not_is_an_error() -> None:
    with pytest.raises(KeyError):
        doc_tables.render("<!-- table: nothing -->\n<!-- end -->\n")
