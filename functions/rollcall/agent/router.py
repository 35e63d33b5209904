"""The dispatcher of a run: finds the capability, checks it for this user, asks or runs."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from msgspec import Struct, field

from rollcall.agent.approvals import Consent, check_askable
from rollcall.agent.dispatch import Answer, Ask, Leave, Permit, Unanswerable, Unheard
from rollcall.agent.run_context import Asker, Known
from rollcall.agent.targets import Local, Registered, Target, endpoint_reach, function_reach
from rollcall.core.context import (
    AskAgent,
    Catalog,
    Platform,
    Progress,
    TextModel,
    ToolContext,
)
from rollcall.core.errors import (
    Aborted,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.messages import ToolCall
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.models.base import FIND_TOOLS, ToolSpec
from rollcall.registry.access import at_least
from rollcall.registry.breaker import check_up
from rollcall.registry.entries import Entry
from rollcall.store.approvals import Approval, arguments_digest, load_approvals
from rollcall.store.effects import Effect, Write, perform_once

if TYPE_CHECKING:
    from google.cloud.firestore import WriteBatch

QUERY_CHARS = 500

Find = Callable[[str, frozenset[str]], "list[tuple[Entry, ToolSpec]]"]
"""Finds tools for a query, but those of the given ids: each with what a model is told of it."""

log = logging.getLogger("rollcall")


class Router(Struct, frozen=True):
    """Routes each call to its target, after its checks.

    Attributes:
        entries: Those that may be called; what is found joins them.
        find: Searches for more tools; None where the model may not.
        policies: The agent's own, by capability.
        text_model: What capabilities are given, counted in the user's budget.
        health: Of capabilities that are not well by now, by id: "degraded" or "down".
        permits: Of the calls that were let through, by id.
    """

    platform: Platform
    asker: Asker
    entries: MutableMapping[str, Entry]
    agents: AskAgent
    find: Find | None = None
    policies: dict[str, ApprovalPolicy] = field(default_factory=dict)
    known: Known = field(default_factory=Known)
    text_model: TextModel | None = None
    health: Callable[[], Mapping[str, str]] = dict
    permits: MutableMapping[str, Permit] = field(default_factory=dict)

    def is_decided(self, call: ToolCall) -> bool:
        return call.id in self.known.approvals or call.id in self.known.answers

    def writes(self, call: ToolCall) -> bool:
        if self._is_search(call):
            return False
        entry = self.entries.get(call.name)
        if entry is None or entry.spec.writes or entry.is_foreign:
            return entry is None or entry.spec.writes
        try:  # the document may be older than the code
            return self.platform.catalog.find_capability(call.name).mark.effect == "write"
        except NotFound:
            return True

    def permit(self, call: ToolCall) -> Permit:
        return self.permits.get(call.id, Permit())

    def is_the_clients(self, call: ToolCall) -> bool:
        entry = self.entries.get(call.name)
        return entry is not None and entry.execution.type == "client"

    def shown(self, call: ToolCall) -> dict[str, Any]:
        arguments = call.arguments or {}
        entry = self.entries.get(call.name)
        if entry is None or entry.is_foreign:
            return arguments
        try:
            return self.platform.catalog.find_capability(call.name).shown(arguments)
        except NotFound:  # this codebase has it no more, and the registry does not know yet
            return arguments

    def __call__(self, place: int, call: ToolCall, progress: Progress) -> Answer | Ask | Leave:
        if (answer := self.known.answers.get(call.id)) is not None:
            return self._answered(call, answer)
        if self._is_search(call):
            return self._search(call)
        approval = self.known.approvals.get(call.id)
        consent = Consent(self.platform, self.asker, self.known)
        if approval is not None:
            consent.check_decided(approval)
        else:  # what a person said yes to is tried all the same
            check_up(self.health(), call.name)
        target = self.target(call.name)
        policy = self._policy(call.name, target)
        approved = approval is not None and consent.holds(approval, target, policy)
        given = approval.arguments if approval is not None else call.arguments
        arguments = target.frozen(given)
        if approved and arguments != given:
            raise FailedPrecondition(
                f"{call.name} makes others of the arguments that were approved; nothing was written"
            )
        ctx = self._context(place, target, progress)
        if target.on_client:
            self._check_client(call.name)
        if approval is not None and approved:
            self.permits[call.id] = Permit(approval.id)
        elif target.writes:
            # One that changed since its approval, or that others decide now, is asked for again.
            arguments, asked = consent.considered(call.name, target, policy, ctx, arguments)
            if isinstance(asked, Ask):
                return asked
            self.permits[call.id] = Permit(allowed_by=asked)
        if target.on_client:
            shown = target.shown(arguments)
            check_askable(arguments, shown)  # the run's result holds them for the client
            return Leave(arguments, shown=shown)
        if not target.writes:
            return Answer(target.run(ctx, arguments), ctx.citations, ctx.display)
        return self._write(call, target, ctx, arguments, approval if approved else None)

    def _answered(self, call: ToolCall, answer: dict[str, Any]) -> Answer:
        """What the client's tool said; it is as untrusted as any result."""
        approval_id = answer.get("approvalId")
        self.permits[call.id] = Permit(approval_id, answer.get("allowedBy"))
        if answer.get("expired"):
            raise Unheard(
                "nobody answered: the user's client did not in time, and may have done it or not",
                hint="look whether it happened before you call it again",
            )
        if answer.get("error") is not None:
            raise Unanswerable(
                str(answer["error"]), hint="do not repeat the same call: change what was wrong"
            )
        arguments = None
        if approval_id and answer.get("isEdited"):
            edited = load_approvals(self.platform.db, [approval_id])
            arguments = edited[0].shown if edited else None
        return Answer(answer.get("content"), arguments=arguments)

    def _is_search(self, call: ToolCall) -> bool:
        return self.find is not None and call.name == FIND_TOOLS

    def _search(self, call: ToolCall) -> Answer:
        """Tools for what the model says it needs; they can be called from its next reply on."""
        query = (call.arguments or {}).get("query")
        if not isinstance(query, str) or not query.strip():
            raise InvalidArgument("query says in a few words what the tool should do")
        assert self.find is not None
        found = self.find(query[:QUERY_CHARS], frozenset(self.entries))
        self.entries.update({entry.id: entry for entry, _ in found})
        tools = [{"name": spec.name, "description": spec.description} for _, spec in found]
        return Answer({"tools": tools}, offers=tuple(spec for _, spec in found))

    def target(self, name: str) -> Target:
        """The capability, checked for this user as of now.

        Raises:
            PermissionDenied: It is not available to this user (any more).
            NotFound: This codebase does not have it.
        """
        entry = self.entries.get(name)
        if entry is None or not entry.permits(self.asker.user):
            raise PermissionDenied(f"{name} is not available to this user")
        if entry.execution.type == "firebase_function":
            _check_not_ours(entry, self.platform.catalog)
            reach = function_reach(entry, self.asker.user, self.asker.token, self._left_s)
            return Registered(entry, reach)
        if entry.execution.type == "api_endpoint":
            return Registered(entry, endpoint_reach(entry, self._left_s))
        if entry.execution.type == "client" and entry.is_foreign:
            return Registered(entry, _nowhere)
        return self._local(entry)

    def _local(self, entry: Entry) -> Target:
        capability = self.platform.catalog.find_capability(entry.id)
        if not at_least(self.asker.user.role, capability.mark.min_role):
            raise PermissionDenied(f"{entry.id} is not available to this user")
        return Local(capability, entry.policy, entry.spec.writes)

    def _policy(self, name: str, target: Target) -> ApprovalPolicy:
        return combined(self.policies.get(name), target.policy)

    def _check_client(self, name: str) -> None:
        if name not in self.known.client_tools or self.asker.effect_key is None:
            raise FailedPrecondition(f"no client that can run {name} takes part in this dialogue")

    def _write(
        self,
        call: ToolCall,
        target: Target,
        ctx: ToolContext,
        arguments: dict[str, Any],
        approval: Approval | None,
    ) -> Answer:
        if ctx.effect_key is None:
            raise FailedPrecondition(f"{call.name} changes data, which cannot be done here")
        if self.asker.is_cancelled():
            raise Aborted("the user stopped the run before this was begun; nothing was written")
        effect = Effect(
            key=ctx.effect_key,
            uid=self.asker.user.uid,
            tool=call.name,
            version=target.version,
            arguments_digest=arguments_digest(arguments),
            thread_id=self.asker.thread_id,
            run_id=self.asker.run_id,
            call_id=call.id,
            approval_id=approval.id if approval else None,
        )
        output = perform_once(
            self.platform.db, effect, way_of(target, ctx, arguments), waits_for_others=False
        )
        return Answer(
            output,
            ctx.citations,
            ctx.display,
            arguments=target.shown(arguments) if approval else None,
            undo=_undo(target, arguments, output),
        )

    def _context(self, place: int, target: Target, progress: Progress) -> ToolContext:
        mint = self.asker.effect_key
        return ToolContext(
            user=self.asker.user,
            platform=self.platform,
            locale=self.asker.locale,
            now=self.asker.now,
            progress=progress,
            effect_key=mint(place) if mint and target.writes else None,
            is_cancelled=self.asker.is_cancelled,
            context=self.asker.context,
            agents=self.agents,
            earlier=lambda: self.asker.earlier(place),
            paid_text_model=lambda: self.text_model,
        )

    def _left_s(self) -> float:
        return max(self.asker.deadline - time.monotonic(), 1.0)


