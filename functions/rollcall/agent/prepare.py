"""Makes a turn of a message: which agent, which tools, which models."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.dispatch import InProcess
from rollcall.agent.platform import OFFLINE, default_model
from rollcall.agent.prompt import instructions
from rollcall.agent.turn import Journal, Turn
from rollcall.agent.window import window
from rollcall.core.capability import digest
from rollcall.core.context import AskAgent, Platform, User
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.messages import Message, UserMessage
from rollcall.core.profile import MAX_STEPS_CAP, AgentProfile
from rollcall.core.text import language
from rollcall.core.wire import Status
from rollcall.models.base import load_model
from rollcall.registry.documents import Entry, at_least
from rollcall.registry.retrieval import choose
from rollcall.registry.snapshot import Snapshot, snapshot


@dataclass(frozen=True, slots=True)
class Asked:
    """A message, who sent it to which agent, and the tools that may answer it."""

    platform: Platform
    user: User
    profile: AgentProfile
    message: UserMessage
    entries: tuple[Entry, ...]
    locale: str
    now: datetime
    context: dict[str, Any] | None


def receive(
    platform: Platform,
    *,
    user: User,
    agent_id: str,
    message: UserMessage,
    locale: str | None = None,
    context: dict[str, Any] | None = None,
) -> Asked:
    """Find the agent and the tools for a message; nothing is written yet.

    Args:
        locale: The language to answer in; otherwise the message's own.
        context: What the client says of where the user is; data, never believed.
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
    chosen = choose(entries, message.text, limit=profile.max_tools)
    return Asked(
        platform=platform,
        user=user,
        profile=profile,
        message=message,
        # In a stable order, so that the tools' part of the prompt is the same from run to run.
        entries=tuple(sorted(chosen, key=lambda entry: entry.id)),
        locale=locale or language(message.text),
        now=datetime.now(UTC),
        context=context,
    )


def prepare(
    asked: Asked,
    *,
    history: Sequence[Message],
    run_id: str,
    journal: Journal,
    agents: AskAgent,
    max_steps: int | None = None,
    deadline: float | None = None,
) -> Turn:
    """Choose the models and bound everything. The history ends with the message itself.

    Args:
        deadline: `time.monotonic()` value by which who asks must have an answer.
    """
    profile = asked.profile
    models = profile.models or (default_model(os.environ),)
    return Turn(
        run_id=run_id,
        instructions=instructions(profile, user=asked.user, now=asked.now, context=asked.context),
        history=tuple(window(history, tokens=profile.history_tokens)),
        tools=tuple(entry.spec for entry in asked.entries),
        models=tuple(load_model(name) for name in models),
        composer=load_model(OFFLINE),
        dispatch=InProcess(
            platform=asked.platform,
            user=asked.user,
            locale=asked.locale,
            now=asked.now,
            entries={entry.id: entry for entry in asked.entries},
            agents=agents,
        ),
        journal=journal,
        max_steps=min(max_steps or profile.max_steps, MAX_STEPS_CAP),
        deadline=min(deadline or math.inf, time.monotonic() + profile.deadline_s),
        result_chars=profile.result_chars,
        locale=asked.locale,
        now_iso=asked.now.isoformat(),
        cache_key=digest([profile.id, asked.user.uid]),
    )


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
