"""What `search_documents` cites."""

from __future__ import annotations

from packs.knowledge.documents import search_documents
from rollcall.core.context import ToolContext
from tests.support.knowledge import ANN, Library
from tests.support.pdfs import pdf


def test_the_tool_cites_document_page_and_section(library: Library) -> None:
    id = library.add(ANN, pdf([["x"], [("3.2 Grounding", 14), "Driven eight feet."]]), "guide.pdf")
    ctx = ToolContext(user=ANN, platform=library.platform)
    found = search_documents(ctx, query="eight feet")
    assert [each.document_id for each in found.passages] == [id]
    (cited,) = ctx.citations
    assert cited.dump() == {
        "n": 0,
        "type": "document",
        "title": "guide",
        "quote": "3.2 Grounding Driven eight feet.",
        "documentId": id,
        "page": 2,
        "section": "3.2 Grounding",
    }
