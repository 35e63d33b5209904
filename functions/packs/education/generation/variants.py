"""The capability `generate_variants`: easier (havana) and harder (haamaka) versions of a question.

A variant asks for the same answer in another way. It has the original's key, and its question is
compared with the original before it is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from packs.education.answers import normal_text
from packs.education.arithmetic import schoolbook_notation
from packs.education.blocks import GAP, Block, Item, Key, choices
from packs.education.contents import OpenedContent, open_block
from packs.education.generation.drafts import (
    Brief,
    makes_draft,
    store_content,
)
from packs.education.generation.model import GeneratedItems, Generator, ask_model
from packs.education.generation.passages import Passage
from packs.education.generation.wording import TEXTS
from packs.education.key_check import check_problem
from packs.education.mathematics.family import wrong_values
from packs.education.quantities import read_number, read_quantity, write_number
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.core.shapes import FileRef, Wire

VariantType = Literal["havana", "haamaka"]
_NUMBERS = re.compile(r"[0-9]+(?:[.,/:][0-9]+)*|[+−×÷<>=%]|(?<=[0-9)]) ?[-*/:] ?(?=[0-9(])")


Changes = tuple[dict[str, Any], dict[str, Any]]
"""The changed fields of a block and of its key."""


class Variant(Wire):
    """A version of a question with the original's right answer."""

    variant_type: VariantType
    block_id: str
    block: Block


class VariantsMade(Wire):
    """What generate_variants returns.

    Attributes:
        left_out: How many versions were dropped because they do not keep the answer.
    """

    done: str
    content_id: str
    title: str
    variant_of: str
    variants: list[Variant]
    files: list[FileRef]
    generator: Generator
    left_out: int = 0


class Rewrite(BaseModel):
    stem: str = Field(min_length=1, max_length=4_000)
    hint: str | None = None


class Rewrites(BaseModel):
    items: list[Rewrite]


@makes_draft("generate_interactive_activity", "run_qa_tests", about="blockId")
def generate_variants(
    ctx: ToolContext,
    *,
    block_id: Annotated[str, Field(min_length=1, max_length=64)],
    variant_type: Literal["havana", "haamaka", "both"] | None = None,
    count: Annotated[int, Field(ge=1, le=5)] = 2,
) -> VariantsMade:
    """Make easier or harder versions of one question; the right answer stays the same in each.

    They become a private draft beside the original.

    Args:
        block_id: The question, as the content's blocks name it: the content's id and a number.
        variant_type: "havana" is easier, "haamaka" is deeper; both where it is left out.
        count: How many of each.
    """
    opened, original = open_block(ctx, block_id)
    if not original.block.is_question:
        raise InvalidArgument(
            TEXTS.say(ctx.locale, "errors.not_a_question"), field="blockId", hint="a question"
        )
    types: tuple[VariantType, ...] = ("havana", "haamaka")
    if variant_type in types:
        types = (variant_type,)
    kept: list[tuple[VariantType, Item]] = []
    left_out = 0
    generator: Generator = "offline"
    for each in types:
        found: list[Item] = []
        written = _by_model(ctx, opened, original, each, count)
        candidates = [*written, *make_variants(original, each, opened.content.locale)]
        for variant in candidates:
            if len(found) < count and _is_new(variant, [original, *found]):
                if is_equivalent(original, variant):
                    found.append(variant)
                    generator = "model" if variant in written else generator
                else:
                    left_out += 1
        kept += [(each, variant) for variant in found]
    if not kept:
        raise FailedPrecondition(TEXTS.say(ctx.locale, "errors.no_variant"), field="blockId")
    content = opened.content
    brief = Brief(content.topic, content.grade, content.subject, content.locale, seed=block_id)
    made = GeneratedItems([variant for _, variant in kept], generator, left_out)
    stored = store_content(ctx, brief, made, content.kind, variant_of=block_id)
    done = TEXTS.say(ctx.locale, "variants.done", count=len(kept))
    if len(kept) < count * len(types):
        done = f"{done} {TEXTS.say(ctx.locale, 'variants.fewer', count=len(kept))}"
    variants = [
        Variant(variant_type=each, block_id=id, block=variant.block)
        for (each, variant), id in zip(kept, stored.block_ids, strict=True)
    ]
    return VariantsMade.read(dict(stored), done=done, variant_of=block_id, variants=variants)


def make_variants(original: Item, variant_type: VariantType, locale: str) -> Iterator[Item]:
    """Yield versions made without a model, the best first."""
    changes = _easier if variant_type == "havana" else _harder
    for block, key in changes(original, locale):
        try:
            yield _with_changes(original, block, key)
        except ValidationError:
            continue  # invalid: its stem or unit is too long, for example


def is_equivalent(original: Item, variant: Item) -> bool:
    """Tell whether a variant has the original's answer, agrees with its check, and states the same
    numbers, signs, gaps and negations."""
    if _answer(original) != _answer(variant) or check_problem(variant) is not None:
        return False
    one, other = original.block.stem, variant.block.stem
    return _stated_facts(one) == _stated_facts(other) and GAP.findall(one) == GAP.findall(other)


