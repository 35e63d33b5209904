"""Lists the capabilities and agents that a user may use, and compiles the registry after changes of
its documents."""

from __future__ import annotations

from itertools import compress, islice
from typing import Any

from rollcall.core.context import Call, Platform
from rollcall.core.inputs import validate
from rollcall.core.triggers import DocumentEvent, OnCall, OnDocument, bound
from rollcall.core.wire import ListRequest
from rollcall.models.base import ToolSpec
from rollcall.registry.access import ALL, may_use, permission_mask
from rollcall.registry.documents import with_overrides
from rollcall.registry.snapshot import snapshot


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
    allowed = permission_mask(content.access_rows, (ALL,), call.user, client_tools=on_client)
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
                "labels": _labels(entry.spec, locale),
            }
            for entry in entries
        ],
        "agents": [
            {"id": profile.id, "name": profile.names.get(locale) or profile.names["en"]}
            for profile in profiles
            if may_use(profile, call.user)
        ],
    }


def _labels(spec: ToolSpec, locale: str) -> dict[str, str]:
    """Return a language's own words for a tool's parameters and listed values, by their names."""
    from rollcall.models.planner.composer import label
    from rollcall.models.planner.parameters import spaced

    fields = spec.parameters.get("properties", {})
    names = [*fields, *(value for each in fields.values() for value in each.get("enum", ()))]
    words = {str(name): label(str(name), locale, spec.aliases.get(str(name), ())) for name in names}
    return {name: word for name, word in words.items() if word != spaced(name)}


@bound(OnDocument("capabilities/{capabilityId}", timeout_s=540, platform=True))
def capability_written(platform: Platform, event: DocumentEvent) -> None:
    """Compile the registry after a capability's document changed."""
    _compile(platform, event)


@bound(OnDocument("agents/{agentId}", timeout_s=540, platform=True))
def agent_written(platform: Platform, event: DocumentEvent) -> None:
    """Compile the registry after an agent's document changed."""
    _compile(platform, event)


def _compile(platform: Platform, event: DocumentEvent) -> None:
    """Compile the registry, unless nothing but `lastUpdated` changed, which is not in it."""
    from rollcall.registry.compiler import compile_after

    before, after = ({**(each or {}), "lastUpdated": 0} for each in (event.before, event.after))
    if before != after:
        compile_after(platform.db, event.time, embedder=platform.embedder)