def _check_not_ours(entry: Entry, catalog: Catalog) -> None:
    """One of our own writes, called as a function, would be the user's own call: its own yes.

    Raises:
        FailedPrecondition: It is one, whatever its document says.
    """
    for name in re.split(r"[/?#;:]", unquote(entry.execution.target)):
        try:
            is_write = catalog.find_capability(name).mark.effect == "write"
        except NotFound:
            continue
        if is_write:
            raise FailedPrecondition(
                f"{entry.id} is {name}, a write of this codebase, under another name"
            )


def way_of(target: Target, ctx: ToolContext, arguments: dict[str, Any]) -> Write:
    """How the ledger has a target write."""

    def work(batch: WriteBatch | None) -> Any:
        ctx.effects = batch
        return target.run(ctx, arguments)

    return Write(work, atomic=target.atomic, find=target.finder(ctx))


def _undo(target: Target, arguments: dict[str, Any], output: Any) -> dict[str, Any] | None:
    """How to take a write back; one that cannot say so has happened all the same."""
    try:
        return target.undo(target.shown(arguments), output)
    except Exception:
        log.exception("how to take a write back could not be worked out")
        return None


def _nowhere(ctx: ToolContext, arguments: dict[str, Any]) -> Any:
    raise FailedPrecondition("this capability runs on the user's own client")