def _easier(original: Item, locale: str) -> Iterator[Changes]:
    block, key = original.block, original.key
    hint = "\n".join([*([key.hint] if key.hint else []), _hint(original, locale)])[:1_000]
    changes: dict[str, Any] = {"level": "support"}
    if block.kind == "choice" and len(block.options) > 2:
        wrong = [each for each in block.options if each.id not in key.correct]
        kept = {*key.correct, *(each.id for each in wrong[: 2 if len(wrong) > 2 else 1])}
        options = [each for each in block.options if each.id in kept]
        yield {**changes, "options": options}, {"hint": hint}
    if block.kind == "numeric":
        right = read_number(key.value or "")
        values = [right, *wrong_values(right)[:2]]
        Random(block.stem).shuffle(values)
        decimal = "." in (key.value or "")
        unit = f" {block.unit}" if block.unit else ""
        options = choices([f"{write_number(each, mixed=not decimal)}{unit}" for each in values])
        correct = [options[values.index(right)].id]
        chosen = {"kind": "choice", "options": options, "unit": None}
        carried_key: dict[str, Any] = {
            "correct": correct,
            "value": None,
            "hint": hint,
        }
        yield {**changes, **chosen}, carried_key
    if block.kind == "cloze" and not block.options and len(key.gaps) > 1:
        bank = sorted({texts[0] for texts in key.gaps.values()})
        yield {**changes, "options": choices(bank)}, {"hint": hint}
    yield changes, {"hint": hint}


def _harder(original: Item, locale: str) -> Iterator[Changes]:
    block, key = original.block, original.key
    changes: dict[str, Any] = {"level": "enrichment"}
    if block.kind == "choice" and key.check and "?" not in key.check:
        right = next(each for each in block.options if each.id in key.correct)
        yield from _to_write(right.text, changes)
    if block.kind == "cloze" and block.options:
        yield {**changes, "options": []}, {}
    for way, bloom in (("justify", "evaluate"), ("two_ways", "analyze")):
        if way == "justify" or key.check:
            stem = TEXTS.say(locale, f"variants.{way}", stem=block.stem)
            yield {**changes, "stem": stem, "bloom": bloom}, {}


def _to_write(right: str, changes: dict[str, Any]) -> Iterator[Changes]:
    """Turn a choice into a numeric; nothing if the right option is not a number, as "3 × 4"."""
    try:
        quantity = read_quantity(right)
    except ValueError:
        return
    written: dict[str, Any] = {"kind": "numeric", "options": [], "unit": quantity.unit}
    key = {
        "correct": [],
        "value": write_number(quantity.value, mixed="." not in right),
    }
    yield {**changes, **written}, key


def _hint(original: Item, locale: str) -> str:
    """Return a hint where to begin, without the answer."""
    block, key = original.block, original.key
    if block.source is not None:
        return TEXTS.say(locale, "variants.hint_source", title=block.source.title)
    if block.kind == "order":
        first = next(each.text for each in block.options if each.id == key.correct[0])
        return TEXTS.say(locale, "variants.hint_first", text=first)
    check = schoolbook_notation(key.check or "") if block.kind in ("numeric", "choice") else ""
    if check and "?" not in check:
        return TEXTS.say(locale, "variants.hint_check", check=check)
    return TEXTS.say(locale, "variants.hint_read")


def _by_model(
    ctx: ToolContext, opened: OpenedContent, original: Item, variant_type: VariantType, count: int
) -> list[Item]:
    """Return the question in the model's words, with the original's key."""
    content = opened.content
    answer = ask_model(
        ctx.text_model,
        "variant",
        request={"variant": variant_type, "count": count, "grade": content.grade},
        passages=[Passage(content.title, original.block.stem)],
        shape=Rewrites,
        locale=content.locale,
    )
    level = "support" if variant_type == "havana" else "enrichment"
    found = []
    for each in answer.items[: 2 * count] if answer else ():
        hint = {"hint": each.hint} if each.hint and variant_type == "havana" else {}
        try:
            found.append(_with_changes(original, {"stem": each.stem, "level": level}, hint))
        except ValidationError:
            continue  # invalid: it lost a gap, for example
    return found


def _with_changes(original: Item, block: dict[str, Any], key: dict[str, Any]) -> Item:
    """Return the original with changed fields, validated as a whole.

    Raises:
        ValidationError: The key does not fit the block.
    """
    return Item(
        block=Block.model_validate({**dict(original.block), **block}),
        key=Key.model_validate({**dict(original.key), **key}),
    )


def _is_new(variant: Item, known: list[Item]) -> bool:
    """Whether a version differs from known ones in more than its level."""

    def shape(each: Item) -> tuple[Any, ...]:
        block = each.block
        texts = [option.text for option in (*block.options, *block.targets)]
        return block.kind, block.stem, tuple(texts), each.key.hint

    return shape(variant) not in map(shape, known)


def _answer(item: Item) -> Any:
    """Return the right answer in a form independent of the kind; a number where it is one."""
    block, key = item.block, item.key
    texts = {option.id: normal_text(option.text) for option in (*block.options, *block.targets)}
    if block.kind == "numeric":
        return read_number(key.value or "")
    if block.kind == "choice":
        text = next(each.text for each in block.options if each.id == key.correct[0])
        try:
            return read_quantity(text).value
        except ValueError:
            return normal_text(text)
    if block.kind == "match":
        targets = {each.id: normal_text(each.text) for each in block.targets}
        return {normal_text(o.text): targets[key.pairs[o.id]] for o in block.options}
    if block.kind == "order":
        return [texts[id] for id in key.correct]
    if block.kind == "multi_choice":
        return {texts[id] for id in key.correct}
    return key.truth, key.gaps, key.sample, key.criteria


def _stated_facts(stem: str) -> tuple[list[str], list[str], int]:
    """Return a question's numbers and signs in order, its number words in order, and its count of
    negations."""
    words = normal_text(stem).split()
    named = [
        bare for word in words for bare in (word, word[1:]) if bare in _cue_words("number_words")
    ]
    negations = sum(word in _cue_words("negations") for word in words)
    return [each.strip() for each in _NUMBERS.findall(stem)], named, negations


@cache
def _cue_words(name: str) -> frozenset[str]:
    return frozenset(map(normal_text, TEXTS.words(f"cues.{name}")))
