"""The card of an approval, in all languages."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from msgspec.structs import replace

from rollcall.agent.approvals import TRANSLATION_CHARS, new_card, review_write
from rollcall.agent.targets import Target, local_target
from rollcall.core.capability import Capability, Preview, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import FailedPrecondition
from rollcall.core.hidden import Hidden
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import Display, Role
from rollcall.store.approvals import Translation
from rollcall.testing import context

ARGUMENTS = {"room": "Aurora"}
WORDS = {"en": "Book \u2068Aurora\u2069", "he": "הזמנת \u2068Aurora\u2069"}


def _target(*, by_language: bool = True, **preview: Any) -> Target:
    """A write; what its preview shows by language, or with what error it refuses."""

    def shown(ctx: ToolContext, *, room: str) -> Preview:
        found = preview[ctx.locale]
        if isinstance(found, Exception):
            raise found
        return Preview(Display(type="text", text=found), summary=WORDS[ctx.locale], shows=("room",))

    @capability(
        name="Book a room",
        category="office",
        effect="write",
        summary=lambda arguments: WORDS if by_language else WORDS["en"],
        **({"preview": shown} if preview else {}),
    )
    def book_room(ctx: ToolContext, *, room: str) -> str:
        """Book a room.

        Args:
            room: Its name.
        """
        return room

    return local_target(Capability.of(book_room), None, is_write=True)


def _translations(target: Target, locale: str = "en") -> dict[str, Translation]:
    ctx = context(user=User("ann"), locale=locale)
    return new_card(ctx, target, ARGUMENTS, target.preview(ctx, ARGUMENTS)).translations


@pytest.mark.parametrize(("locale", "other"), [("en", "he"), ("he", "en")])
def test_a_card_is_made_in_the_other_language_too(locale: str, other: str) -> None:
    assert _translations(_target(), locale)[other] == Translation(WORDS[other], None)


def test_a_preview_is_made_in_both_languages() -> None:
    found = _translations(_target(en="From 9 to 10", he="מ-9 עד 10"))
    assert found["he"].summary == WORDS["he"]
    assert found["he"].display == Display(type="text", text="מ-9 עד 10")


def test_what_is_the_same_in_both_is_kept_once() -> None:
    assert _translations(_target(by_language=False)) == {}


def test_a_language_in_which_the_preview_fails_is_left_out() -> None:
    refusing = _target(en="From 9 to 10", he=FailedPrecondition("no texts"))
    assert _translations(refusing) == {}
    knows_english_alone = _target(en="From 9 to 10")
    assert _translations(knows_english_alone) == {}


def test_a_long_display_stays_in_the_first_language() -> None:
    found = _translations(_target(en="From 9 to 10", he="א" * TRANSLATION_CHARS))
    assert found == {"he": Translation(WORDS["he"], None)}


def test_a_write_that_nobody_else_may_see_is_refused_before_its_card_is_translated() -> None:
    made: list[str] = []

    def shown(ctx: ToolContext, *, pin: str) -> Preview:
        made.append(ctx.locale)
        return Preview(Display(type="text", text="Opens the safe"))

    @capability(name="Open the safe", category="office", effect="write", preview=shown)
    def open_safe(ctx: ToolContext, *, pin: Annotated[str, Hidden()]) -> str:
        """Open the safe.

        Args:
            pin: Its code.
        """
        return pin

    target = local_target(Capability.of(open_safe), None, is_write=True)
    ctx = replace(context(user=User("ann")), effect_key="key")
    with pytest.raises(FailedPrecondition, match="hidden arguments"):
        review_write(
            ctx,
            name="open_safe",
            target=target,
            policy=ApprovalPolicy(decider_role=Role.ADMIN),
            arguments={"pin": "0451"},
        )
    assert made == ["en"]
