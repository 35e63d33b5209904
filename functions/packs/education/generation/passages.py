"""Finds passages of a teacher's material, and makes questions of their words without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from msgspec import Struct

from packs.education.answers import normal_text
from packs.education.blocks import Item, Level, Source, choices, item
from packs.education.contents import material_locale
from packs.education.generation.wording import TEXTS
from packs.education.knowledge import taught_groups
from rollcall.core.context import ToolContext
from rollcall.core.text import HEBREW_PREFIXES, is_stopword, sentences, terms, tokens
from rollcall.knowledge.search import Passage as SearchPassage
from rollcall.knowledge.search import citation, search

MAX_PASSAGE = 12_000
MAX_FOUND = 6
_WORDS = range(6, 36)
"""The number of words of a sentence that a question is made of."""
_MAX_SHOWN = 2_500
_BANK = 4
_PREPOSITIONS = frozenset("בכלו")
_TOKEN = re.compile(r"[^\W_]+(?:[\"'׳״-][^\W_]+)*")


class Passage(Struct, frozen=True):
    """A piece of a teacher's material. `page` and `document_id` are None for a text sent along."""

    title: str
    text: str
    page: int | None = None
    document_id: str | None = None

    def source(self, quote: str | None = None) -> Source:
        """Return the passage as the source of a block."""
        quote = " ".join(quote.split())[:1_000] if quote else None
        title = self.title[:300]
        return Source(title=title, page=self.page, document_id=self.document_id, quote=quote)


