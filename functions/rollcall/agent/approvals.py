"""Whether a write may happen: by what a person said, by what stands for that, or whom to ask."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rollcall.agent.dispatch import Ask, Expired, Rejected
from rollcall.agent.run_context import Asker, Known
from rollcall.agent.targets import Target
from rollcall.agent.tool_results import bounded
from rollcall.core.context import Decider, Platform, ToolContext, User
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import Display
from rollcall.store.approvals import Approval, ApprovalStatus, canonical_json
from rollcall.store.message_log import utf8_bytes

ASK_BYTES = 360_000
"""An approval holds the arguments twice and a display, in one document of at most 1 MiB."""


class Consent(Struct, frozen=True):
    """What is known of people's consent to the writes of a run."""

    platform: Platform
    asker: Asker
    known: Known

    def check_decided(self, approval: Approval) -> None:
        """
        Raises:
            Rejected, Expired: A person said no, or nothing.
            PermissionDenied: Who said yes by their role does not have it any more.
        """
        if approval.status is ApprovalStatus.REJECTED:
            raise Rejected(approval.decision.reason if approval.decision else None)
        if approval.status is not ApprovalStatus.APPROVED or approval.decision is None:
            raise Expired(
                "the request for approval expired unanswered, so nothing was written",
                hint="say that nobody answered it in time, which is no refusal",
            )
        if approval.decider.role is not None:
            by = self.platform.find_user(approval.decision.by)
            if by is None or not approval.may_be_decided_by(by):
                raise PermissionDenied("the one who said yes may not decide this any more")

    def holds(self, approval: Approval, target: Target, policy: ApprovalPolicy) -> bool:
        """Whether a yes still counts: the capability is the one that was asked about, and the same
        people decide."""
        is_same = approval.capability_digest == target.digest
        return is_same and approval.decider == decider_of(policy, self.asker.user)

    def considered(
        self,
        name: str,
        target: Target,
        policy: ApprovalPolicy,
        ctx: ToolContext,
        arguments: dict[str, Any],
    ) -> tuple[dict[str, Any], Ask | str]:
        """A write's arguments, complete, and the question to put to a person, or why none is put.
        What a client writes is completed here too: later nobody does."""
        allowed_by = self._allowed_by(name, target, policy, arguments)
        if allowed_by is not None and not target.on_client:
            return arguments, allowed_by
        preview = target.preview(ctx, arguments)
        if preview is not None and preview.arguments is not None:
            arguments = target.frozen(preview.arguments)
        if allowed_by is not None:
            allowed_by = self._allowed_by(name, target, policy, arguments)
        if allowed_by is not None:
            return arguments, allowed_by
        display = bounded(preview.display) if preview else None
        return arguments, self._ask(name, target, policy, arguments, display)

    def _allowed_by(
        self, name: str, target: Target, policy: ApprovalPolicy, arguments: dict[str, Any]
    ) -> str | None:
        """Why nobody is asked: "policy", or the approval of a yes in this thread that stands for
        this call too. None where somebody is.

        Raises:
            FailedPrecondition: Somebody is to be asked, and nobody can be.
        """
        if not policy.asks(arguments, allowed_before=False):
            return "policy"
        known = self.known.allowed.get(name)
        if known is not None and known.digest == target.digest:
            if not policy.asks(arguments, allowed_before=True):
                return known.by
            for pattern, by in known.patterns.items():
                if not policy.asks(arguments, allowed_before=True, remembered=(pattern,)):
                    return by
        if self.asker.effect_key is None:
            raise FailedPrecondition(
                f"{name} changes data and needs a person's yes, which cannot be asked for here",
                hint="tell the user what you would have done",
            )
        return None

    def _ask(
        self,
        name: str,
        target: Target,
        policy: ApprovalPolicy,
        arguments: dict[str, Any],
        display: Display | None,
    ) -> Ask:
        shown = target.shown(arguments)
        check_askable(arguments, shown)
        if policy.decider_role is not None and shown != arguments:
            # The approval holds what it will be run with, and its deciders may read it.
            raise FailedPrecondition(
                f"{name} takes what is hidden from others, so nobody else can be asked about it",
                hint="tell the user that this cannot be done here",
            )
        return Ask(
            tool=name,
            arguments=arguments,
            shown=shown,
            summary=target.summary(arguments, self.asker.locale),
            display=display,
            decider=decider_of(policy, self.asker.user),
            expires_s=policy.expires_s,
            version=target.version,
            capability_digest=target.digest,
            remember=policy.offers(arguments),
        )


def check_askable(
    arguments: dict[str, Any], shown: dict[str, Any], *, field: str | None = None
) -> None:
    """
    Raises:
        InvalidArgument: They are more than an approval, or what is left to a client, can hold.
    """
    size = max(utf8_bytes(canonical_json(each)) for each in (arguments, shown))
    if size > ASK_BYTES:
        raise InvalidArgument(
            f"the arguments of this call may have {ASK_BYTES:,} bytes of JSON; they have {size:,}",
            field=field,
        )


def decider_of(policy: ApprovalPolicy, user: User) -> Decider:
    """Who decides by this policy when this user asks."""
    if policy.decider_role is None:
        return Decider(uid=user.uid)
    return Decider(role=policy.decider_role, tenant=user.tenant, not_uid=user.uid)
