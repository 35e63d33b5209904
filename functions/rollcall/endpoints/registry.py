"""Lists the capabilities and agents that a user may use, and compiles the registry after changes of
its documents."""

from __future__ import annotations

from itertools import compress, islice
from typing import Any

from rollcall.core.context import Call, Platform
from rollcall.core.inputs import validate
from rollcall.core.triggers import DocumentEvent, OnCall, OnDocument, bound
from rollcall.core.wire import ListRequest
from rollcall.registry.access import ALL, may_use, permission_mask
from rollcall.registry.documents import with_overrides
from rollcall.registry.snapshot import snapshot

UNCOMPILED = {"lastUpdated"}
"""Fields that are not in the compiled registry."""


@bound(OnCall())
def list_capabilities(platform: Platform, call: Call) -> dict[str, Any]:
    """List what this user may use: `{capabilities: [...], agents: [...], next?}`.

    Capabilities are sorted by id, a page of `limit` at a time; if more follow, `next` is the
    `after` of the next request.
    """
    request = validate(ListRequest, {} if call.data is None else call.data)
    locale = request.locale or "en"
    registry = snapshot(platform.db)
    content = registry.content
    profiles = [
        with_overrides(profile, content.agents.get(profile.id, {}))
        for profile in platform.catalog.agents().values()
    ]
    on_client = frozenset(content.entries)
    rows = content.access_rows
    allowed = permission_mask(rows, (ALL,), call.user, client_tools=on_client)
    ids = compress(content.entries.ids, allowed)
    page = list(islice((id for id in ids if id > (request.after or "")), request.limit + 1))
    entries = [content.entries[id] for id in page[: request.limit]]
    return {
        **({"next": entries[-1].id} if len(page) > request.limit else {}),
        "capabilities": [
            {
                "id": entry.id,
                "name": entry.name(locale),
                "description": entry.spec.description,
                "category": entry.category,
                "effect": "write" if entry.spec.writes else "read",
                "runsOn": entry.runs_on,
                "status": entry.status.value,
                "health": registry.health.get(entry.id, "healthy"),
                "jsonSchema": entry.spec.parameters,
            }
            for entry in entries
        ],
        "agents": [
            {"id": profile.id, "name": profile.names.get(locale) or profile.names["en"]}
            for profile in profiles
            if may_use(profile, call.user)
        ],
    }


@bound(OnDocument("capabilities/{capabilityId}", timeout_s=540, platform=True))
def capability_written(platform: Platform, event: DocumentEvent) -> None:
    """Compile the registry after a capability's document changed."""
    _compile(platform, event)


@bound(OnDocument("agents/{agentId}", timeout_s=540, platform=True))
def agent_written(platform: Platform, event: DocumentEvent) -> None:
    """Compile the registry after an agent's document changed."""
    _compile(platform, event)


def _compile(platform: Platform, event: DocumentEvent) -> None:
    """Compile the registry, unless the change does not concern it."""
    from rollcall.registry.compiler import compile_after

    if _compiled_fields(event.before) != _compiled_fields(event.after):
        compile_after(platform.db, event.time, embedder=platform.embedder)


def _compiled_fields(document: dict[str, Any] | None) -> dict[str, Any] | None:
    if document is None:
        return None
    return {key: value for key, value in document.items() if key not in UNCOMPILED}
