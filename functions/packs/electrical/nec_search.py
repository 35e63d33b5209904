"""The capability `search_nec`: the index of the NEC and the user's own documents."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.nec import articles
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.nec.lookup import edition_in
from packs.electrical.results import CalculationResult, CodeReference, finish
from packs.electrical.wording import TEXTS, invalid, pattern
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.hidden import Hidden
from rollcall.core.shapes import Citation, Display, Wire
from rollcall.core.text import terms
from rollcall.core.texts import isolated, short

MAX_FOUND = 20
QUOTE_CHARS = 240


class ArticleMatch(Wire):
    """An article or section of the NEC.

    Attributes:
        number: Its number in the requested edition.
        about: Its subject, in this project's own words: the code's text is not here.
        score: 1 for the best of this search.
    """

    number: str
    title: str
    about: str
    score: float


class PassageMatch(Wire):
    """A passage of a document that the user may read.

    Attributes:
        heading: The section it stands in.
        page: Counted from 1; None in files without pages.
    """

    document_id: str
    title: str
    heading: str
    page: int | None = None
    text: str
    score: float


class NecSearch(CalculationResult):
    """The result of search_nec.

    Attributes:
        articles: The articles of the index, best first.
        passages: The passages of documents, best first.
        sources: The citations, the likelier ones first, for direct callers: in a run they are
            beside the result.
        searched_all: Whether every document of the user was searched.
    """

    query: str
    edition: Edition
    articles: list[ArticleMatch]
    passages: list[PassageMatch]
    searched_all: bool = True
    sources: Annotated[tuple[Citation, ...], Hidden()] = ()


@capability(related=["lookup_nec_table"])
def search_nec(
    ctx: ToolContext,
    *,
    query: Annotated[str, Field(min_length=1, max_length=500)],
    edition: Edition | None = None,
    source: Literal["all", "code", "documents"] = "all",
    limit: Annotated[int, Field(ge=1, le=MAX_FOUND)] = 8,
) -> NecSearch:
    """Find which articles and sections of the NEC a topic is in, by number or by words, and what
    the user's own uploaded documents say about it. The index has numbers, titles and one line each,
    not the code's text.

    Args:
        query: What to look for, such as "GFCI in garages" or "250.66", in English or Hebrew.
        edition: The NEC's edition whose numbers are given; without one, that of `query`, else
            2023.
        source: "code" for the NEC's index alone, "documents" for the user's documents alone.
        limit: Most articles, and most passages.

    Raises:
        InvalidArgument: `query` has no word or number to look for.
    """
    if not any(char.isalnum() for char in query):
        raise invalid("query", "nothing_to_look_for")
    edition = edition or edition_in(query) or DEFAULT
    ranking = articles.ranked(query, limit, edition) if source != "documents" else []
    result = NecSearch(
        query=query,
        edition=edition,
        articles=[
            ArticleMatch(
                number=article.number_in(edition),
                title=article.title,
                about=article.about.say(ctx.locale),
                score=round(score, 3),
            )
            for article, score in ranking
        ],
        passages=[],
        citations=tuple(
            CodeReference(edition=edition, article=article.number_in(edition), title=article.title)
            for article, _ in ranking
        ),
    )
    cited: list[Citation] = []
    if source != "code":
        from rollcall.knowledge.search import citation, search

        documents = search(ctx, query, limit=limit)
        cited = [citation(each) for each in documents.passages]
        passages = [
            PassageMatch(
                document_id=each.document_id,
                title=each.title,
                heading=each.heading,
                page=each.page_from,
                text=each.text,
                score=each.score,
            )
            for each in documents.passages
        ]
        more = {"passages": passages, "searched_all": documents.searched_all}
        result = result.model_copy(update=more)
    is_of_documents = _is_of_documents(result)
    display = _display(ctx.locale, result, is_of_documents)
    before, after = (cited, []) if is_of_documents else ([], cited)
    for each in before:
        ctx.cite(each)
    answer = _answer(ctx.locale, result, is_of_documents)
    result = finish(ctx, result.model_copy(update={"answer": answer}), display)
    for each in after:
        ctx.cite(each)
    return result.model_copy(update={"sources": tuple(ctx.citations)})


def _is_of_documents(result: NecSearch) -> bool:
    """Return whether the documents have more of the question's words than the code's index, or as
    many for a question about this building; a question that names an article is about the code."""
    if not result.articles or not result.passages:
        return bool(result.passages)
    if articles.mentioned(result.query):
        return False
    best, passage = result.articles[0], result.passages[0]
    stems = set(terms(result.query))
    of_code = len(stems & set(terms(f"{best.title} {best.about}")))
    of_documents = len(stems & set(terms(f"{passage.heading} {passage.text}")))
    is_of_here = re.search(pattern("nec.cues.here"), result.query, re.IGNORECASE) is not None
    return of_documents > of_code or (is_of_here and of_documents == of_code)


def _answer(locale: str, result: NecSearch, is_of_documents: bool) -> str:
    """The best article and the best passage, the likelier one first, and the numbers of the
    others."""
    parts: list[str] = []
    if result.articles:
        best, *others = result.articles
        values = {"place": f"NEC {result.edition} {best.number}", "title": best.title}
        parts.append(TEXTS.say(locale, "nec.search.best", **values, about=best.about))
        if others:
            numbers = ", ".join(each.number for each in others)
            parts.append(TEXTS.say(locale, "nec.search.see_also", numbers=numbers))
    if result.passages:
        passage = result.passages[0]
        text = short(passage.text, most=QUOTE_CHARS)
        place = 0 if is_of_documents else len(parts)
        parts.insert(place, f"{isolated(_place(locale, passage))}: {text}")
    if not parts:
        parts.append(TEXTS.say(locale, "nec.search.nothing"))
    if not result.searched_all:
        parts.append(TEXTS.say(locale, "nec.search.not_all"))
    return " ".join(parts)


def _display(locale: str, result: NecSearch, is_of_documents: bool) -> Display:
    where, title, about = TEXTS.data(locale, "nec.search.columns").values()
    of_code = [
        {
            where: f"NEC {result.edition} {article.number}",
            title: article.title,
            about: article.about,
        }
        for article in result.articles
    ]
    of_documents = [
        {where: _place(locale, passage), title: passage.heading or "—", about: passage.text}
        for passage in result.passages
    ]
    if not of_code and not of_documents:
        nothing = TEXTS.say(locale, "nec.search.nothing")
        return Display(type="text", title=result.query, text=nothing)
    return Display(
        type="table",
        title=result.query,
        columns=[where, title, about],
        rows=[*of_documents, *of_code] if is_of_documents else [*of_code, *of_documents],
    )


def _place(locale: str, passage: PassageMatch) -> str:
    if passage.page is None:
        return passage.title
    return TEXTS.say(locale, "nec.search.page", title=passage.title, page=passage.page)
