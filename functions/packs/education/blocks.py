"""Blocks of a content and their keys.

A block is what a pupil sees. Its key has the right answer, its explanation and the computation; it
is stored apart from the block, where no client reads it. An `Item` is a block with its key.
"""

from __future__ import annotations

import re
from random import Random
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from packs.education.quantities import read_number
from rollcall.core.shapes import Wire
from rollcall.core.texts import Text

Kind = Literal[
    "choice",
    "multi_choice",
    "true_false",
    "match",
    "order",
    "cloze",
    "numeric",
    "open",
    "text",
    "table",
    "image",
    "cards",
]
QUESTIONS: frozenset[str] = frozenset(
    ("choice", "multi_choice", "true_false", "match", "order", "cloze", "numeric", "open")
)
"""The kinds that pupils answer; the others are only read."""

Bloom = Literal["remember", "understand", "apply", "analyze", "evaluate", "create"]
Level = Literal["support", "core", "enrichment"]
Basis = Literal["computed", "cited", "unverified"]
"""The basis of a key: it was computed, a source says it, or nobody has checked it."""

GAP = re.compile(r"\{\{([0-9]{1,2})\}\}")
"""A gap in a cloze's stem: `{{1}}`, numbered from 1 in reading order."""

OptionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,24}$")]
Line = Annotated[str, Field(min_length=1, max_length=1_000)]
MAX_OPTIONS = 20


class Option(Wire):
    """An option to choose, to match or to put in order."""

    id: OptionId
    text: Line


class Source(Wire):
    """The source of a statement.

    Attributes:
        page: The document's own page number, from 1.
        quote: The words of the document that say it.
    """

    title: Annotated[str, Field(min_length=1, max_length=300)]
    document_id: str | None = None
    page: Annotated[int, Field(ge=1)] | None = None
    quote: Annotated[str, Field(max_length=1_000)] | None = None


class Image(Wire):
    """A picture: a stored file, and the text for those who do not see it."""

    file_id: str
    alt: Annotated[str, Field(max_length=500)] = ""


class Card(Wire):
    """A card with two sides."""

    front: Line
    back: Line


class Block(Wire):
    """One question, or one thing to read.

    Attributes:
        stem: The question or the text. A cloze has its gaps in it: "{{1}}".
        options: Options of a choice or an order, the left side of a match, or a cloze's word bank.
        targets: The right side of a match.
        rows: Rows of a table; the first is its header.
        unit: The unit of a numeric answer, as shown beside the field.
        basis: The basis of the key; None where a block states nothing.
    """

    kind: Kind
    stem: Annotated[str, Field(max_length=4_000)] = ""
    options: list[Option] = Field(default_factory=list, max_length=MAX_OPTIONS)
    targets: list[Option] = Field(default_factory=list, max_length=MAX_OPTIONS)
    rows: list[list[Annotated[str, Field(max_length=500)]]] = Field(
        default_factory=list, max_length=60
    )
    image: Image | None = None
    cards: list[Card] = Field(default_factory=list, max_length=40)
    unit: Annotated[str, Field(max_length=20)] | None = None
    points: Annotated[int, Field(ge=0, le=100)] = 0
    bloom: Bloom | None = None
    level: Level = "core"
    basis: Basis | None = None
    source: Source | None = None

    @property
    def is_question(self) -> bool:
        """Whether pupils answer it."""
        return self.kind in QUESTIONS

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        kind = self.kind
        if kind not in ("image", "table", "cards") and not self.stem.strip():
            raise ValueError(f"a block of kind {kind} needs a stem")
        fewest = {"choice": 2, "multi_choice": 2, "order": 2, "match": 2}.get(kind, 0)
        if len(self.options) < fewest:
            raise ValueError(f"a block of kind {kind} needs at least {fewest} options")
        if kind == "match" and len(self.targets) < len(self.options):
            raise ValueError("a match needs at least as many targets as options")
        for side in (self.options, self.targets):
            if len({option.id for option in side}) < len(side):
                raise ValueError("two options have one id")
        gaps = GAP.findall(self.stem)
        if kind == "cloze" and gaps != [str(n) for n in range(1, len(gaps) + 1)]:
            raise ValueError("a cloze's gaps are numbered {{1}}, {{2}} … in reading order")
        if kind == "cloze" and not gaps:
            raise ValueError("a cloze needs a gap in its stem, written {{1}}")
        if kind == "image" and self.image is None:
            raise ValueError("a block of kind image needs an image")
        if kind == "table" and len({len(row) for row in self.rows}) != 1:
            raise ValueError("a table needs rows of one length")
        if kind == "cards" and not self.cards:
            raise ValueError("a block of kind cards needs cards")
        return self


