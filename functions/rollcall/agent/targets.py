"""The targets of tool calls: this process, another function, an HTTPS endpoint, or the user's own
device."""

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
"""Long enough for a cold start, which takes some seconds."""
_NOT_IMPLEMENTED = 501
"""Some servers answer this to an unknown method, which proves that they are reachable."""


class Target(Struct, frozen=True):
    """One capability to check, approve and call, wherever it runs.

    Attributes:
        atomic: Whether all its writes go into the ledger's batch.
        policy: The stricter of the capability's own and the operator's policy; None without either.
        find_digest: Returns a digest of all that an approval relies on.
        frozen: Checks arguments against the schema, and returns them in the form in which they are
            approved and run. Raises InvalidArgument.
        run: Runs the capability, `run(ctx, arguments)`, and returns plain JSON.
        summary: Returns one line for an approval, `summary(arguments, locale)`.
        shown: Returns arguments as they may be shown and stored: hidden ones masked.
        preview: Returns the preview that a person sees before a write; None without one.
        finder: Returns a function that finds out whether the write of `ctx.effect_key` happened;
            None without one.
        undo: Returns `{tool, arguments}` of the write that takes back one with these arguments and
            this output; None without one.
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
        """Return the capability's call as a `Write` for the ledger."""

        def work(batch: WriteBatch | None) -> Any:
            ctx.effects = batch
            # The ledger may run an atomic capability again; only its last run counts.
            ctx.citations.clear()
            ctx.files.clear()
            ctx.display = None
            return self.run(ctx, arguments)

        return Write(work, atomic=self.atomic, find=self.finder(ctx))


def local_capability(catalog: Catalog, name: str) -> Capability | None:
    """Return a capability of this codebase; None for a name that a model made up, or a tool of
    another codebase."""
    try:
        return catalog.find_capability(name)
    except NotFound:
        return None


def local_target(
    capability: Capability, declared: ApprovalPolicy | None, *, is_write: bool
) -> Target:
    """Return the target of a capability of this codebase.

    The registry's document may be older than the code, or another codebase's, so it can only make
    the target stricter.

    Args:
        declared: The policy in the document.
        is_write: Whether the document says that the capability writes.
    """
    mark = capability.mark
    return Target(
        version=mark.version,
        writes=is_write or mark.effect == "write",
        on_client=mark.runs_on == "client",
        policy=combined(mark.approval, declared) if mark.approval or declared else None,
        find_digest=lambda: capability.digest,
        frozen=partial(capability.frozen, field=""),
        run=capability.call_visibly,
        summary=capability.summarize,
        shown=capability.shown,
        preview=capability.preview,
        finder=capability.finder,
        undo=capability.undo,
        atomic=mark.atomic,
    )


def registered_target(entry: Entry, run: Callable[[ToolContext, Arguments], Any]) -> Target:
    """Return the target of a capability that is declared only by its registry document."""
    schema = entry.spec.parameters

    def frozen(arguments: Any, *, field: str = "") -> Arguments:
        if not isinstance(arguments, dict):
            raise InvalidArgument("the arguments must be an object", field=field or None)
        for place, message in errors(without_additional(schema), arguments)[:1]:
            path = ".".join(filter(None, (field, *map(str, place))))
            raise InvalidArgument(f"{path or 'arguments'}: {message[:300]}", field=path or None)
        return arguments

    def summary(arguments: Arguments, locale: str) -> str:
        name = entry.names.get(locale) or entry.names.get("en", entry.id)
        order = {key: n for n, key in enumerate(schema.get("properties", {}))}
        # In the schema's order: the model must not choose which arguments are cut off.
        ordered = dict(sorted(arguments.items(), key=lambda each: order.get(each[0], len(order))))
        text = readable.called(name, readable.value(ordered), chars=SUMMARY_CHARS)
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
    """Return the target of a capability that runs elsewhere: another Cloud Function, called with
    the user's token if there is one; an HTTPS endpoint on the allow-list; or a client's tool that
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
    """Check that a capability can be reached, without running it: its code can be loaded, or its
    server answers with a status below 500.

    Raises:
        Unavailable: It cannot be reached, or its server has a problem of its own.
        DeadlineExceeded: Its server did not answer in time.
        AgentError: It could not be checked.
    """
    if entry.execution.type == "internal_service":
        try:  # the first steps of a call
            _ = catalog.find_capability(entry.id).json_schema
        except NotFound as error:
            raise Unavailable(TEXTS.text("errors.not_deployed", id=entry.id)) from error
        except AgentError:
            raise
        except Exception as error:  # importing a module may raise anything
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
