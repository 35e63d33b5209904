"""Where a capability runs: in this process, in another function, behind an HTTPS endpoint, or on
the user's own device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core import readable
from rollcall.core.capability import SUMMARY_CHARS, Capability, Preview
from rollcall.core.context import Catalog, ToolContext, User
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    Unavailable,
)
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.core.texts import TEXTS
from rollcall.registry.entries import Entry
from rollcall.registry.schemas import errors, without_additional
from rollcall.store.effects import Write

if TYPE_CHECKING:
    from google.cloud.firestore import WriteBatch

Arguments = dict[str, Any]

PROBE_S = 10.0
"""A function that nobody called for long needs some seconds to start."""
_NOT_IMPLEMENTED = 501
"""What some servers say to a method that they do not know: they are there."""


class Target(Struct, frozen=True):
    """One capability as it is checked, approved and called, wherever it runs.

    Attributes:
        atomic: All its writes go into the ledger's batch.
        policy: The capability's own and the operator's, whichever is stricter; None without either.
        find_digest: Returns what changes with all that an approval relies on.
        frozen: Checks arguments against the schema, and returns them as they are approved and run.
            Raises InvalidArgument.
        run: `run(ctx, arguments)`, plain JSON.
        summary: `summary(arguments, locale)`: one line for an approval.
        shown: Returns arguments as they may be shown and noted: hidden ones masked.
        preview: What a person is shown before a write.
        finder: How to find out whether the write of `ctx.effect_key` happened.
        undo: `{tool, arguments}` of the write that takes one with these arguments and this output
            back, where there is one.
    """

    version: int
    writes: bool
    on_client: bool
    policy: ApprovalPolicy | None
    find_digest: Callable[[], str]
    frozen: Callable[..., Arguments]
    run: Callable[[ToolContext, Arguments], Any]
    summary: Callable[[Arguments, str], str]
    shown: Callable[[Arguments], Arguments] = lambda arguments: arguments
    preview: Callable[[ToolContext, Arguments], Preview | None] = lambda ctx, arguments: None
    finder: Callable[[ToolContext], Callable[[], Any] | None] = lambda ctx: None
    undo: Callable[[Arguments, Any], Arguments | None] = lambda arguments, output: None
    atomic: bool = False

    def ledger_write(self, ctx: ToolContext, arguments: Arguments) -> Write:
        """Return how the ledger has the capability write."""

        def work(batch: WriteBatch | None) -> Any:
            ctx.effects = batch
            return self.run(ctx, arguments)

        return Write(work, atomic=self.atomic, find=self.finder(ctx))


def local_target(
    capability: Capability, declared: ApprovalPolicy | None, *, is_write: bool
) -> Target:
    """Return the target of a capability of this codebase.

    The registry's document may be older than the code, or someone else's, so what it says of
    effects only ever makes this stricter.

    Args:
        declared: The operator's policy.
        is_write: Whether the document says that it writes.
    """
    mark = capability.mark
    return Target(
        version=mark.version,
        writes=is_write or mark.effect == "write",
        on_client=mark.runs_on == "client",
        policy=combined(mark.approval, declared) if mark.approval or declared else None,
        find_digest=lambda: capability.digest,
        frozen=partial(capability.frozen, field=""),
        run=partial(capability.call_visibly, field=""),
        summary=capability.summarize,
        shown=capability.shown,
        preview=capability.preview,
        finder=capability.finder,
        undo=capability.undo,
        atomic=mark.atomic,
    )


def registered_target(entry: Entry, run: Callable[[ToolContext, Arguments], Any]) -> Target:
    """Return the target of a capability that is known by its registry document alone."""
    schema = entry.spec.parameters

    def frozen(arguments: Any, *, field: str = "") -> Arguments:
        if not isinstance(arguments, dict):
            raise InvalidArgument("the arguments must be an object", field=field or None)
        for place, message in errors(without_additional(schema), arguments)[:1]:
            path = ".".join(filter(None, (field, *map(str, place))))
            raise InvalidArgument(f"{path or 'arguments'}: {message[:300]}", field=path or None)
        return arguments

    def summary(arguments: Arguments, locale: str) -> str:
        named = entry.names.get(locale) or entry.names.get("en", entry.id)
        order = {name: n for n, name in enumerate(schema.get("properties", {}))}
        # In the schema's order: a model does not choose what comes first, and what has no room.
        ordered = dict(sorted(arguments.items(), key=lambda each: order.get(each[0], len(order))))
        text = readable.called(named, readable.value(ordered), chars=SUMMARY_CHARS)
        return readable.line(text, SUMMARY_CHARS)

    return Target(
        version=entry.version,
        writes=entry.spec.writes,
        on_client=entry.execution.type == "client",
        policy=entry.policy,
        find_digest=lambda: entry.seal,
        frozen=frozen,
        run=run,
        summary=summary,
    )


def remote_target(
    entry: Entry, user: User, token: str | None, timeout_s: Callable[[], float]
) -> Target:
    """Return the target of what runs elsewhere: another Cloud Function, called as the user while a
    token is at hand; an HTTPS endpoint of the allow-list; or a tool of the user's own client that
    another codebase has registered."""
    execution = entry.execution

    def run(ctx: ToolContext, arguments: Arguments) -> Any:
        if execution.type == "client":
            raise FailedPrecondition(TEXTS.text("errors.on_own_client"))
        if execution.type == "api_endpoint":
            from rollcall.agent.remote.endpoint import call_endpoint

            return call_endpoint(
                execution, arguments=arguments, call_key=ctx.effect_key, timeout_s=timeout_s()
            )
        from rollcall.agent.remote.function import call_function

        return call_function(
            execution,
            user=user,
            token=token,
            arguments=arguments,
            context=ctx.context,
            call_key=ctx.effect_key,
            locale=ctx.locale,
            timeout_s=timeout_s(),
        )

    return registered_target(entry, run)


def probe(entry: Entry, catalog: Catalog) -> None:
    """Check whether a capability can be reached, without running it: its code can be loaded, or its
    server answers with anything below 500.

    Raises:
        Unavailable: It cannot, or its server has a problem of its own.
        DeadlineExceeded: Its server did not answer in time.
        AgentError: It could not be checked.
    """
    if entry.execution.type == "internal_service":
        try:  # as a call does first
            _ = catalog.find_capability(entry.id).json_schema
        except NotFound as error:
            raise Unavailable(TEXTS.text("errors.not_deployed", id=entry.id)) from error
        except AgentError:
            raise
        except Exception as error:  # whatever a module raises while it is imported
            kind = type(error).__name__
            raise Unavailable(f"the code of {entry.id} cannot be loaded: {kind}") from error
        return
    if entry.execution.type == "firebase_function":
        from rollcall.agent.remote.function import reach_function

        status = reach_function(entry.execution, timeout_s=PROBE_S)
    else:
        from rollcall.agent.remote.endpoint import reach_endpoint

        status = reach_endpoint(entry.execution, timeout_s=PROBE_S)
    if status >= 500 and status != _NOT_IMPLEMENTED:
        raise Unavailable(f"its server answers HTTP {status}")
