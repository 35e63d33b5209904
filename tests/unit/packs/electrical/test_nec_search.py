"""search_nec over the index of articles."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical.nec_search import NecSearch, search_nec
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import InvalidArgument
from rollcall.core.text import language
from rollcall.knowledge import search as knowledge
from rollcall.knowledge.search import Passage, SearchResult


def search(query: str, locale: str = "en", **given: Any) -> tuple[NecSearch, ToolContext]:
    ctx = ToolContext(user=User(uid="u1"), locale=locale)
    return search_nec(ctx, query=query, source="code", **given), ctx


def test_words_find_sections_and_cite_them() -> None:
    found, ctx = search("working space around panels")
    assert found.articles[0].number == "110.26"
    assert found.articles[0].score == 1
    assert found.passages == []
    assert ctx.citations[0].article == "110.26"
    assert (ctx.citations[0].code, ctx.citations[0].edition) == ("NEC", "2023")
    assert ctx.display is not None and ctx.display.rows is not None
    assert "110.26" in str(ctx.display.rows[0])


def test_hebrew_is_asked_and_answered() -> None:
    found, ctx = search("הארקת בריכת שחייה", locale="he")
    assert found.articles[0].number in ("680", "680.26")
    assert language(found.articles[0].about) == "he"
    assert ctx.display is not None and ctx.display.columns == ["היכן", "כותרת", "תוכן"]


def test_numbers_are_those_of_the_edition() -> None:
    found, _ = search("310.16 ampacities", edition=2017)
    assert found.articles[0].number == "310.15(B)(16)"
    found, _ = search("220.55 cooking appliances", edition=2026)
    assert (found.articles[0].number, found.citations[0].article) == ("120.55", "120.55")
    assert search("ampacities of the 2017 code")[0].edition == 2017


def test_the_limit_is_kept() -> None:
    assert len(search("conductor", limit=3)[0].articles) == 3


def test_nothing_found_is_said() -> None:
    found, ctx = search("zyzzyva")
    assert found.articles == []
    assert ctx.display is not None and ctx.display.text is not None
    assert "Nothing was found" in ctx.display.text


@pytest.mark.parametrize("query", ["?", " ... "])
def test_a_query_without_words_is_refused(query: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        search(query)
    assert refused.value.field == "query"


def test_passages_of_documents_come_beside_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def of_documents(ctx: ToolContext, query: str, *, limit: int) -> SearchResult:
        asked.append((query, limit))
        text = "Tighten lugs to 50 lb-in."
        passage = Passage(
            document_id="d1", title="Specs", heading="Terminals", page_from=7, text=text, score=0.9
        )
        return SearchResult(passages=[passage], searched_all=False)

    monkeypatch.setattr(knowledge, "search", of_documents)
    ctx = ToolContext(user=User(uid="u1"))
    both = search_nec(ctx, query="torque", limit=4)
    assert asked == [("torque", 4)]
    assert both.articles[0].number == "110.14(D)"
    assert (both.passages[0].page, both.searched_all) == (7, False)
    assert {citation.type for citation in ctx.citations} == {"code", "document"}
    assert ctx.display is not None and ctx.display.rows is not None
    assert ctx.display.rows[-1]["Where"] == "Specs, p. 7"
    alone = search_nec(ToolContext(user=User(uid="u1")), query="torque", source="documents")
    assert (alone.articles, len(alone.passages)) == ([], 1)


def test_the_answer_names_the_best_section_and_the_others() -> None:
    found, _ = search("working space around panels")
    assert found.answer.startswith("NEC 2023 110.26 (Spaces About Electrical Equipment): ")
    assert language(search("מרחב עבודה מול לוח חשמל", locale="he")[0].answer) == "he"
    assert "Nothing was found" in search("zyzzyva")[0].answer
