"""Makes a turn: which agent, which tools, which models, what is known from before."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.before import before_of
from rollcall.agent.dispatch import Dispatch
from rollcall.agent.fences import fenced_description, fenced_schema
from rollcall.agent.metered import paid_by
from rollcall.agent.platform import OFFLINE, default_model
from rollcall.agent.prompt import instructions
from rollcall.agent.purse import Purse
from rollcall.agent.repair import repaired
from rollcall.agent.router import Asker, Known, Router
from rollcall.agent.spending import FirestorePurse
from rollcall.agent.turn import Before, Journal, Limits, Turn
from rollcall.agent.window import window
from rollcall.core.capability import digest
from rollcall.core.context import AskAgent, Platform, User
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.messages import Message, UserMessage
from rollcall.core.profile import MAX_STEPS_CAP, AgentProfile
from rollcall.core.text import language
from rollcall.core.wire import Status
from rollcall.models.base import ToolSpec, load_model
from rollcall.registry.documents import Entry, at_least
from rollcall.registry.retrieval import choose
from rollcall.registry.snapshot import Snapshot, snapshot
from rollcall.store.closing import step_effect_key
from rollcall.store.runs import OpenRun

log = logging.getLogger("rollcall")


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asked which agent, and the tools that may answer.

    Attributes:
        client_id: The client that took part in asking, if it said who it is.
        client_tools: The client tools that it offered.
    """

    platform: Platform
    user: User
    profile: AgentProfile
    entries: tuple[Entry, ...]
    locale: str
    now: datetime
    context: dict[str, Any] | None
    client_id: str | None = None
    client_tools: tuple[str, ...] = ()
    token: str | None = None

    def request(self) -> dict[str, Any]:
        """What the turn's later runs need to know of it, as plain JSON."""
        return {
            "locale": self.locale,
            "context": self.context,
            "offered": [entry.id for entry in self.entries],
            "clientId": self.client_id,
            "clientTools": list(self.client_tools),
        }


def receive(
    platform: Platform,
    *,
    user: User,
    agent_id: str,
    message: UserMessage,
    locale: str | None = None,
    context: dict[str, Any] | None = None,
    client_id: str | None = None,
    client_tools: Sequence[str] = (),
    token: str | None = None,
) -> Asked:
    """Find the agent and the tools for a message; nothing is written yet.

    Args:
        locale: The language to answer in; otherwise the message's own.
        context: What the client says of where the user is; data, never believed.
        client_tools: Tools that the client can run; those that are not registered for clients
            are left out.
    Raises:
        NotFound: There is no such agent.
        PermissionDenied: It is disabled, or not for this user's role.
        FailedPrecondition: The registry is empty.
    """
    registry = snapshot(platform.db)
    profile = _find_agent(agent_id, user=user, registry=registry)
    entries = registry.permitted(profile.tools, user.role)
    if profile.tools and not registry.entries:
        raise FailedPrecondition(
            "the registry is empty; publish the capabilities first",
            hint="run `python -m rollcall sync` in functions/",
        )
    usable = [
        entry
        for entry in entries
        if entry.execution.type != "client" or entry.id in set(client_tools)
    ]
    chosen = choose(usable, message.text, limit=profile.max_tools)
    return Asked(
        platform=platform,
        user=user,
        profile=profile,
        # In a stable order, so that the tools' part of the prompt is the same from run to run.
        entries=tuple(sorted(chosen, key=lambda entry: entry.id)),
        locale=locale or language(message.text),
        now=datetime.now(UTC),
        context=context,
        client_id=client_id,
        client_tools=tuple(entry.id for entry in usable if entry.execution.type == "client"),
        token=token,
    )


def recall(platform: Platform, opened: OpenRun, *, user: User, token: str | None) -> Asked:
    """What a turn was asked with, for a run that goes on with it: the same tools, as far as they
    are still there and permitted to `user`.

    Raises:
        NotFound: The agent is gone.
        PermissionDenied: It is not for this user any more.
    """
    request = opened.request
    registry = snapshot(platform.db)
    profile = _find_agent(opened.agent, user=user, registry=registry)
    offered = tuple(id for id in request["offered"] if id in profile.tools)
    return Asked(
        platform=platform,
        user=user,
        profile=profile,
        entries=tuple(registry.permitted(offered, user.role)),
        locale=request["locale"],
        now=datetime.now(UTC),
        context=request["context"],
        client_id=request["clientId"],
        client_tools=tuple(request["clientTools"]),
        token=token,
    )


def prepare_run(asked: Asked, opened: OpenRun, *, agents: Callable[[float], AskAgent]) -> Turn:
    """The turn of a run in a thread, as far as it has come.

    Args:
        agents: Makes the way to ask other agents, given the time by which they must answer.
    """
    before = before_of(opened)
    deadline = time.monotonic() + max(asked.profile.deadline_s - before.spent.work_ms / 1000, 0)
    asker = Asker(
        user=asked.user,
        locale=asked.locale,
        now=asked.now,
        deadline=deadline,
        thread_id=opened.thread_id,
        run_id=opened.run_id,
        token=asked.token,
        # Calls are made after their reply was saved: the newest document is their step's.
        effect_key=lambda place: step_effect_key(opened.thread_id, opened.documents[-1], place),
        is_cancelled=lambda: opened.is_cancelled,
    )
    known = Known(
        approvals={approval.call_id: approval for approval in opened.approvals},
        answers=opened.answers,
        allowed=opened.allowed,
        client_tools=frozenset(asked.client_tools),
    )
    turn = prepare(
        asked,
        history=opened.history,
        run_id=opened.run_id,
        journal=opened,
        dispatch=_router(asked, asker, agents(deadline), known),
        deadline=deadline,
        before=before,
        purse=_purse(asked),
    )
    return replace(turn, is_stopped=lambda: opened.is_cancelled, attempt=opened.attempt)


