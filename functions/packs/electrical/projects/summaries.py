"""A project as a list shows it, read from its own document alone."""

from __future__ import annotations

from typing import Any, get_args

from packs.electrical.projects.records import ProjectRole


def listed(id: str, data: dict[str, Any], uid: str) -> dict[str, Any] | None:
    """What `ProjectSummary` shows of a stored project; None where the user has no role in it. One
    that another version wrote, or that was damaged, is in the list with its name and a mark."""
    members = data.get("members")
    role = members.get(uid) if isinstance(members, dict) else None
    if role not in get_args(ProjectRole):
        return None
    found = {"projectId": id, "name": str(data.get("name") or id), "role": role}
    try:
        return {**found, **_content(data)}
    except (AttributeError, KeyError, TypeError, ValueError):
        return {**found, "isReadable": False}


def _content(data: dict[str, Any]) -> dict[str, Any]:
    updated = data.get("updatedAt")
    panels = data.get("panelCount")
    return {
        "edition": int(data["edition"]),
        "occupancy": str(data["building"]["occupancy"]),
        "serviceAmps": float(data["service"]["serviceAmps"]),
        "serviceVoltage": float(data["service"]["serviceVoltage"]),
        "phases": int(data["service"]["phases"]),
        "panels": None if panels is None else int(panels),
        "feeders": len(data.get("feeders", ())),
        "transformers": len(data.get("transformers", ())),
        "motors": len(data.get("motors", ())),
        "updatedAt": None if updated is None else updated.isoformat(),
    }
