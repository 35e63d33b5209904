"""Notes that the agent gets without a tool, on the articles that a question names or is about; and
the review of the articles that an answer names."""

from __future__ import annotations

import re

from packs.electrical.nec.articles import Article, all_articles, find, mentioned, ranked
from packs.electrical.nec.editions import DEFAULT
from packs.electrical.wording import TEXTS, pattern
from rollcall.core.explanation import asks_what_it_is
from rollcall.core.profile import Note, Review
from rollcall.core.shapes import Citation
from rollcall.core.text import terms
from rollcall.core.texts import isolated

MAX_NOTES = 3
YEARS = range(1990, 2100)
FIRST_ARTICLE = 80
"""The lowest article number; lower numbers are chapters, or sections of a specification."""


def notes(message: str, locale: str) -> list[Note]:
    """Return notes on the articles that a message names or, where it asks what something is, on
    those about it."""
    articles = mentioned(message)
    if not articles and asks_what_it_is(message):
        articles = _about(message)
    return [
        Note(
            TEXTS.say(
                locale,
                "nec.article_note",
                place=f"NEC {DEFAULT} {article.number}",
                title=article.title,
                about=article.about,
            ),
            _citation(article),
        )
        for article in articles[:MAX_NOTES]
    ]


def review(answer: str, locale: str) -> Review:
    """Return the articles that an answer names, as sources, and a remark on those that the code
    does not have."""
    cited = rf"(?:{pattern('nec.cues.cited_article')})\s*(?:20\d\d\s+)?"
    # Not "Section 26 05 19", which is a section of a specification.
    number = r"(?P<number>\d{2,4}(?:\.\d{1,3})?)(?![\d.]*\d| \d\d\b)"
    unknown = []
    for match in re.finditer(cited + number, answer, re.IGNORECASE):
        number = match["number"]
        is_year = number.isdigit() and int(number) in YEARS  # "NEC 2023"
        is_article = not is_year and float(number) >= FIRST_ARTICLE
        if is_article and find(number) is None and find(number.split(".")[0]) is None:
            unknown.append(number)
    remark = ""
    if unknown:
        numbers = isolated(", ".join(dict.fromkeys(unknown)))
        remark = TEXTS.say(locale, "nec.unknown_articles", numbers=numbers)
    return Review(tuple(_citation(article) for article in mentioned(answer)), remark)


def _about(message: str) -> list[Article]:
    """The articles with words of the question's topic. Whole articles whose title has all of the
    words come first: grounding is Article 250 before any of its sections."""
    abbreviations: dict[str, str] = TEXTS.data("en", "nec.words.abbreviations")
    whole = re.sub(
        rf"\b(?:{'|'.join(abbreviations)})s?\b",
        lambda found: abbreviations[found[0].lower().rstrip("s")],
        message,
        flags=re.IGNORECASE,
    )
    topic = re.sub(pattern("nec.cues.definition"), " ", whole, flags=re.IGNORECASE)
    words = set(terms(topic))
    wide = [
        article
        for article in all_articles()
        if words and "." not in article.number and words <= set(terms(article.title))
    ]
    wide.sort(key=lambda article: len(terms(article.title)))
    close = [
        article
        for article, _ in ranked(whole, limit=2 * MAX_NOTES)
        if words & set(terms(f"{article.title} {article.about_in_all_languages}"))
    ]
    return list(dict.fromkeys([*wide, *close]))


def _citation(article: Article) -> Citation:
    return Citation(
        type="code",
        title=f"NEC {DEFAULT} {article.number}: {article.title}",
        code="NEC",
        edition=str(DEFAULT),
        article=article.number,
    )