class Key(Wire):
    """The right answer of a block, and the feedback on answers. No client reads it.

    Attributes:
        correct: Option ids of a choice (one) or multi_choice; all of an order, in order.
        truth: The answer of a true_false.
        pairs: The pairs of a match: option id to target id.
        gaps: The gaps of a cloze: gap number to the accepted texts, the best one first.
        value: The exact value of a numeric: "12", "-0.5", "3/4" or "1 1/2".
        sample: A good answer to an open question.
        criteria: What a good answer to an open question has.
        check: An arithmetic expression or comparison that gives the key (`arithmetic.py`).
        feedback: Feedback on every answer.
        hint: Shown before another try.
    """

    correct: list[OptionId] = Field(default_factory=list, max_length=MAX_OPTIONS)
    truth: bool | None = None
    pairs: dict[OptionId, OptionId] = Field(default_factory=dict)
    gaps: dict[str, Annotated[list[Line], Field(min_length=1, max_length=20)]] = Field(
        default_factory=dict
    )
    value: Annotated[str, Field(max_length=60)] | None = None
    sample: Annotated[str, Field(max_length=4_000)] | None = None
    criteria: list[Line] = Field(default_factory=list, max_length=12)
    check: Annotated[str, Field(max_length=300)] | None = None
    feedback: Annotated[str, Field(max_length=2_000)] | None = None
    hint: Annotated[str, Field(max_length=1_000)] | None = None


class Item(Wire):
    """A block with its key, which is empty for a block that is only read."""

    block: Block
    key: Key = Field(default_factory=Key)

    @model_validator(mode="after")
    def _key_fits_the_block(self) -> Self:
        wrong = key_problem(self.block, self.key)
        if wrong:
            raise ValueError(wrong)
        return self


def key_problem(block: Block, key: Key) -> str | Text | None:
    """Return why a key does not fit a block, in words; None if it fits."""
    ids = [option.id for option in block.options]
    match block.kind:
        case "choice" if len(key.correct) != 1 or key.correct[0] not in ids:
            return f"the key of a choice is one of its options {ids}, not {key.correct}"
        case "multi_choice" if not key.correct or not set(key.correct) <= set(ids):
            return f"the key of a multi_choice is some of its options {ids}, not {key.correct}"
        case "multi_choice" if len(set(key.correct)) < len(key.correct):
            return "the key of a multi_choice names an option twice"
        case "order" if sorted(key.correct) != sorted(ids):
            return f"the key of an order is each of its options once {ids}, not {key.correct}"
        case "true_false" if key.truth is None:
            return "the key of a true_false needs truth"
        case "match":
            targets = {target.id for target in block.targets}
            if set(key.pairs) != set(ids) or not set(key.pairs.values()) <= targets:
                return "the key of a match pairs each option with one of its targets"
        case "cloze" if set(key.gaps) != set(GAP.findall(block.stem)):
            return "the key of a cloze has the accepted texts of each of its gaps"
        case "numeric":
            if key.value is None:
                return "the key of a numeric question needs a value"
            try:
                read_number(key.value)
            except ValueError as error:
                wrong: Text = error.args[0]
                return wrong
    return None


def item(kind: Kind, stem: str, *, key: dict[str, Any] | None = None, **block: Any) -> Item:
    """Make an item from the fields of a block and of its key."""
    return Item(block=Block(kind=kind, stem=stem, **block), key=Key(**(key or {})))


def shuffled(block: Block, key: Key, random: Random) -> tuple[list[Option], list[Option]]:
    """Return the options and targets of a block as a pupil gets them: an order's options and a
    match's targets are shuffled, an order's options never into the right order."""
    options, targets = list(block.options), list(block.targets)
    if block.kind == "order":
        texts = {option.id: option.text for option in options}
        right = [texts[each] for each in key.correct]
        random.shuffle(options)
        while len(set(right)) > 1 and [option.text for option in options] == right:
            random.shuffle(options)
    random.shuffle(targets)
    return options, targets


def choices(texts: list[str]) -> list[Option]:
    """Make options with the ids a, b, c … from texts."""
    return [Option(id=chr(ord("a") + n), text=text) for n, text in enumerate(texts)]
