"""Live voice: creates tokens that let a client talk to an agent, with the agent's prompt and tools
fixed inside."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.prompt import instructions
from rollcall.agent.run_setup import find_agent, tool_spec
from rollcall.core.context import LiveToken, Platform, User
from rollcall.core.profile import Place, TurnSetup
from rollcall.models.base import load_live_voice
from rollcall.models.provider import default_live_voice
from rollcall.registry.access import is_named
from rollcall.registry.snapshot import snapshot


def create_live_token(
    platform: Platform,
    user: User,
    agent_id: str,
    *,
    locale: str,
    context: Mapping[str, Any],
    setup: TurnSetup,
    place: Place | None,
    start_before: datetime,
    expires_at: datetime,
) -> LiveToken:
    """Create a token for a user's live voice session.

    Agent and tools are read from the registry, so a token has nothing that an operator disabled.
    When a tool is called, its own function checks the call again.
    """
    voice = load_live_voice(default_live_voice(os.environ))
    registry = snapshot(platform.db)
    profile = find_agent(platform, agent_id, user=user, registry=registry)
    entries, named = registry.content.entries, frozenset(profile.tools)
    ids = sorted(id for id in entries.ids if setup.tools is None or id in setup.tools)
    tools = [
        tool_spec(each)
        for each in (entries[id] for id in ids)
        if is_named(each.id, each.category, named) and each.permits(user)
    ]
    return voice.create_token(
        instructions=instructions(
            profile,
            setup=setup.instructions,
            locale=locale,
            user=user,
            now=datetime.now(UTC),
            client_context=dict(context),
            place=place,
            by_voice=True,
        ),
        tools=[
            {"name": each.name, "description": each.description, "parameters": each.parameters}
            for each in tools
        ],
        start_before=start_before,
        expires_at=expires_at,
    )
