"""An index of the NEC: numbers and titles of articles and sections, and what each is about.

Numbers are those of 2023, from `data/articles.json`. The subjects, in our own words, are in
`texts/<language>.json` under `nec.articles`, with hyphens for dots. The code's text is copyrighted
and is not here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

from msgspec import Struct

from packs.electrical.nec import editions
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.wording import TEXTS, pattern
from rollcall.core.search import Postings, best, rarity
from rollcall.core.text import terms
from rollcall.core.texts import Text

_FILE = Path(__file__).with_name("data") / "articles.json"
_TITLE_WEIGHT = 2.0
_WHOLE_TITLE = 1.5
_OF_ARTICLE = 1.2
_MIN_OF_BEST = 0.4
_LONGEST = 80
"""Characters of a number as people write it: "NEC 2023 Section 690.31(C)(2)(a)"."""
_BRACKETS = re.compile(r"\s*\([A-Za-z0-9]{1,3}\)$")


class Article(Struct, frozen=True):
    """An article ("250") or a section ("250.66") of the NEC.

    Attributes:
        about: Its subject.
        since: The first edition that has it; None for those in every edition here.
    """

    number: str
    title: str
    about: Text
    since: int | None = None

    @property
    def about_in_all_languages(self) -> str:
        return " ".join(self.about.say(language) for language in TEXTS.languages)

    def number_in(self, edition: Edition) -> str:
        """Its number in an edition: Article 220 is 120 in 2026, 310.16 was 310.15(B)(16)."""
        moved = self.number.startswith("310.") or edition == 2026
        # 220.42 means another section since 2023, which its own text says: only 220 itself moves.
        if moved and self.number.startswith("220"):
            return f"120{self.number[3:]}"
        return editions.article(self.number, edition) if moved else self.number


def all_articles() -> tuple[Article, ...]:
    """The whole index, in the code's order."""
    return tuple(_index().values())


def find(number: str) -> Article | None:
    """Find the article or section of a number as people write it, in any edition's numbering:
    "Article 250", "NEC 250.66(A)", "סעיף 250". A part of a section gives its section."""
    plain = str(number).strip().strip(".,;:")
    if len(plain) > _LONGEST:
        return None
    prefix = rf"^(?:{pattern('nec.cues.before_article')})\s*(?:20\d\d\s+)?"
    while (shorter := re.sub(prefix, "", plain, flags=re.IGNORECASE)) != plain:
        plain = shorter.strip()
    known = _index()
    while plain:
        for each in (plain, _joined(plain), editions.article(_joined(plain), DEFAULT)):
            if each in known:
                return known[each]
        shorter = _BRACKETS.sub("", plain)
        if shorter == plain:
            return None
        plain = shorter
    return None


def mentioned(text: str) -> list[Article]:
    """The articles and sections that a text names, in its order, each once.

    A bare number such as 250.66 counts where it is a section of the index; after "Article" or
    "סעיף" one that is not there counts as its article.
    """
    named = (  # a number after a word for an article, a section or a table
        rf"(?:{pattern('nec.cues.article')})\s*(?:20\d\d\s+)?"
        r"(?P<number>\d{2,3}(?:\.\d{1,3})?(?:\s?\([A-Za-z0-9]{1,3}\)){0,6})(?![\d.]*\d)"
    )
    bare = (  # a number such as 250.66 that no unit follows
        r"(?<![\d.,])(?P<number>\d{3}\.\d{1,3}(?:\([A-Za-z0-9]{1,3}\)){0,6})(?!\d)"
        rf"(?!\s*(?:{pattern('nec.cues.unit')})(?![\w]))"
    )
    by_position: dict[int, Article] = {}
    for numbers in (named, bare):
        for match in re.finditer(numbers, text, re.IGNORECASE):
            number = match["number"]
            article = find(number)
            if article is None and numbers is named:
                article = find(number.split(".")[0])
            if article is not None:
                by_position.setdefault(match.start("number"), article)
    return list(dict.fromkeys(by_position[position] for position in sorted(by_position)))


def ranked(
    words: str, limit: int = 5, edition: Edition | None = None
) -> list[tuple[Article, float]]:
    """Search the index by words in any language; return articles, best first, each with its score
    relative to the best.

    Articles named by number come first; then those with most of the words' stems. Rare stems count
    more, and stems of the title twice. Articles that score far less than the best are left out.
    """
    in_edition = {
        number
        for number, article in _index().items()
        if edition is None or article.since is None or article.since <= edition
    }
    stems = set(terms(words))
    postings, titles = _word_index()
    scores = postings.scores({stem: rarity(postings.count(stem), postings.size) for stem in stems})
    matches = Counter(place for stem in stems for place in postings.places_of(stem))
    values: dict[int, float] = {}
    for place, article in enumerate(_index().values()):
        if place in scores and article.number in in_edition:
            whole = _WHOLE_TITLE if titles[place] and titles[place] <= stems else 1.0
            values[place] = scores[place] * whole * matches[place] / len(stems)
    named = [article for article in mentioned(words) if article.number in in_edition]
    most = max(values.values(), default=0.0)
    articles = all_articles()
    worded = [
        (articles[place], value / most)
        for place, value in best(values, len(values))
        if value >= most * _MIN_OF_BEST and articles[place] not in named
    ]
    return [*((article, 1.0) for article in named), *worded][:limit]


@cache
def _word_index() -> tuple[Postings, list[frozenset[str]]]:
    """The stems of each article with their weights, and those of its title."""
    titles = [frozenset(terms(article.title)) for article in all_articles()]
    weights = []
    for article, title in zip(all_articles(), titles, strict=True):
        stems = title | set(terms(article.about_in_all_languages))
        # Long entries hold many words by chance; whole articles are less of an answer than
        # sections.
        longer = len(stems) ** 0.25 * (1.0 if "." in article.number else _OF_ARTICLE)
        weights.append(
            {stem: 1.0 / (1 if stem in title else _TITLE_WEIGHT) / longer for stem in stems}
        )
    return Postings.build(weights), titles


def _joined(number: str) -> str:
    """`250.66 (a)` as `250.66(A)`."""
    return re.sub(r"\s+(?=\()", "", number).upper() if "(" in number else number


@cache
def _index() -> dict[str, Article]:
    rows = json.loads(_FILE.read_text(encoding="utf-8"))
    return {
        number: Article(
            number, title, TEXTS.text(f"nec.articles.{number.replace('.', '-')}"), *since
        )
        for number, title, *since in rows
    }
