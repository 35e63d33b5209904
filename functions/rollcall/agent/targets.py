"""Where a capability runs: in this process, in another function, behind an HTTPS endpoint, or on
the user's own device. The router asks each the same questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from rollcall.core import readable
from rollcall.core.capability import SUMMARY_CHARS, Capability, Preview
from rollcall.core.context import Catalog, ToolContext, User
from rollcall.core.errors import AgentError, InvalidArgument, NotFound, Unavailable
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.registry.entries import Entry
from rollcall.registry.schemas import closed, errors

PROBE_S = 10.0
"""A function that nobody called for long needs some seconds to start."""
_NOT_IMPLEMENTED = 501
"""What some servers say to a method that they do not know: they are there."""


class Target(Protocol):
    """One capability as the router sees it."""

    @property
    def digest(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def writes(self) -> bool: ...

    @property
    def atomic(self) -> bool:
        """Whether all its writes go into the ledger's batch."""

    @property
    def on_client(self) -> bool: ...

    @property
    def policy(self) -> ApprovalPolicy | None:
        """The capability's own and the operator's, whichever is stricter; None without either."""

    def frozen(self, arguments: Any, *, field: str = "") -> dict[str, Any]:
        """Check arguments against the schema, and return them as they are approved and run.

        Raises:
            InvalidArgument: One is wrong.
        """

    def summary(self, arguments: dict[str, Any], locale: str) -> str: ...

    def preview(self, ctx: ToolContext, arguments: dict[str, Any]) -> Preview | None: ...

    def run(self, ctx: ToolContext, arguments: dict[str, Any]) -> Any: ...

    def shown(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments as they may be shown and noted: hidden ones masked."""

    def finder(self, ctx: ToolContext) -> Callable[[], Any] | None:
        """How to find out whether the write of `ctx.effect_key` happened."""

    def undo(self, arguments: dict[str, Any], output: Any) -> dict[str, Any] | None:
        """`{tool, arguments}` of the write that takes this one back, where there is one."""


class Local(Struct, frozen=True):
    """A capability of this codebase. The registry's document may be older than the code, or
    someone else's, so what it says of effects only ever makes this stricter."""

    capability: Capability
    declared: ApprovalPolicy | None
    """The operator's policy."""
    is_write: bool

    @property
    def digest(self) -> str:
        return self.capability.digest

    @property
    def version(self) -> int:
        return self.capability.mark.version

    @property
    def writes(self) -> bool:
        return self.is_write or self.capability.mark.effect == "write"

    @property
    def atomic(self) -> bool:
        return self.capability.mark.atomic

    @property
    def on_client(self) -> bool:
        return self.capability.mark.runs_on == "client"

    @property
    def policy(self) -> ApprovalPolicy | None:
        own = self.capability.mark.approval
        return combined(own, self.declared) if own or self.declared else None

    def frozen(self, arguments: Any, *, field: str = "") -> dict[str, Any]:
        return self.capability.frozen(arguments, field=field)

    def summary(self, arguments: dict[str, Any], locale: str) -> str:
        return self.capability.summarize(arguments, locale)

    def preview(self, ctx: ToolContext, arguments: dict[str, Any]) -> Preview | None:
        return self.capability.preview(ctx, arguments)

    def run(self, ctx: ToolContext, arguments: dict[str, Any]) -> Any:
        return self.capability.call_visibly(ctx, arguments, field="")

    def shown(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.capability.shown(arguments)

    def finder(self, ctx: ToolContext) -> Callable[[], Any] | None:
        return self.capability.finder(ctx)

    def undo(self, arguments: dict[str, Any], output: Any) -> dict[str, Any] | None:
        return self.capability.undo(arguments, output)


class Registered(Struct, frozen=True):
    """A capability that is known by its registry document alone; `reach` calls it."""

    entry: Entry
    reach: Callable[[ToolContext, dict[str, Any]], Any]

    @property
    def digest(self) -> str:
        return self.entry.seal

    @property
    def version(self) -> int:
        return self.entry.version

    @property
    def writes(self) -> bool:
        return self.entry.spec.writes

    @property
    def atomic(self) -> bool:
        return False

    @property
    def on_client(self) -> bool:
        return self.entry.execution.type == "client"

    @property
    def policy(self) -> ApprovalPolicy | None:
        return self.entry.policy

    def frozen(self, arguments: Any, *, field: str = "") -> dict[str, Any]:
        if not isinstance(arguments, dict):
            raise InvalidArgument("the arguments must be an object", field=field or None)
        for place, message in errors(closed(self.entry.spec.parameters), arguments)[:1]:
            path = ".".join(filter(None, (field, *map(str, place))))
            raise InvalidArgument(f"{path or 'arguments'}: {message[:300]}", field=path or None)
        return arguments

    def summary(self, arguments: dict[str, Any], locale: str) -> str:
        named = self.entry.names.get(locale) or self.entry.names.get("en", self.entry.id)
        order = {name: n for n, name in enumerate(self.entry.spec.parameters.get("properties", {}))}
        # In the schema's order: a model does not choose what comes first, and what has no room.
        ordered = dict(sorted(arguments.items(), key=lambda each: order.get(each[0], len(order))))
        text = readable.called(named, readable.value(ordered), chars=SUMMARY_CHARS)
        return readable.line(text, SUMMARY_CHARS)

    def preview(self, ctx: ToolContext, arguments: dict[str, Any]) -> Preview | None:
        return None

    def run(self, ctx: ToolContext, arguments: dict[str, Any]) -> Any:
        return self.reach(ctx, arguments)

    def shown(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments

    def finder(self, ctx: ToolContext) -> Callable[[], Any] | None:
        return None

    def undo(self, arguments: dict[str, Any], output: Any) -> dict[str, Any] | None:
        return None


def function_reach(
    entry: Entry, user: User, token: str | None, timeout_s: Callable[[], float]
) -> Callable[[ToolContext, dict[str, Any]], Any]:
    """Call another Cloud Function, as the user while a token is at hand."""

    def reach(ctx: ToolContext, arguments: dict[str, Any]) -> Any:
        from rollcall.agent.remote.function import call_function

        return call_function(
            entry.execution,
            user=user,
            token=token,
            arguments=arguments,
            context=None,
            call_key=ctx.effect_key,
            locale=ctx.locale,
            timeout_s=timeout_s(),
        )

    return reach


def endpoint_reach(
    entry: Entry, timeout_s: Callable[[], float]
) -> Callable[[ToolContext, dict[str, Any]], Any]:
    """Call an HTTPS endpoint of the allow-list."""

    def reach(ctx: ToolContext, arguments: dict[str, Any]) -> Any:
        from rollcall.agent.remote.endpoint import call_endpoint

        return call_endpoint(
            entry.execution,
            arguments=arguments,
            call_key=ctx.effect_key,
            timeout_s=timeout_s(),
        )

    return reach


def probe(entry: Entry, catalog: Catalog) -> None:
    """Look whether the capability is there: its code can be loaded, or its server answers with
    anything below 500.

    Raises:
        Unavailable: It is not, or its server has a problem of its own.
        DeadlineExceeded: Its server did not answer in time.
        AgentError: It could not be looked at.
    """
    if entry.execution.type == "internal_service":
        _load(entry.id, catalog)
        return
    if entry.execution.type == "firebase_function":
        from rollcall.agent.remote.function import reach_function

        status = reach_function(entry.execution, timeout_s=PROBE_S)
    else:
        from rollcall.agent.remote.endpoint import reach_endpoint

        status = reach_endpoint(entry.execution, timeout_s=PROBE_S)
    if status >= 500 and status != _NOT_IMPLEMENTED:
        raise Unavailable(f"its server answers HTTP {status}")


def _load(id: str, catalog: Catalog) -> None:
    """Import the capability's module and read its declaration, as a call does first."""
    try:
        _ = catalog.find_capability(id).json_schema
    except NotFound as error:
        raise Unavailable(f"the code of {id} is not deployed") from error
    except AgentError:
        raise
    except Exception as error:  # whatever a module raises while it is imported
        raise Unavailable(f"the code of {id} cannot be loaded: {type(error).__name__}") from error
