"""Asks the model for items and texts, and checks every item of its replies.

A numeric key must follow from its `check`; a statement of fact must quote a passage word for word,
or is marked unverified. Items that fail go back to the model once, with the reasons; those that
fail again are left out and counted.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from msgspec import Struct
from pydantic import BaseModel, Field, ValidationError

from packs.education.answers import normal_text
from packs.education.blocks import Bloom, Item, Kind, Level, choices, item
from packs.education.generation.passages import Passage
from packs.education.generation.quality import stem_problem
from packs.education.generation.wording import TEXTS
from packs.education.key_check import check_problem, size
from rollcall.core.context import TextModel
from rollcall.core.errors import AgentError

log = logging.getLogger("rollcall")
T = TypeVar("T", bound=BaseModel)
Generator = Literal["model", "offline"]
_MIN_QUOTE = 12
_NUMBER = re.compile(r"(?<![\w.])-?[0-9]+(?:[./][0-9]+)?(?![0-9])|(?<=[^\W0-9_])[0-9]+(?![0-9])")
_LITERAL = re.compile(r"(?:x\s*=\s*)?[-+( ]*[0-9][0-9.,]*(?: [0-9]+/[0-9]+)?[ )%]*")
_OPERATION = re.compile(r"[0-9)%] ?[+\-−×*/÷:] ?[0-9(]")
_STATEMENT = re.compile(r"[0-9)] ?[+\-−×*/÷:] ?[0-9(][^=<>≤≥≠]*[=<>≤≥≠]|[=<>≤≥≠] ?[0-9(]")


class Pair(BaseModel):
    left: str
    right: str


class Draft(BaseModel):
    """An item as the model writes it."""

    kind: Kind
    stem: str
    options: list[str] = Field(default=[], description="Of choice, multi_choice and a cloze's bank")
    correct: list[int] = Field(default=[], description="Which options are right, from 1")
    truth: bool | None = None
    pairs: list[Pair] = []
    ordered: list[str] = Field(default=[], description="Of order: all lines, in the right order")
    gaps: list[str] = Field(default=[], description="Of cloze: what stands in {{1}}, {{2}} …")
    value: str | None = Field(default=None, description="Of numeric: the number alone")
    unit: str | None = None
    sample: str | None = Field(default=None, description="Of open: a good answer")
    criteria: list[str] = []
    check: str | None = Field(default=None, description="Arithmetic that gives the key")
    feedback: str | None = None
    hint: str | None = None
    passage: int | None = Field(default=None, description="The passage that says it")
    quote: str | None = Field(default=None, description="Its words, copied exactly")
    bloom: Bloom | None = None
    level: Level = "core"


class Drafts(BaseModel):
    items: list[Draft]


class GeneratedItems(Struct, frozen=True):
    """The items of a content, and their generator.

    Attributes:
        left_out: How many of the model's items failed the checks.
        unverified: How many state something that no passage says.
    """

    items: list[Item]
    generator: Generator
    left_out: int = 0
    unverified: int = 0
    notes: tuple[str, ...] = ()


def ask_model(
    model: TextModel | None,
    *tasks: str,
    request: dict[str, Any],
    passages: Sequence[Passage],
    shape: type[T],
    locale: str,
) -> T | None:
    """Return the model's answer in a shape; None where there is no model, it failed or its answer
    did not match.

    Args:
        tasks: Names of the prompts that say what to do, after the rules for every answer.
        request: The teacher's request as plain JSON.
        passages: The material. Neither it nor the request can close its tags.
    """
    if model is None:
        return None
    prompts = [TEXTS.data(locale, f"prompts.{name}") for name in ("rules", *tasks)]
    lines = [
        json.dumps({"n": n, "title": each.title, "text": each.text}, ensure_ascii=False)
        for n, each in enumerate(passages, 1)
    ]
    fenced = [
        line.replace("<", "\\u003c") for line in (json.dumps(request, ensure_ascii=False), *lines)
    ]
    text = ["<request>", fenced[0], "</request>", "<material>", *fenced[1:], "</material>"]
    try:
        schema = shape.model_json_schema()
        reply = model.generate(
            instructions="\n\n".join(prompts), text="\n".join(text), schema=schema
        )
        return shape.model_validate(reply)
    except (AgentError, ValidationError) as error:  # the caller can still work without a model
        log.warning("the text model did not answer (%s)", type(error).__name__)
        return None


def model_items(
    model: TextModel | None, request: dict[str, Any], passages: Sequence[Passage], *, locale: str
) -> GeneratedItems | None:
    """Return items by the model, checked; None where the model did not answer.

    Args:
        request: The teacher's request as plain JSON: topic, grade, count and so on.
    """
    answer = ask_model(
        model, "items", request=request, passages=passages, shape=Drafts, locale=locale
    )
    if answer is None:
        return None
    wanted = int(request["count"])
    made, failed = _check_drafts(answer.items[: 2 * wanted], passages, [])
    if failed:
        reasons = [
            {"item": draft.model_dump(exclude_defaults=True), "problem": problem}
            for draft, problem in failed
        ]
        request = {**request, "count": len(failed), "failed": reasons}
        second = ask_model(
            model, "items", "again", request=request, passages=passages, shape=Drafts, locale=locale
        )
        drafts = second.items[: len(failed)] if second else []
        remade, left = _check_drafts(drafts, passages, made)
        made += remade
        failed = [*left, *failed[len(drafts) :]]
    made = made[:wanted]
    unverified = sum(each.block.basis == "unverified" for each in made)
    notes = (TEXTS.say(locale, "notes.left_out", count=len(failed)),) if failed else ()
    return GeneratedItems(made, "model", len(failed), unverified, notes)


def passage_with_quote(
    passages: Sequence[Passage], number: int | None, quote: str | None
) -> Passage | None:
    """Return the passage that contains a quote word for word; None if none does."""
    wanted = normal_text(quote or "")
    if len(wanted) < _MIN_QUOTE:
        return None
    first = passages[number - 1 : number] if number and number > 0 else []
    found = (each for each in (*first, *passages) if wanted in normal_text(each.text))
    return next(found, None)


def _check_drafts(
    drafts: Sequence[Draft], passages: Sequence[Passage], known: Sequence[Item]
) -> tuple[list[Item], list[tuple[Draft, str]]]:
    """Return the valid drafts as items, and the others with the reasons."""
    stems = {normal_text(each.block.stem) for each in known}
    made: list[Item] = []
    failed: list[tuple[Draft, str]] = []
    for draft in drafts:
        try:
            found = _item(draft, passages)
            if normal_text(found.block.stem) in stems and found.block.kind not in (
                "order",
                "match",
            ):
                raise ValueError("this question is there already")
        except ValidationError as error:
            failed.append((draft, "; ".join(str(each["msg"]) for each in error.errors())[:300]))
        except ValueError as error:
            failed.append((draft, str(error)[:300]))
        else:
            stems.add(normal_text(found.block.stem))
            made.append(found)
    return made, failed


def _item(draft: Draft, passages: Sequence[Passage]) -> Item:
    """Return a draft as an item.

    Raises:
        ValueError: It is not a valid item, or its key is wrong; the message says why.
    """
    passage = passage_with_quote(passages, draft.passage, draft.quote)
    texts = draft.options
    if len({normal_text(each) for each in texts}) < len(texts):
        raise ValueError("two options are the same")
    if any(not 1 <= n <= len(texts) for n in draft.correct):
        raise ValueError(f"correct is of 1 to {len(texts)}, the options' places")
    options, key = choices(texts), _key(draft)
    targets = choices([])
    if draft.kind == "order":
        shown = sorted(draft.ordered)
        options = choices(shown)
        key["correct"] = [options[shown.index(each)].id for each in draft.ordered]
    elif draft.kind == "match":
        rights = sorted({pair.right for pair in draft.pairs})
        options = choices([pair.left for pair in draft.pairs])
        targets = choices(rights)
        key["pairs"] = {
            option.id: targets[rights.index(pair.right)].id
            for option, pair in zip(options, draft.pairs, strict=True)
        }
    elif draft.kind in ("choice", "multi_choice"):
        key["correct"] = [options[n - 1].id for n in draft.correct]
    computed = _needs_check(draft, passage) or draft.check is not None
    made = item(
        draft.kind,
        draft.stem,
        key=key,
        options=options,
        targets=targets,
        unit=draft.unit,
        bloom=draft.bloom,
        level=draft.level,
        basis="computed" if computed else "cited" if passage else "unverified",
        source=passage.source(draft.quote) if passage else None,
    )
    if computed and draft.check is None:
        raise ValueError("a key that is a number needs a check, the arithmetic that gives it")
    if draft.check and _is_bare_number(draft, draft.check):
        raise ValueError("a check is the arithmetic that gives the key, not the key itself")
    if problem := check_problem(made) or stem_problem(made):
        raise ValueError(problem)
    return made


def _key(draft: Draft) -> dict[str, Any]:
    return {
        "truth": draft.truth,
        "gaps": {str(n): [text] for n, text in enumerate(draft.gaps, 1)},
        "value": draft.value if draft.kind == "numeric" else None,
        "sample": draft.sample,
        "criteria": draft.criteria,
        "check": draft.check,
        "feedback": draft.feedback,
        "hint": draft.hint,
    }


def _needs_check(draft: Draft, passage: Passage | None) -> bool:
    """Whether a key is a number that must be computed. A number in a quoted passage, such as a year
    or a length, is a fact and need not."""
    if draft.kind == "true_false":
        return _STATEMENT.search(draft.stem) is not None
    right = [draft.options[n - 1] for n in draft.correct]
    texts, right = {
        "numeric": ([draft.value or ""], [draft.value or ""]),
        "choice": (draft.options, right),
        "multi_choice": (draft.options, right),
        "cloze": (draft.gaps, draft.gaps),
        "order": (draft.ordered, draft.ordered),
        "match": (sides := [t for pair in draft.pairs for t in (pair.left, pair.right)], sides),
    }.get(draft.kind, ([], []))
    if draft.kind != "numeric" and not (texts and all(_is_number(text) for text in texts)):
        return False
    cited = set(_NUMBER.findall((draft.quote or "").replace(",", ""))) if passage else set()
    return not all(set(_NUMBER.findall(text.replace(",", ""))) <= cited for text in right)


def _is_bare_number(draft: Draft, check: str) -> bool:
    """Whether a check is a bare number, which proves nothing unless the options are arithmetic."""
    if draft.kind in ("choice", "multi_choice") and any(map(_OPERATION.search, draft.options)):
        return False
    return any(_LITERAL.fullmatch(part.strip()) for part in check.split(";"))


def _is_number(text: str) -> bool:
    try:
        size(text)
    except ValueError:
        return False
    return True
