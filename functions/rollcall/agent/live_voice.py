"""Talks by voice: what an agent would be told in a turn, locked into a token for a client."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.prompt import instructions
from rollcall.core.context import CreateLiveToken, LiveToken, Platform, User
from rollcall.core.profile import Place, TurnSetup
from rollcall.models.base import load_live_voice
from rollcall.models.provider import default_live_voice
from rollcall.registry.access import at_least


def live_tokens(
    platform: Platform, user: User, *, locale: str, context: Mapping[str, Any]
) -> CreateLiveToken:
    """Return what creates tokens for a user's talks.

    Tools are those of the setup that the agent's profile names and the user's role permits; when
    one is called, its own function checks it again.
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
        profile = platform.catalog.agents()[agent_id]
        wanted = [id for id in sorted(profile.tools) if setup.tools is None or id in setup.tools]
        found = [platform.catalog.find_capability(id) for id in wanted]
        return voice.create_token(
            instructions=instructions(
                profile,
                setup=setup.instructions,
                locale=locale,
                user=user,
                now=datetime.now(UTC),
                client_context=dict(context),
                place=place,
            ),
            tools=[
                {"name": each.id, "description": each.description, "parameters": each.json_schema}
                for each in found
                if at_least(user.role, each.mark.min_role)
            ],
            start_before=start_before,
            expires_at=expires_at,
        )

    return create
