"""Merges Rollcall's Firestore indexes into an app's `firestore.indexes.json`, by key."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rollcall.commands.init import json_edits

_KINDS = ("indexes", "fieldOverrides")


def key(kind: str, entry: dict[str, Any]) -> str:
    """What makes an entry of a file of indexes the same as another, such as
    "indexes runs COLLECTION uid:ASCENDING createdAt:DESCENDING"."""
    group = entry.get("collectionGroup") or entry.get("collectionId")
    if kind == "fieldOverrides":
        return f"{kind} {group} {entry.get('fieldPath')}"
    fields = [
        f"{field['fieldPath']}:{_mode(field)}"
        for field in entry.get("fields", ())
        if field["fieldPath"] != "__name__"
    ]
    return " ".join([kind, str(group), entry.get("queryScope", "COLLECTION"), *fields])


def keys(content: dict[str, Any]) -> list[str]:
    """The keys of all entries of a file."""
    return [key(kind, entry) for kind in _KINDS for entry in content.get(kind, ())]


def merge(text: str, ours: dict[str, Any], written_before: Collection[str]) -> str:
    """Add the entries of Rollcall that are missing, and take out those it no longer needs.

    Args:
        text: The app's file.
        ours: What Rollcall needs.
        written_before: Keys of entries that an earlier init wrote, which alone are taken out.
    """
    needed = set(keys(ours))
    for kind in _KINDS:
        found = json_edits.parse(text).value
        if kind not in found:
            text = json_edits.add_members(text, (), {kind: []})
        present = [key(kind, entry) for entry in found.get(kind, ())]
        obsolete = [
            place
            for place, each in enumerate(present)
            if each in written_before and each not in needed
        ]
        text = json_edits.remove_items(text, (kind,), obsolete)
        missing = [entry for entry in ours.get(kind, ()) if key(kind, entry) not in present]
        text = json_edits.append_items(text, (kind,), missing)
    return text


def new_file(ours: dict[str, Any]) -> str:
    """A file of indexes for an app that has none."""
    return json_edits.document({kind: ours.get(kind, []) for kind in _KINDS})


def shared_groups(ours: dict[str, Any]) -> set[str]:
    """The collection groups in which Rollcall's indexes touch every collection of that name,
    wherever it is: fields without an index, documents with a time to live, queries over all."""
    groups = {str(entry["collectionGroup"]) for entry in ours.get("fieldOverrides", ())}
    return groups | {
        str(entry["collectionGroup"])
        for entry in ours.get("indexes", ())
        if entry.get("queryScope") == "COLLECTION_GROUP"
    }


def group_lines(text: str) -> dict[str, tuple[int, list[str]]]:
    """The collection groups that the app's entries name: the line of the first, and all keys."""
    root = json_edits.parse(text)
    found: dict[str, tuple[int, list[str]]] = {}
    for kind in _KINDS:
        if kind not in root.value:
            continue
        for _, start, node in root.child(kind).children:
            group = str(node.value.get("collectionGroup"))
            line = text.count("\n", 0, start) + 1
            found.setdefault(group, (line, []))[1].append(key(kind, node.value))
    return found


def _mode(field: dict[str, Any]) -> str:
    if "vectorConfig" in field:
        return f"vector{field['vectorConfig'].get('dimension')}"
    return str(field.get("order") or field.get("arrayConfig") or field.get("mode"))
