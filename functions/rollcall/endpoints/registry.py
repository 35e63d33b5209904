"""What a user may use."""

from __future__ import annotations

from typing import Any

from rollcall.core.context import Platform
from rollcall.core.inputs import validate
from rollcall.core.triggers import Call, OnCall, bound
from rollcall.core.wire import ListRequest, Status
from rollcall.registry.documents import at_least
from rollcall.registry.snapshot import snapshot


@bound(OnCall())
def list_capabilities(platform: Platform, call: Call) -> dict[str, Any]:
    """List what this user may use: `{capabilities: [...], agents: [...]}`."""
    from rollcall.catalog import agents

    request = validate(ListRequest, {} if call.data is None else call.data)
    locale = request.locale or "en"
    registry = snapshot(platform.db)
    profiles = [registry.overruled(profile) for profile in agents().values()]
    return {
        "capabilities": [
            {
                "id": entry.id,
                "name": entry.names.get(locale) or entry.names.get("en", entry.id),
                "description": entry.spec.description,
                "category": entry.category,
                "effect": "write" if entry.spec.writes else "read",
                "runsOn": entry.runs_on,
                "status": entry.status.value,
                "jsonSchema": entry.spec.parameters,
            }
            for entry in registry.permitted(tuple(sorted(registry.entries)), call.user.role)
        ],
        "agents": [
            {"id": profile.id, "name": profile.name.get(locale) or profile.name["en"]}
            for profile in profiles
            if profile.status is not Status.DISABLED and at_least(call.user.role, profile.min_role)
        ],
    }
