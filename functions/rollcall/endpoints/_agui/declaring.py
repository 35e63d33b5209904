"""What an agent can do, as AG-UI's `AgentCapabilities`, so that a front end shows what there is."""

from __future__ import annotations

from itertools import compress
from typing import Any

from rollcall.agent.run_context import profile_of
from rollcall.core.context import Platform, User
from rollcall.registry.entries import Entry
from rollcall.registry.selection import ToolRequest, permitted
from rollcall.registry.snapshot import snapshot


def declared(platform: Platform, user: User, agent_id: str) -> dict[str, Any]:
    """What this agent can do for this user. `custom.clientTools` are the tools that a client may
    offer, as they are registered.

    Raises:
        NotFound, PermissionDenied: There is no such agent, or not for this user.
    """
    profile = profile_of(platform, agent_id, user=user)
    registry = snapshot(platform.db)
    entries = registry.content.entries
    asking = ToolRequest(profile, user, "", client_tools=frozenset(entries))
    allowed = compress(entries.ids, permitted(registry, asking).mask)
    tools = [entries[id] for id in allowed]
    own = [entry for entry in tools if entry.execution.type != "client"]
    clients = [entry for entry in tools if entry.execution.type == "client"]
    return {
        "identity": {"name": profile.names["en"], "type": "rollcall"},
        "transport": {"streaming": True, "websocket": False, "httpBinary": False},
        "tools": {
            "supported": bool(tools),
            "items": [_tool(entry) for entry in own],
            "parallelCalls": True,
            "clientProvided": bool(clients),
        },
        "state": {"snapshots": False, "deltas": False, "persistentState": False},
        "reasoning": {"supported": False},
        "execution": {
            "maxIterations": profile.max_steps,
            "maxExecutionTime": int(profile.deadline_s * 1000),
        },
        "humanInTheLoop": {
            "supported": True,
            "approvals": True,
            "interrupts": True,
            "approveWithEdits": True,
        },
        "custom": {"agent": profile.id, "clientTools": [_tool(entry) for entry in clients]},
    }


def _tool(entry: Entry) -> dict[str, Any]:
    spec = entry.spec
    return {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
