"""Decides whether a write may run: by its own approval, by a policy or an earlier approval that
covers it, or only after a person is asked."""

from __future__ import annotations

import logging
from typing import Any

from msgspec.structs import asdict, replace

from rollcall.agent.dispatch import Expired, NeedsApproval, Rejected
from rollcall.agent.targets import Target
from rollcall.agent.tool_results import bounded_display
from rollcall.core.capability import Preview
from rollcall.core.context import Decider, Platform, ToolContext, User
from rollcall.core.errors import (
    FailedPrecondition,
    InvalidArgument,
    PermissionDenied,
)
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.readable import shows_all
from rollcall.core.shapes import Display
from rollcall.core.texts import TEXTS
from rollcall.store.approvals import (
    Approval,
    ApprovalStatus,
    Card,
    RememberedApproval,
    Translation,
    canonical_json,
)
from rollcall.store.message_log import utf8_bytes

ARGUMENTS_BYTES = 360_000
"""An approval holds the arguments twice and a display, in one document of at most 1 MiB."""
TRANSLATION_CHARS = 10_000
"""A longer display is data more than words, and is not translated."""
log = logging.getLogger("rollcall")


def check_approved(platform: Platform, approval: Approval) -> None:
    """Check that a call was approved, by somebody who may still approve it.

    Raises:
        Rejected, Expired: A person rejected it, or nobody decided.
        PermissionDenied: The decider has lost the role that the approval needs.
    """
    if approval.status is ApprovalStatus.REJECTED:
        raise Rejected(approval.decision.reason if approval.decision else None)
    if approval.status is not ApprovalStatus.APPROVED or approval.decision is None:
        raise Expired(
            TEXTS.text("errors.approval_expired"),
            hint="say that nobody answered it in time, which is no refusal",
        )
    if approval.decider.role is not None:
        by = platform.find_user(approval.decision.by)
        if by is None or not approval.may_be_decided_by(by):
            raise PermissionDenied(TEXTS.text("errors.may_not_decide_now"))


def is_in_force(approval: Approval, target: Target, policy: ApprovalPolicy, user: User) -> bool:
    """Return whether an approval still counts: the capability and its decider are unchanged."""
    is_same = approval.capability_digest == target.find_digest()
    return is_same and approval.decider == decider_of(policy, user)


def review_write(
    ctx: ToolContext,
    *,
    name: str,
    target: Target,
    policy: ApprovalPolicy,
    arguments: dict[str, Any],
    remembered: RememberedApproval | None = None,
) -> tuple[dict[str, Any], NeedsApproval | str]:
    """Return a write's arguments, completed by its preview, and the approval that it needs.

    Where it needs none, the second value says why: "policy", or the id of the approval that also
    covers this call. The arguments of client tools are completed here too.

    Args:
        remembered: The approval that covers the thread's later calls of this capability.
    Raises:
        InvalidArgument: The preview refuses the write, or its arguments are too large.
        FailedPrecondition: It needs an approval, and nobody can be asked for one.
    """
    allowed_by = _allowed_by(ctx, name, target, policy, arguments, remembered)
    if allowed_by is not None and not target.on_client:
        return arguments, allowed_by
    preview = target.preview(ctx, arguments)
    if preview is not None and preview.arguments is not None:
        arguments = target.frozen(preview.arguments)
    if allowed_by is not None:
        allowed_by = _allowed_by(ctx, name, target, policy, arguments, remembered)
    if allowed_by is not None:
        return arguments, allowed_by
    if policy.decider_role is not None and target.shown(arguments) != arguments:
        # The approval holds the arguments of the later call, and its deciders may read them.
        raise FailedPrecondition(
            TEXTS.text("errors.hidden_arguments", name=name),
            hint="tell the user that this cannot be done here",
        )
    return arguments, NeedsApproval(
        **asdict(new_card(ctx, target, arguments, preview)),
        tool=name,
        decider=decider_of(policy, ctx.user),
        expires_s=policy.expires_s,
        version=target.version,
        capability_digest=target.find_digest(),
        remember=policy.offers(arguments),
    )


