"""Direct calls of a capability, as its own Cloud Function."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.platform import Deployment
from rollcall.core import tracing
from rollcall.core.capability import Capability
from rollcall.core.context import Call, LiveToken, Platform, ToolContext, User
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied, Unavailable
from rollcall.core.inputs import read_context, validate
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import CapabilityCall, FileRef
from rollcall.core.texts import TEXTS
from rollcall.registry.access import read_access
from rollcall.registry.recorder import by_client, observation
from rollcall.store import client
from rollcall.store.client import is_open, project_id

AGENTS_S = 100.0
"""The time for agents that a capability asks, in seconds: less than its function's own."""

log = logging.getLogger("rollcall")


def direct_call(capability: Capability) -> Callable[[Platform, Call], Any]:
    """Return the handler of a capability's own function, with the same checks as in the loop.

    Its data is `{arguments, context?, callKey?}`, or the arguments alone; it returns the
    capability's result. A user's own call of a write is that user's approval, unless a policy asks
    for somebody else's; with the same `callKey` it happens once.
    """

    def handle(platform: Platform, call: Call) -> Any:
        user = call.user
        request = _read_call(capability, {} if call.data is None else call.data)
        context = read_context(request.context)
        _check_allowed(capability, platform, user)
        is_own = isinstance(platform, Deployment)

        def create(path: str, data: dict[str, Any]) -> None:
            if is_own and not is_open():  # this process has not needed Firestore's client
                client.create_over_rest(path, data)
            else:
                by_client(platform.db)(path, data)

        ctx = _tool_context(platform, user, context or {}, locale=request.locale or "en")
        span = tracing.NOTHING
        if tracing.is_on():
            from rollcall.agent.telemetry import tool_span

            span = tool_span(capability.id)
        project = project_id() if is_own else platform.db.project
        with (
            span,
            observation(capability.id, project, create, uid=user.uid, arguments=request.arguments),
        ):
            if capability.mark.effect == "read":
                return capability.call(ctx, request.arguments)
            return _write(capability, ctx, request)

    return handle


def _tool_context(
    platform: Platform, user: User, context: dict[str, Any], *, locale: str
) -> ToolContext:
    """Return the context of one call."""

    # Most capabilities ask no agent and no model, so the modules of runs are imported on use.
    def ask(agent_id: str, message: str, *, max_steps: int | None = None) -> dict[str, Any]:
        from rollcall.agent.run import ask_agent

        return ask_agent(
            platform,
            user,
            agent_id,
            message,
            deadline=time.monotonic() + AGENTS_S,
            context=context,
            max_steps=max_steps,
        )

    def live_token(agent_id: str, **options: Any) -> LiveToken:
        from rollcall.agent.live_voice import create_live_token

        return create_live_token(
            platform, user, agent_id, locale=locale, context=context, **options
        )

    def keep_file(name: str, content_type: str, data: bytes, *, of: str | None = None) -> FileRef:
        from rollcall.store.made_files import keeper

        keep = keeper(lambda: platform.db, user.uid, now=datetime.now(UTC))
        return keep(name, content_type, data, of=of)

    return ToolContext(
        user=user,
        platform=platform,
        locale=locale,
        context=context,
        agents=ask,
        paid_text_model=lambda: platform.text_model_for(user),
        live_tokens=live_token,
        file_keeper=keep_file,
    )


def _read_call(capability: Capability, data: Any) -> CapabilityCall:
    """Read a call's data: `{arguments, context?, callKey?, locale?}`, or the flat form, in which
    every key is a parameter.

    Raises:
        InvalidArgument: The data has neither form.
    """
    if not isinstance(data, dict) or not data or "arguments" in data:
        return validate(CapabilityCall, data)
    fields = capability.arguments.model_fields
    parameters = {*fields, *(info.alias for info in fields.values())}
    if data.keys() <= parameters:
        return CapabilityCall(arguments=data)
    envelope = {
        name for key, info in CapabilityCall.model_fields.items() for name in (key, info.alias)
    }
    if data.keys() <= envelope:
        return validate(CapabilityCall, data)
    wrong = next(key for key in data if key not in parameters - envelope)
    known = ", ".join(info.alias or name for name, info in fields.items()) or "none"
    raise InvalidArgument(
        f"{wrong[:60]} is no argument of {capability.id}",
        field=wrong[:60],
        hint=f"send its arguments ({known}) alone, or {{arguments, context?, callKey?, locale?}}",
    )


def _write(capability: Capability, ctx: ToolContext, request: CapabilityCall) -> Any:
    """Write through the ledger, under the caller's `callKey` or a new one."""
    from rollcall.agent.targets import local_target
    from rollcall.registry.snapshot import entry as entry_of
    from rollcall.store.approvals import arguments_digest
    from rollcall.store.effects import Effect, effect_key, perform_once

    entry = entry_of(ctx.db, capability.id)
    if entry is None:
        raise _unknown(capability)
    target = local_target(capability, entry.policy, is_write=True)
    arguments = target.frozen(request.arguments, field="arguments")
    policy = target.policy or ApprovalPolicy()
    if policy.decider_role is not None and policy.asks(arguments, allowed_before=False):
        raise PermissionDenied(
            TEXTS.text("errors.needs_other_approval", id=capability.id, role=policy.decider_role),
            hint=TEXTS.text("hints.ask_agent"),
        )
    uid = ctx.user.uid
    ctx.effect_key = effect_key("direct", uid, capability.id, request.call_key or uuid.uuid4().hex)
    effect = Effect(
        key=ctx.effect_key,
        uid=uid,
        tool=capability.id,
        version=target.version,
        arguments_digest=arguments_digest(arguments),
    )
    write = target.ledger_write(ctx, arguments)
    return perform_once(ctx.db, effect, write, waits_for_others=True)


def _check_allowed(capability: Capability, platform: Platform, user: User) -> None:
    """Check role and status in the registry, since an operator may have changed them.

    Raises:
        PermissionDenied: The user may not use the capability, or it is switched off for everybody.
        FailedPrecondition: It is not in the registry.
    """
    if not user.role.at_least(capability.mark.min_role):
        raise PermissionDenied(
            TEXTS.text("errors.for_role", id=capability.id, role=capability.mark.min_role)
        )
    is_own = isinstance(platform, Deployment)

    def read(path: str, fields: Sequence[str]) -> dict[str, Any] | None:
        if is_own and not is_open():  # this process has not needed Firestore's client
            try:
                return client.read_over_rest(path, fields)
            except Unavailable as error:
                log.info("%s; asking the client", error.message)
        document: dict[str, Any] | None = platform.db.document(path).get(fields).to_dict()
        return document

    project = project_id() if is_own else platform.db.project
    access = read_access(capability.id, project=project, read=read)
    if access is None:
        raise _unknown(capability)
    if not access.permits(user):
        raise PermissionDenied(TEXTS.text("errors.not_available_now", id=capability.id))


def _unknown(capability: Capability) -> FailedPrecondition:
    return FailedPrecondition(
        f"{capability.id} is not in the registry yet",
        hint="run `python -m rollcall sync` in functions/",
    )
