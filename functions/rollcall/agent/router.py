"""The dispatcher of a run. It finds each call's capability, checks it for this user, and then runs
it, asks for an approval, or leaves it to the client."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import ValidationError

from rollcall.agent.approvals import check_approved, check_size, is_in_force, review_write
from rollcall.agent.dispatch import (
    CallOutcome,
    CallOutput,
    ClientCall,
    ClientFailed,
    ClientSilent,
    NeedsApproval,
    Permit,
)
from rollcall.agent.targets import Target, local_capability, local_target, remote_target
from rollcall.core.context import MAX_FILES, EarlierCall, Platform, Progress, ToolContext
from rollcall.core.errors import (
    Aborted,
    FailedPrecondition,
    InvalidArgument,
    PermissionDenied,
)
from rollcall.core.messages import ToolCall
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.core.shapes import FIND_TOOLS, FileRef
from rollcall.core.texts import TEXTS
from rollcall.core.wire import ToolCallRecord
from rollcall.models.base import ToolSpec
from rollcall.registry.entries import Entry
from rollcall.registry.health import check_up
from rollcall.store.approvals import (
    Approval,
    RememberedApproval,
    arguments_digest,
    load_approvals,
)
from rollcall.store.effects import Effect, Write, perform_once

QUERY_CHARS = 500

Find = Callable[[str, frozenset[str]], "list[tuple[Entry, ToolSpec]]"]
"""Finds tools for a query, except those of the given ids, each with its spec for the model."""

log = logging.getLogger("rollcall")


class Router(Struct, frozen=True):
    """Routes each call of a user's run to its target, after its checks.

    Attributes:
        ctx: The user and the run, as every call of the run sees them.
        deadline: The `time.monotonic()` value by which a call must have ended.
        entries: The capabilities that may be called; tools that the model finds are added.
        token: The user's ID token, if there is one, to pass on to other functions.
        find: Searches for more tools; None if the model may not.
        policies: The agent's approval policies, by capability.
        health: Returns the capabilities that are not healthy, by id: "degraded" or "down".
        effect_key: Makes the key of a call's effect from its place. None for an agent that is asked
            inside a tool: nobody can approve its calls, and it may not write.
        earlier: Yields the thread's calls before the one at a place of the newest step.
        approvals: Approvals by call id. Not by place: a later step has the same places, and an
            approval is for one call.
        client_results: Results of the client's tools, by call id: `{content}`, `{error}` or
            `{expired}`.
        remembered: Approvals that cover later calls of the thread, by capability.
        client_tools: The client tools that the client offered in this turn.
        permits: The permits of calls that were allowed, by id.
    """

    platform: Platform
    ctx: ToolContext
    deadline: float
    entries: MutableMapping[str, Entry]
    thread_id: str = ""
    run_id: str = ""
    token: str | None = None
    find: Find | None = None
    policies: dict[str, ApprovalPolicy] = field(default_factory=dict)
    health: Callable[[], Mapping[str, str]] = dict
    effect_key: Callable[[int], str] | None = None
    earlier: Callable[[int], Iterable[EarlierCall]] = lambda place: ()
    approvals: Mapping[str, Approval] = field(default_factory=dict)
    client_results: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    remembered: Mapping[str, RememberedApproval] = field(default_factory=dict)
    client_tools: frozenset[str] = frozenset()
    permits: MutableMapping[str, Permit] = field(default_factory=dict)

    def is_decided(self, call: ToolCall) -> bool:
        return call.id in self.approvals or call.id in self.client_results

    def writes(self, call: ToolCall) -> bool:
        if self.find is not None and call.name == FIND_TOOLS:
            return False
        entry = self.entries.get(call.name)
        if entry is None or entry.spec.writes or entry.is_foreign:
            return entry is None or entry.spec.writes
        capability = local_capability(self.platform.catalog, call.name)
        # The document may be older than the code.
        return capability is None or capability.mark.effect == "write"

    def permit(self, call: ToolCall) -> Permit:
        return self.permits.get(call.id, Permit())

    def is_client_tool(self, call: ToolCall) -> bool:
        entry = self.entries.get(call.name)
        return entry is not None and entry.execution.type == "client"

    def shown(self, call: ToolCall) -> dict[str, Any]:
        arguments = call.arguments or {}
        entry = self.entries.get(call.name)
        if entry is None or entry.is_foreign:
            return arguments
        capability = local_capability(self.platform.catalog, call.name)
        return capability.shown(arguments) if capability is not None else arguments

    def __call__(self, place: int, call: ToolCall, progress: Progress) -> CallOutcome:
        if (result := self.client_results.get(call.id)) is not None:
            return self._client_result(call, result)
        if self.find is not None and call.name == FIND_TOOLS:
            return self._find_tools(call, self.find)
        approval = self.approvals.get(call.id)
        if approval is not None:  # an approved call is tried even if its tool is down
            check_approved(self.platform, approval)
        else:
            check_up(self.health(), call.name)
        target = self.target(call.name)
        policy = self.policy(call.name, target)
        is_approved = approval is not None and is_in_force(approval, target, policy, self.ctx.user)
        approved = approval if is_approved else None
        requested = approval.arguments if approval is not None else call.arguments
        arguments = target.frozen(requested)
        if approved and arguments != requested:
            raise FailedPrecondition(TEXTS.text("errors.preview_changed", name=call.name))
        ctx = self.tool_context(place, call, target, progress)
        if target.on_client and (call.name not in self.client_tools or self.effect_key is None):
            raise FailedPrecondition(TEXTS.text("errors.no_client", name=call.name))
        if approved:
            self.permits[call.id] = Permit(approved.id)
        elif target.writes:
            # An approval is asked for again if the capability or its decider has changed.
            arguments, review = review_write(
                ctx,
                name=call.name,
                target=target,
                policy=policy,
                arguments=arguments,
                remembered=self.remembered.get(call.name),
            )
            if isinstance(review, NeedsApproval):
                return review
            self.permits[call.id] = Permit(allowed_by=review)
        if target.on_client:
            shown = target.shown(arguments)
            check_size(arguments, shown)  # the run's result holds them for the client
            return ClientCall(arguments, shown=shown)
        if not target.writes:
            output, files = without_files(target.run(ctx, arguments))
            return CallOutput(output, ctx.citations, ctx.display, files=files)
        return self._write(call, target, ctx, arguments, approved)

    def tool_context(
        self, place: int, call: ToolCall, target: Target, progress: Progress
    ) -> ToolContext:
        """Return the `ToolContext` of the call at a place of its step."""
        return replace(
            self.ctx,
            progress=progress,
            effect_key=self.effect_key(place) if self.effect_key and target.writes else None,
            earlier=lambda: self.earlier(place),
            citations=[],
            files=[],
        )

    def _client_result(self, call: ToolCall, result: dict[str, Any]) -> CallOutput:
        """Return the result of a client's tool, which is as untrusted as any other."""
        approval_id = result.get("approvalId")
        self.permits[call.id] = Permit(approval_id, result.get("allowedBy"))
        if result.get("expired"):
            raise ClientSilent(
                TEXTS.text("errors.client_silent"),
                hint="look whether it happened before you call it again",
            )
        if result.get("error") is not None:
            raise ClientFailed(
                str(result["error"]), hint="do not repeat the same call: change what was wrong"
            )
        arguments = None
        if approval_id and result.get("isEdited"):
            edited = load_approvals(self.platform.db, [approval_id])
            arguments = edited[0].shown if edited else None
        return CallOutput(result.get("content"), arguments=arguments)

    def _find_tools(self, call: ToolCall, find: Find) -> CallOutput:
        """Answer a call of `find_tools`; the model may call the tools from its next reply on.

        Raises:
            InvalidArgument: The call has no query.
        """
        query = (call.arguments or {}).get("query")
        if not isinstance(query, str) or not query.strip():
            raise InvalidArgument("query says in a few words what the tool should do")
        found = find(query[:QUERY_CHARS], frozenset(self.entries))
        self.entries.update({entry.id: entry for entry, _ in found})
        tools = [{"name": spec.name, "description": spec.description} for _, spec in found]
        return CallOutput({"tools": tools}, offers=tuple(spec for _, spec in found))

    def target(self, name: str) -> Target:
        """Return a capability's target, after checking that this user may use it now.

        Raises:
            PermissionDenied: It is not available to this user (any more).
            NotFound: This codebase does not have it.
            FailedPrecondition: It is one of this codebase's writes, registered as a remote
                function, whatever its document says.
        """
        user, entry = self.ctx.user, self.entries.get(name)
        if entry is None or not entry.permits(user):
            raise PermissionDenied(TEXTS.text("errors.not_available_to_user", name=name))
        kind = entry.execution.type
        if kind == "firebase_function":
            for part in re.split(r"[/?#;:]", unquote(entry.execution.target)):
                own = local_capability(self.platform.catalog, part)
                if own is not None and own.mark.effect == "write":
                    # The function would take the call itself as the user's approval.
                    raise FailedPrecondition(
                        f"{entry.id} is {part}, a write of this codebase, under another name"
                    )
        if kind in ("firebase_function", "api_endpoint") or (kind == "client" and entry.is_foreign):
            return remote_target(
                entry, user, self.token, lambda: max(self.deadline - time.monotonic(), 1.0)
            )
        capability = self.platform.catalog.find_capability(entry.id)
        if not user.role.at_least(capability.mark.min_role):
            raise PermissionDenied(TEXTS.text("errors.not_available_to_user", name=entry.id))
        return local_target(capability, entry.policy, is_write=entry.spec.writes)

    def policy(self, name: str, target: Target) -> ApprovalPolicy:
        """Return when a call of this capability needs an approval, and whose."""
        return combined(self.policies.get(name), target.policy)

    def _write(
        self,
        call: ToolCall,
        target: Target,
        ctx: ToolContext,
        arguments: dict[str, Any],
        approved: Approval | None,
    ) -> CallOutput:
        """Write through the ledger, once."""
        if ctx.effect_key is None:
            raise FailedPrecondition(TEXTS.text("errors.no_changes_here", name=call.name))
        if self.ctx.is_cancelled():
            raise Aborted(TEXTS.text("errors.stopped_before"))
        effect = Effect(
            key=ctx.effect_key,
            uid=self.ctx.user.uid,
            tool=call.name,
            version=target.version,
            arguments_digest=arguments_digest(arguments),
            thread_id=self.thread_id,
            run_id=self.run_id,
            call_id=call.id,
            approval_id=approved.id if approved else None,
        )
        shown, write = target.shown(arguments), target.ledger_write(ctx, arguments)
        output = self.perform(effect, write)
        try:
            undo = target.undo(shown, output)
        except Exception:  # the write itself is done
            log.exception("how to take a write back could not be worked out")
            undo = None
        output, files = without_files(output)
        return CallOutput(
            output,
            ctx.citations,
            ctx.display,
            arguments=shown if approved else None,
            undo=undo,
            files=files,
        )

    def perform(self, effect: Effect, write: Write) -> Any:
        """Perform a write unless it was done before; return its result."""
        return perform_once(self.platform.db, effect, write, waits_for_others=False)


def found_tools(records: Iterable[ToolCallRecord]) -> list[str]:
    """Return the ids of the tools that calls of `find_tools` have found."""
    results = [each.result for each in records if each.tool == FIND_TOOLS]
    lists = [each.get("tools", ()) for each in results if isinstance(each, dict)]
    return [str(tool["name"]) for tools in lists for tool in tools]


def without_files(output: Any) -> tuple[Any, tuple[FileRef, ...]]:
    """Return a result for the model, which shows files by name and size, and the files themselves.

    The files are read from the result, because a result that the ledger repeats has made none now.
    A list `files` of anything else is left alone; `get_file` checks who owns a file.
    """
    listed = output.get("files") if isinstance(output, dict) else None
    if not isinstance(listed, list) or not listed:
        return output, ()
    try:
        files = tuple(FileRef.model_validate(each) for each in listed[:MAX_FILES])
    except ValidationError:
        return output, ()
    shown = [{"name": each.name, "bytes": each.bytes} for each in files]
    return {**output, "files": shown}, files
