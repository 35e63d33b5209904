"""Search the NEC's index and the user's own documents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from packs.electrical.nec import articles
from packs.electrical.nec.asked import edition_in
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.results import CalculationResult, CodeReference, finish
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.shapes import Display, Wire
from rollcall.core.wording import isolated, say, short

MOST_FOUND = 20
_QUOTE_CHARS = 240


class FoundArticle(Wire):
    """An article or section of the NEC.

    Attributes:
        number: In the edition asked for.
        about: What it is about, in this project's own words: the code's text is not here.
        score: 1 for the best of this search.
    """

    number: str
    title: str
    about: str
    score: float


class FoundPassage(Wire):
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
    """What search_nec returns.

    Attributes:
        articles: Of the index, best first.
        passages: Of documents, best first.
        searched_all: Whether every document of the user was looked at.
    """

    query: str
    edition: Edition
    articles: list[FoundArticle]
    passages: list[FoundPassage]
    searched_all: bool = True


@capability(
    name={"en": "Search the NEC", "he": "חיפוש ב-NEC"},
    category="electrical",
    keywords=[
        "search the code",
        "search NEC",
        "which article",
        "which section",
        "what does the NEC say about",
        "what does the code say about",
        "code requirement",
        "NEC article",
        "where in the NEC",
        "find in my documents",
        "search my documents",
        "uploaded document",
        "specification",
        "חיפוש בתקן",
        "איזה סעיף",
        "מה אומר התקן על",
        "מה אומר ה-NEC על",
        "דרישות התקן",
        "סעיף בתקן",
        "חפש במסמכים שלי",
        "מסמך שהעליתי",
        "מפרט",
        "where in the code",
        "find in the code",
        "rules for",
        "איפה בקוד",
        "איפה כתוב",
        "חפש בקוד",
    ],
    examples=[
        {
            "userRequest": "Which NEC section is about working space around panels?",
            "parameters": {"query": "working space around panels"},
        },
        {
            "userRequest": "What do my documents say about torque?",
            "parameters": {"query": "torque", "source": "documents"},
        },
        {
            "userRequest": "איזה סעיף עוסק בהארקת בריכת שחייה?",
            "parameters": {"query": "הארקת בריכת שחייה"},
        },
    ],
    related=["lookup_nec_table"],
)
def search_nec(
    ctx: ToolContext,
    *,
    query: Annotated[str, Field(min_length=1, max_length=500)],
    edition: Edition | None = None,
    source: Literal["all", "code", "documents"] = "all",
    limit: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 8,
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
        raise InvalidArgument("say what to look for, such as 'GFCI in garages'", field="query")
    edition = edition or edition_in(query) or DEFAULT
    found = articles.ranked(query, limit, edition) if source != "documents" else []
    result = NecSearch(
        query=query,
        edition=edition,
        articles=[
            FoundArticle(
                number=article.number_in(edition),
                title=article.title,
                about=article.about.say(ctx.locale),
                score=round(score, 3),
            )
            for article, score in found
        ],
        passages=[],
        citations=[
            CodeReference(edition=edition, article=article.number_in(edition), title=article.title)
            for article, _ in found
        ],
    )
    if source != "code":
        result = _with_passages(ctx, result, limit)
    result = result.model_copy(update={"answer": _answer(ctx.locale, result)})
    return finish(ctx, result, _display(ctx.locale, result))


def _with_passages(ctx: ToolContext, result: NecSearch, limit: int) -> NecSearch:
    """The result with what the user's documents say; each passage is cited."""
    from rollcall.knowledge.search import cite, search

    found = search(ctx, result.query, limit=limit)
    for passage in found.passages:
        cite(ctx, passage)
    passages = [
        FoundPassage(
            document_id=passage.document_id,
            title=passage.title,
            heading=passage.heading,
            page=passage.page_from,
            text=passage.text,
            score=passage.score,
        )
        for passage in found.passages
    ]
    return result.model_copy(update={"passages": passages, "searched_all": found.searched_all})


def _answer(locale: str, result: NecSearch) -> str:
    """The best of the index and of the documents, and what else there is."""
    said: list[str] = []
    if result.articles:
        best, *others = result.articles
        place = _latin(locale, f"NEC {result.edition} {best.number}")
        said.append(f"{place} ({_latin(locale, best.title)}): {best.about}.")
        if others:
            also = say(locale, en="See also", he="ראו גם")
            said.append(f"{also} {_latin(locale, ', '.join(each.number for each in others))}.")
    if result.passages:
        passage = result.passages[0]
        text = short(passage.text, most=_QUOTE_CHARS)
        said.append(f"{isolated(_place(locale, passage))}: {text}")
    if not said:
        said.append(_nothing(locale))
    if not result.searched_all:
        said.append(say(locale, en="Not all documents were searched.", he="לא כל המסמכים נבדקו."))
    return " ".join(said)


def _latin(locale: str, text: str) -> str:
    return isolated(text) if locale.startswith("he") else text


def _nothing(locale: str) -> str:
    return say(
        locale,
        en="Nothing was found in the NEC's index or in your documents.",
        he="לא נמצא דבר באינדקס של ה-NEC או במסמכים שלך.",
    )


def _display(locale: str, result: NecSearch) -> Display:
    where = say(locale, en="Where", he="היכן")
    title = say(locale, en="Title", he="כותרת")
    about = say(locale, en="About", he="תוכן")
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
        return Display(
            type="text",
            title=result.query,
            text=_nothing(locale),
        )
    return Display(
        type="table",
        title=result.query,
        columns=[where, title, about],
        rows=[*of_code, *of_documents],
    )


def _place(locale: str, passage: FoundPassage) -> str:
    if passage.page is None:
        return passage.title
    return say(
        locale,
        en="{title}, p. {page}",
        he="{title}, עמ' {page}",
        title=passage.title,
        page=str(passage.page),
    )
