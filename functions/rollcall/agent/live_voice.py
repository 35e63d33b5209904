"""Talks by voice: what an agent would be told in a turn, locked into a token for a client."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.prompt import instructions
from rollcall.agent.run_setup import find_agent, tool_spec
from rollcall.core.context import CreateLiveToken, LiveToken, Platform, User
from rollcall.core.profile import Place, TurnSetup
from rollcall.models.base import load_live_voice
from rollcall.models.provider import default_live_voice
from rollcall.registry.access import is_named
from rollcall.registry.snapshot import snapshot


def live_tokens(
    platform: Platform, user: User, *, locale: str, context: Mapping[str, Any]
) -> CreateLiveToken:
    """Return what creates tokens for a user's talks.

    Agent and tools are those of the registry: what an operator disabled is in no token. When a tool
    is called, its own function checks it again.
    """

    def create(
        agent_id: str,
        *,
        setup: TurnSetup,
        place: Place | None,
        start_before: datetime,
        expires_at: datetime,
    ) -> LiveToken:
        voice = load_live_voice(default_live_voice(os.environ))
        registry = snapshot(platform.db)
        profile = find_agent(platform, agent_id, user=user, registry=registry)
        entries, named = registry.content.entries, frozenset(profile.tools)
        wanted = [id for id in entries.ids if setup.tools is None or id in setup.tools]
        found = [entries[id] for id in sorted(wanted)]
        tools = [
            tool_spec(each)
            for each in found
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

    return create
