"""What the agent knows of the code without a tool: the articles that a question names or is about,
and those that an answer names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packs.electrical.nec.articles import Article, all_articles, find, mentioned, ranked
from packs.electrical.nec.editions import DEFAULT
from packs.electrical.results import Words
from rollcall.core.explaining import asks_what_it_is
from rollcall.core.profile import Note, Review
from rollcall.core.shapes import Citation
from rollcall.core.text import terms
from rollcall.core.wording import isolated

MAX_NOTES = 3
_DEFINED = re.compile(
    r"\b(?:what(?:'s| is| are)|explain|define|meaning|about|why)\b"
    r"|מה זה|מהו|מהי|הסבר|תסביר|על מה|למה",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:\b(?:articles?|sections?|NEC)|(?<![א-ת])[הבלמשכו]{0,2}סעיף)\s*(?:20\d\d\s+)?"
    r"(?P<number>\d{2,4}(?:\.\d{1,3})?)(?![\d.]*\d)",
    re.IGNORECASE,
)
_SPELLED_OUT = {
    "gfci": "ground-fault circuit-interrupter protection for personnel",
    "gfp": "ground-fault protection of equipment",
    "afci": "arc-fault circuit-interrupter protection",
    "egc": "equipment grounding conductors",
    "gec": "grounding electrode conductor",
    "ocpd": "overcurrent protection",
    "aic": "interrupting rating",
    "evse": "electric vehicle power transfer",
    "spd": "surge-protective devices",
}
_ABBREVIATED = re.compile(rf"\b(?:{'|'.join(_SPELLED_OUT)})s?\b", re.IGNORECASE)
_YEARS = range(1990, 2100)


def notes(message: str, locale: str) -> list[Note]:
    """The articles that a message names; of a question what something is, those it is about."""
    found = mentioned(message)
    if not found and asks_what_it_is(message):
        found = _about(message)
    return [Note(_text(article, locale), _citation(article)) for article in found[:MAX_NOTES]]


def review(answer: str, locale: str) -> Review:
    """The articles that an answer names, as sources; and which of them the code does not have."""
    unknown = list(dict.fromkeys(_unknown(answer)))
    remark = ""
    if unknown:
        numbers = isolated(", ".join(unknown))
        remark = Words(
            f"Note: the article index has no {numbers}. Check it in the code before relying on it.",
            f"שימו לב: באינדקס הסעיפים אין {numbers}. יש לבדוק זאת בקוד לפני שמסתמכים על כך.",
        ).say(locale)
    return Review(tuple(_citation(article) for article in mentioned(answer)), remark)


def _about(message: str) -> list[Article]:
    """Articles that have the words that the question is about. Whole articles whose title has all
    of them come first: grounding is Article 250 before any of its sections."""
    whole = _ABBREVIATED.sub(lambda found: _SPELLED_OUT[found[0].lower().rstrip("s")], message)
    asked = set(terms(_DEFINED.sub(" ", whole)))
    wide = [
        article
        for article in all_articles()
        if asked and "." not in article.number and asked <= set(terms(article.title))
    ]
    found = [
        article
        for article, _ in ranked(whole, limit=2 * MAX_NOTES)
        if asked & set(terms(f"{article.title} {' '.join(article.about)}"))
    ]
    wide.sort(key=lambda article: len(terms(article.title)))
    return list(dict.fromkeys([*wide, *found]))


def _unknown(answer: str) -> Iterable[str]:
    for match in _NAMED.finditer(answer):
        number = match["number"]
        is_year = number.isdigit() and int(number) in _YEARS  # "NEC 2023"
        if not is_year and find(number) is None and find(number.split(".")[0]) is None:
            yield number


def _text(article: Article, locale: str) -> str:
    number = f"NEC {DEFAULT} {article.number}"
    about = article.about.say(locale)
    named = f"{number}, {article.title}"
    return f"{isolated(named) if locale.startswith('he') else named}: {about}."


def _citation(article: Article) -> Citation:
    return Citation(
        type="code",
        title=f"NEC {DEFAULT} {article.number}: {article.title}",
        code="NEC",
        edition=str(DEFAULT),
        article=article.number,
    )
