"""Approvals with changed arguments: validated anew, and made new ones that record both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from rollcall.agent.asked import profile_of
from rollcall.agent.caller import Asker
from rollcall.agent.consent import check_askable, decider_of
from rollcall.agent.earlier import earlier_calls
from rollcall.agent.results import bounded
from rollcall.agent.router import Router
from rollcall.core.context import Platform, ToolContext, User
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    PermissionDenied,
)
from rollcall.core.policy import combined
from rollcall.core.redaction import redacted_json
from rollcall.core.wire import Decision
from rollcall.registry.snapshot import entry as entry_of
from rollcall.store import paths
from rollcall.store.approvals import Approval
from rollcall.store.runs import read_request
from rollcall.store.window import read_log


def edits_of(
    platform: Platform,
    user: User,
    approvals: Sequence[Approval],
    said: dict[str, Decision],
) -> dict[str, Approval]:
    """New approvals for those whose arguments the decider changed, by the first's id.

    Args:
        approvals: In the order of the `resume` entries that answer them.
    Raises:
        InvalidArgument: Changed arguments are wrong or cannot be kept; everything stays open.
        PermissionDenied: Somebody else decides this by now.
    """
    edits = {}
    for number, approval in enumerate(approvals):
        given = said[approval.id]
        if given.edited_arguments is None:
            continue
        field = f"resume.{number}.payload.editedArguments"
        if not given.approved:
            raise InvalidArgument("a no takes no changed arguments", field=field)
        if redacted_json(given.edited_arguments) != given.edited_arguments:
            raise InvalidArgument(
                "the changed arguments hold what looks like a key or a token, which is not kept",
                field=field,
            )
        edits[approval.id] = _edited(
            platform,
            user,
            approval,
            given.edited_arguments,
            field,
            context=_context(platform, approval),
        )
    return edits


def _context(platform: Platform, approval: Approval) -> dict[str, Any]:
    """Where the user was when the turn was asked: what an edit leaves out is meant there."""
    run = paths.run(platform.db, approval.thread_id, approval.run_id).get().to_dict()
    return (read_request(run)["context"] or {}) if run else {}


def _edited(
    platform: Platform,
    user: User,
    approval: Approval,
    arguments: dict[str, Any],
    field: str,
    *,
    context: dict[str, Any],
) -> Approval:
    owner = user if user.uid == approval.uid else platform.find_user(approval.uid)
    if owner is None:
        raise FailedPrecondition("the account that asked for this is gone", field=field)
    router = _router(platform, owner, approval)
    target = router.target(approval.tool)
    frozen = target.frozen(arguments, field=field)
    policy = combined(*filter(None, (router.policies.get(approval.tool), target.policy)))
    if decider_of(policy, owner) != approval.decider:
        raise PermissionDenied("who decides this has changed; ask for it again", field=field)
    ctx = ToolContext(
        user=owner,
        platform=platform,
        locale=approval.locale,
        context=context,
        earlier=lambda: earlier_calls(
            read_log(platform.db, approval.thread_id).documents, approval.place
        ),
    )
    try:
        preview = target.preview(ctx, frozen)
    except AgentError as error:
        raise InvalidArgument(error.message, field=field, hint=error.hint) from error
    if preview is not None and preview.arguments is not None:
        frozen = target.frozen(preview.arguments, field=field)
    shown = target.shown(frozen)
    check_askable(frozen, shown, field=field)
    edited = approval.edited(
        frozen,
        shown=shown,
        summary=target.summary(frozen, approval.locale),
        by=user,
        now=datetime.now(UTC),
    )
    return replace(edited, display=bounded(preview.display) if preview else None)


def _router(platform: Platform, owner: User, approval: Approval) -> Router:
    profile = profile_of(platform, approval.agent, user=owner)
    entry = entry_of(platform.db, approval.tool)
    now = datetime.now(UTC)
    asker = Asker(user=owner, locale=approval.locale, now=now, deadline=time.monotonic() + 60)
    return Router(
        platform=platform,
        asker=asker,
        entries={entry.id: entry} if entry else {},
        agents=_no_agents,
        policies=dict(profile.approvals),
    )


def _no_agents(agent_id: str, message: str, *, max_steps: int | None = None) -> dict[str, Any]:
    raise FailedPrecondition("no agent is asked while arguments are checked")
