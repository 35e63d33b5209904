"""Makes a turn of a message: which agent, which tools, which models."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rollcall.agent.dispatch import InProcess
from rollcall.agent.platform import OFFLINE, default_model
from rollcall.agent.prompt import instructions
from rollcall.agent.turn import Journal, Turn
from rollcall.agent.window import window
from rollcall.core.context import AskAgent, Platform, User
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.messages import Message, UserMessage
from rollcall.core.profile import MAX_STEPS_CAP, AgentProfile
from rollcall.core.text import language
from rollcall.core.wire import Status
from rollcall.models.base import load_model
from rollcall.registry.documents import at_least
from rollcall.registry.retrieval import choose
from rollcall.registry.snapshot import Snapshot


def find_agent(agent_id: str, *, user: User, registry: Snapshot) -> AgentProfile:
    """The agent's profile under its operator's overrides.

    Raises:
        NotFound: There is no such agent.
        PermissionDenied: It is disabled, or not for this user's role.
    """
    from rollcall.catalog import agents

    profile = agents().get(agent_id)
    if profile is None:
        known = ", ".join(sorted(agents()))
        raise NotFound(f"there is no agent {agent_id!r}", field="agent", hint=f"known: {known}")
    profile = registry.overruled(profile)
    if profile.status is Status.DISABLED or not at_least(user.role, profile.min_role):
        raise PermissionDenied(f"the agent {agent_id!r} is not available to you", field="agent")
    return profile


def locale_of(message: UserMessage, asked: str | None) -> str:
    """The language to answer in: the one asked for, otherwise the message's own."""
    return asked or language(message.text)


def prepare(
    profile: AgentProfile,
    *,
    platform: Platform,
    user: User,
    registry: Snapshot,
    history: Sequence[Message],
    message: UserMessage,
    run_id: str,
    journal: Journal,
    agents: AskAgent,
    now: datetime,
    locale: str,
    context: dict[str, Any] | None = None,
    max_steps: int | None = None,
) -> Turn:
    """Choose tools and models and bound everything.

    Raises:
        FailedPrecondition: The registry holds none of the agent's tools yet.
    """
    entries = registry.permitted(profile.tools, user.role)
    if not entries and profile.tools and not registry.entries:
        raise FailedPrecondition(
            "the registry is empty; publish the capabilities first",
            hint="run `python -m rollcall sync` in functions/",
        )
    chosen = choose(entries, message.text, limit=profile.max_tools)
    # In a stable order, so that the tools' part of the prompt is the same from run to run.
    chosen.sort(key=lambda entry: entry.id)
    models = profile.models or (default_model(os.environ),)
    return Turn(
        run_id=run_id,
        instructions=instructions(profile, user=user, now=now, context=context),
        history=tuple(window(history, tokens=profile.history_tokens)),
        tools=tuple(entry.spec for entry in chosen),
        models=tuple(load_model(name) for name in models),
        composer=load_model(OFFLINE),
        dispatch=InProcess(
            platform=platform,
            user=user,
            locale=locale,
            now=now,
            entries={entry.id: entry for entry in chosen},
            agents=agents,
        ),
        journal=journal,
        max_steps=min(max_steps or profile.max_steps, MAX_STEPS_CAP),
        deadline=time.monotonic() + profile.deadline_s,
        result_chars=profile.result_chars,
        locale=locale,
        now_iso=now.isoformat(),
        cache_key=f"{profile.id}:{user.uid}",
    )