def find_passages(
    ctx: ToolContext,
    topic: str,
    *,
    passage: str | None = None,
    document_id: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> list[Passage]:
    """Return the passage in the request, or else passages about a topic from the documents of the
    teacher and of the teacher's courses, best first; those are cited.

    Args:
        labels: Documents with these labels are searched first, the others if they have nothing.

    Raises:
        NotFound: `document_id` names no document that the user may read.
        FailedPrecondition: `document_id` names a document that cannot be searched yet.
    """
    locale = material_locale(ctx, topic)
    if passage and passage.strip():
        title = TEXTS.say(locale, "passages.sent_along")
        return [Passage(title, passage.strip()[:MAX_PASSAGE])]
    if ctx.platform is None:
        return []
    groups = taught_groups(ctx)
    wanted = set(terms(topic))
    about: list[SearchPassage] = []
    for chosen in [labels, None] if labels and document_id is None else [None]:
        found = search(
            ctx, topic, document_id=document_id, labels=chosen, groups=groups, limit=MAX_FOUND
        ).passages
        # No passage is better than one about another topic.
        about = [each for each in found if wanted & set(terms(f"{each.heading} {each.text}"))]
        if about:
            break
    for each in about:
        ctx.cite(citation(each))
    return [_passage(each, locale) for each in about]


def _passage(found: SearchPassage, locale: str) -> Passage:
    """Convert a search result. One over several pages has them in its title, since it is not known
    which of them a sentence is on."""
    first, last = found.page_from, found.page_to
    if first is None or last is None or first == last:
        return Passage(found.title, found.text, first, found.document_id)
    title = TEXTS.say(locale, "passages.pages", title=found.title, first=first, last=last)
    return Passage(title, found.text, None, found.document_id)


def text_items(
    passages: Sequence[Passage], *, count: int, seed: str, locale: str, level: Level = "core"
) -> list[Item]:
    """Make questions from the words of passages only: cloze, match, order and open.

    Each passage comes before its questions. There may be fewer than `count`.
    """
    random = Random(seed)
    pools = [
        [
            (place, question)
            for place, passage in enumerate(passages)
            for question in pool(passage, random, locale)
        ]
        for pool in (_clozes, _matches, _orders, _opens)
    ]
    questions: list[tuple[int, Item]] = []
    while len(questions) < count and any(pools):
        for pool in pools:
            if pool and len(questions) < count:
                questions.append(pool.pop(0))
    made: list[Item] = []
    read: set[int] = set()
    for place, question in sorted(questions, key=lambda pair: pair[0]):
        if place not in read:
            read.add(place)
            text = passages[place].text[:_MAX_SHOWN]
            made.append(item("text", text, source=passages[place].source(), basis="cited"))
        block = question.block.model_copy(update={"level": level})
        made.append(question.model_copy(update={"block": block}))
    return made


def _usable(passage: Passage) -> list[str]:
    """Return the sentences to make questions of: complete, of medium length, no question."""
    return [
        each
        for each in sentences(passage.text[:_MAX_SHOWN])
        if len(each.split()) in _WORDS and each[-1] in ".!" and "{{" not in each
    ]


def _key_words(passage: Passage) -> list[str]:
    """Return the content words of a passage, the most frequent first."""
    found: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for word in _TOKEN.findall(passage.text[:_MAX_SHOWN]):
        stems = terms(word)
        if len(stems) == 1 and len(word) > 2 and not is_stopword(tokens(word)[0]):
            found[stems[0]] += 1
            shown.setdefault(stems[0], word)
    return [shown[stem] for stem, _ in found.most_common()]


def _clozes(passage: Passage, random: Random, locale: str) -> Iterator[Item]:
    """Make clozes: sentences with one word left out, and a word bank to choose from."""
    words = _key_words(passage)
    used: set[str] = set()
    for sentence in _usable(passage):
        gap = next(
            (word for word in words[:12] if word not in used and _once(word, sentence)), None
        )
        others = [word for word in words if not _once(word, sentence) and word != gap]
        if gap is None or len(others) < _BANK - 1:
            continue
        used.add(gap)
        bank = [gap, *random.sample(others[:12], _BANK - 1)]
        random.shuffle(bank)
        stem = re.sub(rf"(?<!\w){re.escape(gap)}(?!\w)", "{{1}}", sentence, count=1)
        yield item(
            "cloze", stem, key={"gaps": {"1": [gap]}, "feedback": sentence}, options=choices(bank),
            source=passage.source(sentence), basis="cited", bloom="remember",
        )  # fmt: skip


def _once(word: str, sentence: str) -> bool:
    return len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", sentence)) == 1


def _definitions(passage: Passage) -> list[tuple[str, str]]:
    """Return the terms that a passage defines, each with its meaning."""
    found: dict[str, tuple[str, str]] = {}
    patterns = TEXTS.phrases("cues.definitions")
    for sentence in _usable(passage):
        match = next((m for each in patterns if (m := re.match(each, sentence))), None)
        if match and len(match["term"].split()) <= 4 and terms(match["term"]):
            meaning = match["meaning"].strip(". ")
            found.setdefault(normal_text(match["term"]), (match["term"], meaning))
    return list(found.values())


def _matches(passage: Passage, random: Random, locale: str) -> Iterator[Item]:
    """Make a match of the terms that a passage defines with their meanings."""
    pairs = _definitions(passage)[:5]
    if len(pairs) < 3 or len({normal_text(meaning) for _, meaning in pairs}) < len(pairs):
        return
    shown = random.sample([meaning for _, meaning in pairs], len(pairs))
    options, targets = choices([term for term, _ in pairs]), choices(shown)
    right = {
        option.id: targets[shown.index(meaning)].id
        for option, (_, meaning) in zip(options, pairs, strict=True)
    }
    yield item(
        "match", TEXTS.say(locale, "passages.match"), key={"pairs": right}, options=options,
        targets=targets, source=passage.source(), basis="cited", bloom="remember",
    )  # fmt: skip


def _orders(passage: Passage, random: Random, locale: str) -> Iterator[Item]:
    """Make an order of consecutive sentences of a passage, shuffled."""
    run = _usable(passage)[:4]
    if len(run) < 3 or len(set(run)) < len(run):
        return
    mixed = run
    while mixed == run:
        mixed = random.sample(run, len(run))
    options = choices(mixed)
    right = [options[mixed.index(each)].id for each in run]
    yield item(
        "order", TEXTS.say(locale, "passages.order"), key={"correct": right}, options=options,
        source=passage.source(), basis="cited", bloom="understand",
    )  # fmt: skip


def _opens(passage: Passage, random: Random, locale: str) -> Iterator[Item]:
    """Make open questions about the themes of a passage; its sentences are the answer."""
    criteria = [TEXTS.say(locale, "passages.from_text")]
    for word, sentences_with in _themes(passage)[:4]:
        yield item(
            "open", TEXTS.say(locale, "passages.open", word=word),
            key={"sample": " ".join(sentences_with), "criteria": criteria},
            source=passage.source(sentences_with[0]), basis="cited", bloom="understand",
        )  # fmt: skip


def _themes(passage: Passage) -> list[tuple[str, list[str]]]:
    """Return the words that a passage uses more than once, then the terms that it defines, each
    with sentences that have it.

    A Hebrew word is shown without its prefix letters if the passage has it with other prefixes too;
    words that occur only after a preposition are left out.
    """
    words_of = {sentence: _TOKEN.findall(sentence.casefold()) for sentence in _usable(passage)}
    counted = Counter(word for words in words_of.values() for word in words)
    glued: dict[str, dict[str, str]] = {}
    """Possible base word to the words it may be in, each with its prefix letters."""
    for word in counted:
        if len(word) > 2 and not word.isdigit() and not is_stopword(tokens(word)[0]):
            glued.setdefault(word, {})[word] = ""
            for cut in range(1, len(word) - 2):
                if word[cut - 1] not in HEBREW_PREFIXES:
                    break
                glued.setdefault(word[cut:], {})[word] = word[:cut]
    found: dict[str, int] = {}
    sentences_with: dict[str, list[str]] = {}
    taken: set[str] = set()
    for bare in sorted(glued, key=lambda each: (-len({*glued[each].values()}), -len(each))):
        words = glued[bare].keys() - taken
        taken |= words
        count = sum(counted[word] for word in words)
        if count > 1 and bare[0] not in _PREPOSITIONS:
            found[bare] = count
            sentences_with[bare] = [
                each for each in words_of if not words.isdisjoint(words_of[each])
            ][:3]
    names = sorted(found, key=lambda each: -found[each])
    definitions = {
        term: [each for each in words_of if each.startswith(term)]
        for term, _ in _definitions(passage)
        if term.casefold() not in sentences_with
    }
    return [*((name, sentences_with[name]) for name in names), *definitions.items()]