def _allowed_by(
    ctx: ToolContext,
    name: str,
    target: Target,
    policy: ApprovalPolicy,
    arguments: dict[str, Any],
    remembered: RememberedApproval | None,
) -> str | None:
    """Return what allows the write without asking: "policy" or an approval's id; None if nothing
    does."""
    if not policy.asks(arguments, allowed_before=False):
        return "policy"
    if remembered is not None and remembered.digest == target.find_digest():
        if not policy.asks(arguments, allowed_before=True):
            return remembered.by
        for pattern, by in remembered.patterns.items():
            if not policy.asks(arguments, allowed_before=True, remembered=(pattern,)):
                return by
    if ctx.effect_key is None:
        raise FailedPrecondition(
            TEXTS.text("errors.no_approval_here", name=name),
            hint="tell the user what you would have done",
        )
    return None


def new_card(
    ctx: ToolContext,
    target: Target,
    arguments: dict[str, Any],
    preview: Preview | None,
    *,
    field: str | None = None,
) -> Card:
    """Return the card that a person decides by, with translations: the decider may read another
    language than the user who asked. A language is left out if the card cannot be made in it, is
    the same or shows less.

    Args:
        preview: The write's preview in the language of `ctx`.
        field: The request's field with the arguments, for errors.
    Raises:
        InvalidArgument: An approval cannot hold the arguments.
    """
    shown = target.shown(arguments)
    check_size(arguments, shown, field=field)
    card = Card(arguments, shown, *_wording(target, arguments, shown, preview, ctx.locale))
    for language in TEXTS.languages:
        if language == ctx.locale[:2]:
            continue
        try:
            preview = target.preview(replace(ctx, locale=language), arguments)
        except Exception:  # the user's own language has a card, which is enough
            log.exception("an approval of %s has no card in %s", ctx.user.uid, language)
            continue
        wording = _wording(target, arguments, shown, preview, language)
        summary, display, complete = wording
        if wording == (card.summary, card.display, card.complete) or complete < card.complete:
            continue
        if display is not None and len(display.model_dump_json()) > TRANSLATION_CHARS:
            display = None
        card.translations[language] = Translation(summary, display)
    return card


def _wording(
    target: Target,
    arguments: dict[str, Any],
    shown: dict[str, Any],
    preview: Preview | None,
    locale: str,
) -> tuple[str, Display | None, bool]:
    """Return a card's summary on one line, its display, and whether the two show every character
    of the arguments."""
    if preview is None:
        summary = target.summary(arguments, locale)
        return summary, None, shows_all(summary, shown)
    summary = preview.summary or target.summary(arguments, locale)
    display = bounded_display(preview.display)
    in_display = preview.shows if display is preview.display else ()
    others = {name: value for name, value in shown.items() if name not in in_display}
    return summary, display, shows_all(summary, others)


def check_size(
    arguments: dict[str, Any], shown: dict[str, Any], *, field: str | None = None
) -> None:
    """Check that a document, an approval or a call for a client, can hold the arguments.

    Raises:
        InvalidArgument: They are too large.
    """
    size = max(utf8_bytes(canonical_json(each)) for each in (arguments, shown))
    if size > ARGUMENTS_BYTES:
        raise InvalidArgument(
            f"the arguments of this call may have {ARGUMENTS_BYTES:,} bytes of JSON; "
            f"they have {size:,}",
            field=field,
        )


def decider_of(policy: ApprovalPolicy, user: User) -> Decider:
    """Return who decides on this user's calls under this policy."""
    if policy.decider_role is None:
        return Decider(uid=user.uid)
    return Decider(role=policy.decider_role, tenant=user.tenant, not_uid=user.uid)
