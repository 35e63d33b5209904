"""Drafts made of a teacher's request, with a model and without."""

from __future__ import annotations

from typing import Any

import pytest

from packs.education.blocks import item
from packs.education.generation.drafts import make_content, read_brief, with_points
from packs.education.generation.model import GeneratedItems
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, Unavailable
from tests.support.packs.education.material import WATER, Author


class Models:
    """A platform that has a text model and nothing else."""

    db = None
    embedder = None

    def __init__(self, text_model: Any) -> None:
        self.text_model = text_model


def make_items(
    topic: str, *, model: Any = None, locale: str = "he", **given: Any
) -> GeneratedItems:
    user: Any = None
    platform: Any = Models(model) if model else None
    ctx = ToolContext(user=user, platform=platform, locale=locale, effect_key="k")
    given = {"grade": "ד", "subject": None, **given}
    return make_content(ctx, read_brief(ctx, topic, **given))[0]


def test_mathematics_needs_neither_a_model_nor_material() -> None:
    found = make_items("שברים", count=12)
    assert (found.generator, len(found.items)) == ("offline", 12)
    assert {each.block.basis for each in found.items} == {"computed"}


def test_a_grade_that_is_not_said_is_assumed_and_told() -> None:
    ctx = ToolContext(user=None, platform=None, locale="he", effect_key="k")  # type: ignore[arg-type]
    _, brief = make_content(ctx, read_brief(ctx, "אחוזים", grade=None, subject="math"))
    assert brief.grade == "ו"


def test_all_levels_are_three_parts() -> None:
    found = make_items("כפל", count=9, level="all").items
    assert [each.block.level for each in found] == [
        *["support"] * 3, *["core"] * 3, *["enrichment"] * 3
    ]  # fmt: skip


def test_a_game_begins_with_what_is_matched_and_ordered() -> None:
    found = make_items("שברים", grade="ו", count=10, prefers=("match", "order")).items
    assert found[0].block.kind == "match"


def test_a_passage_is_what_questions_are_made_of() -> None:
    found = make_items("מחזור המים", subject="science", passage=WATER)
    assert found.generator == "offline"
    assert {each.block.basis for each in found.items} == {"cited"}


@pytest.mark.parametrize(
    ("topic", "given", "says"),
    [
        ("המהפכה הצרפתית", {}, "אין מודל"),
        ("אחוזים", {"grade": "ג"}, "ללא מודל יש בה: "),
        ("אינטגרלים", {"grade": "יב", "subject": "math"}, "א–ו"),
        ("שברים", {"passage": "קצר."}, "אין מודל"),
    ],
)
def test_what_cannot_be_made_honestly_is_refused_with_what_would_do(
    topic: str, given: Any, says: str
) -> None:
    with pytest.raises(FailedPrecondition) as refused:
        make_items(topic, **given)
    assert says in refused.value.say("he")
    assert "passage" in (refused.value.hint or "")


def test_a_model_makes_them_where_there_is_one_and_rules_where_it_fails() -> None:
    numeric = {"kind": "numeric", "stem": "1+1?", "value": "2", "check": "1+1"}
    by_model = make_items("שברים", model=Author({"items": [numeric]}))
    assert (by_model.generator, len(by_model.items)) == ("model", 1)
    assert make_items("שברים", model=Author(Unavailable("down"))).generator == "offline"


def test_points_are_shared_in_whole_numbers() -> None:
    questions = [item("open", str(n)) for n in range(7)]
    points = [each.block.points for each in with_points([item("text", "read"), *questions])]
    assert sum(points) == 100 and points[0] == 0 and set(points[1:]) == {14, 15}
