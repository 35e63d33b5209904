"""The capability `search_prompts`: searches prompt templates that teachers keep, share and rate.

    prompts/{id}             uid, title, text, category, shared, tenant, createdAt, schemaVersion
    promptRatings/{p}_{uid}  promptId, uid, stars (1 to 5), schemaVersion

Teachers write both from the app, as the rules allow. A shared prompt is for the teachers of its
tenant.
"""

from __future__ import annotations

from statistics import mean
from typing import Annotated, Any, Literal

from pydantic import Field

from packs.education.ranking import ranked
from packs.education.wording import TEXTS, show_table
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Citation, Wire
from rollcall.core.texts import isolated, short
from rollcall.store.batches import where

PROMPTS = "prompts"
PROMPT_RATINGS = "promptRatings"
MAX_SEARCHED = 500
_BOOSTS = {"title": 2.0, "category": 1.0, "text": 1.0}
_RATING_SHARE = 0.2
"""The share that the best rating adds to a score."""
_MAX_RATINGS = 200
_MIN_RATINGS = 3
"""Fewer ratings would reveal who rated, so they are neither shown nor counted."""

Category = Literal[
    "יצירת מבחנים",
    "דפי עבודה",
    "הכנת שיעורים",
    "למידה חברתית-רגשית (SEL)",
    "תכנון ותכניות עבודה",
    "תקשורת אישית",
]


class PromptMatch(Wire):
    """A search result. `stars` is the mean of its ratings, None where they are too few."""

    prompt_id: str
    title: str
    text: str
    category: str
    is_mine: bool
    stars: float | None = None
    score: float


class Prompts(Wire):
    """What search_prompts returns, best first; `searched` is how many prompts were searched."""

    answer: str
    prompts: list[PromptMatch]
    searched: int


@capability(related=["generate_static_content"], min_role="teacher")
def search_prompts(
    ctx: ToolContext,
    *,
    keywords: Annotated[str, Field(min_length=1, max_length=500)],
    category: Category | None = None,
    limit: Annotated[int, Field(ge=1, le=20)] = 5,
) -> Prompts:
    """Search the library of prompt templates: the teacher's own, and those that colleagues shared
    and rated.

    Args:
        keywords: What the prompt should be for.
        category: One category alone.
        limit: Most to return.
    """
    readable = [
        (id, data)
        for id, data in _readable(ctx).items()
        if category is None or data.get("category") == category
    ]
    texts = [
        {name: str(data.get(name) or "") for name in ("title", "text", "category")}
        for _, data in readable
    ]
    found = []
    for place, score in ranked(keywords, texts, _BOOSTS, limit=2 * limit):
        id, data = readable[place]
        stars = _stars(ctx, id)
        bonus = _RATING_SHARE * ((stars or 1) - 1) / 4
        found.append(
            PromptMatch(
                prompt_id=id,
                title=data["title"],
                text=data["text"],
                category=data["category"],
                is_mine=data["uid"] == ctx.user.uid,
                stars=stars,
                score=round((score + bonus) / (1 + _RATING_SHARE), 4),
            )
        )
    found = sorted(found, key=lambda each: (-each.score, each.prompt_id))[:limit]
    for each in found:
        about = {"title": each.title, "document_id": each.prompt_id}
        ctx.cite(Citation(type="document", quote=each.text[:300], **about))
    rows = [(isolated(each.title), each.category, each.stars or "—") for each in found]
    show_table(ctx, short(keywords), TEXTS.data(ctx.locale, "prompts.columns").values(), rows)
    answer = TEXTS.say(
        ctx.locale,
        "prompts.found",
        count=len(found),
        keywords=short(keywords),
        searched=len(readable),
    )
    return Prompts(answer=answer, prompts=found, searched=len(readable))


def _readable(ctx: ToolContext) -> dict[str, dict[str, Any]]:
    """Return the prompts that the user may read, by id: their own, and those of their tenant."""
    prompts = ctx.db.collection(PROMPTS)
    shared = prompts.where(filter=where("shared", "==", True))
    shared = shared.where(filter=where("tenant", "==", ctx.user.tenant))
    own = prompts.where(filter=where("uid", "==", ctx.user.uid))
    found: dict[str, dict[str, Any]] = {}
    for query in (own, shared):
        found |= {each.id: each.to_dict() or {} for each in query.limit(MAX_SEARCHED).stream()}
    return found


def _stars(ctx: ToolContext, prompt_id: str) -> float | None:
    """Return the mean of a prompt's ratings; None where they are too few."""
    of_prompt = where("promptId", "==", prompt_id)
    query = ctx.db.collection(PROMPT_RATINGS).where(filter=of_prompt).select(["stars"])
    stars = [(each.to_dict() or {})["stars"] for each in query.limit(_MAX_RATINGS).stream()]
    return round(mean(stars), 1) if len(stars) >= _MIN_RATINGS else None