def prepare(
    asked: Asked,
    *,
    history: Sequence[Message],
    run_id: str,
    journal: Journal,
    dispatch: Dispatch,
    deadline: float,
    purse: Purse,
    before: Before | None = None,
    max_steps: int | None = None,
) -> Turn:
    """Choose the models and bound everything. The history ends with the message, or with a reply
    whose calls are being answered.

    Args:
        deadline: `time.monotonic()` value by which who asks must have an answer.
    """
    profile = asked.profile
    models = profile.models or (default_model(os.environ),)
    sound, repairs = repaired(history, leaves_last_open=bool(before and before.step))
    for repair in repairs:
        log.warning("run %s: the thread's history was repaired: %s", run_id, repair)
    return Turn(
        run_id=run_id,
        instructions=instructions(profile, user=asked.user, now=asked.now, context=asked.context),
        history=tuple(window(sound, tokens=profile.history_tokens)),
        tools=tuple(_offered(entry) for entry in asked.entries),
        models=tuple(load_model(name) for name in models),
        composer=load_model(OFFLINE),
        dispatch=dispatch,
        journal=journal,
        limits=Limits(
            max_steps=min(max_steps or profile.max_steps, MAX_STEPS_CAP),
            max_calls=profile.max_calls,
            max_calls_per_tool=profile.max_calls_per_tool,
            max_tokens=profile.max_tokens,
            max_cost_usd=profile.max_cost_usd,
            result_chars=profile.result_chars,
        ),
        purse=purse,
        before=before or Before(),
        deadline=deadline,
        locale=asked.locale,
        now_iso=asked.now.isoformat(),
        cache_key=digest([profile.id, asked.user.uid]),
    )


def prepare_inner(
    asked: Asked,
    message: UserMessage,
    *,
    run_id: str,
    journal: Journal,
    agents: AskAgent,
    deadline: float,
    max_steps: int | None,
) -> Turn:
    """The turn of an agent that is asked inside a tool: it has no thread, and nobody to ask."""
    deadline = min(deadline, time.monotonic() + asked.profile.deadline_s)
    asker = Asker(user=asked.user, locale=asked.locale, now=asked.now, deadline=deadline)
    return prepare(
        asked,
        history=[message],
        run_id=run_id,
        journal=journal,
        dispatch=_router(asked, asker, agents, Known()),
        deadline=deadline,
        purse=_purse(asked),
        max_steps=max_steps,
    )


def _offered(entry: Entry) -> ToolSpec:
    """What the model is told of a tool; what others wrote of theirs is fenced."""
    if not entry.is_foreign:
        return entry.spec
    return replace(
        entry.spec,
        description=fenced_description(entry.spec.description),
        parameters=fenced_schema(entry.spec.parameters),
    )


def _purse(asked: Asked) -> Purse:
    return FirestorePurse(
        asked.platform.db, asked.user, allow_unpriced=asked.profile.allow_unpriced
    )


def _router(asked: Asked, asker: Asker, agents: AskAgent, known: Known) -> Router:
    entries: Mapping[str, Entry] = {entry.id: entry for entry in asked.entries}
    return Router(
        platform=asked.platform,
        asker=asker,
        entries=dict(entries),
        agents=agents,
        policies=dict(asked.profile.approvals),
        known=known,
        text_model=paid_by(
            asked.platform.text_model,
            asked.platform.db,
            asked.user,
            allow_unpriced=asked.profile.allow_unpriced,
        ),
    )


def profile_of(platform: Platform, agent_id: str, *, user: User) -> AgentProfile:
    """An agent's profile as it is now, under its operator's overrides.

    Raises:
        NotFound, PermissionDenied: It is gone, or not for this user.
    """
    return _find_agent(agent_id, user=user, registry=snapshot(platform.db))


def _find_agent(agent_id: str, *, user: User, registry: Snapshot) -> AgentProfile:
    """The agent's profile under its operator's overrides."""
    from rollcall.catalog import agents

    profiles = {id: registry.overruled(profile) for id, profile in agents().items()}
    usable = {id: profile for id, profile in profiles.items() if _may_use(profile, user)}
    if agent_id in usable:
        return usable[agent_id]
    hint = f"you may use: {', '.join(sorted(usable))}"
    if agent_id in profiles:
        message = f"the agent {agent_id!r} is not available to you"
        raise PermissionDenied(message, field="agent", hint=hint)
    raise NotFound(f"there is no agent {agent_id!r}", field="agent", hint=hint)


def _may_use(profile: AgentProfile, user: User) -> bool:
    return profile.status is not Status.DISABLED and at_least(user.role, profile.min_role)
