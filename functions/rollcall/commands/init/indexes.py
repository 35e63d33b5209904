"""Merges Rollcall's Firestore indexes into an app's `firestore.indexes.json`, by key."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from rollcall.commands.init import json_edits
from rollcall.commands.init.files import line_number

_KINDS = ("indexes", "fieldOverrides")


def key(kind: str, entry: dict[str, Any]) -> str:
    """What an entry of a file of indexes is for, such as "fieldOverrides runs request" or
    "indexes runs COLLECTION uid:ASCENDING createdAt:DESCENDING": a file has each once."""
    group = entry.get("collectionGroup")
    if kind == "fieldOverrides":
        return f"{kind} {group} {entry.get('fieldPath')}"
    fields = [
        f"{field.get('fieldPath')}:{_mode(field)}"
        for field in entry.get("fields", ())
        if field.get("fieldPath") != "__name__"
    ]
    return " ".join([kind, str(group), entry.get("queryScope", "COLLECTION"), *fields])


def whole(kind: str, entry: dict[str, Any]) -> str:
    """All that an entry says, in one line."""
    if kind == "indexes":
        return key(kind, entry)
    said = {name: entry[name] for name in sorted(entry.keys() - {"collectionGroup", "fieldPath"})}
    return f"{key(kind, entry)} {json.dumps(said, sort_keys=True, separators=(',', ':'))}"


def entries(content: dict[str, Any]) -> list[str]:
    """All entries of a file, each in one line."""
    return [whole(kind, entry) for kind in _KINDS for entry in content.get(kind, ())]


def merge(text: str, ours: dict[str, Any], written_before: Collection[str]) -> str:
    """Add the entries of Rollcall that are missing, and take out those it no longer needs. An entry
    that the app has changed since stays as it is.

    Args:
        text: The app's file.
        ours: What Rollcall needs.
        written_before: The entries that an earlier init wrote, which alone are taken out.
    Raises:
        ValueError: The file holds no indexes; the message begins with the line.
    """
    _check(text)
    needed = set(entries(ours))
    for kind in _KINDS:
        found = json_edits.parse(text).value
        if kind not in found:
            text = json_edits.add_members(text, (), {kind: []})
        present = found.get(kind, ())
        obsolete = [
            place
            for place, entry in enumerate(present)
            if (said := whole(kind, entry)) in written_before and said not in needed
        ]
        text = json_edits.remove_items(text, (kind,), obsolete)
        kept = {key(kind, each) for at, each in enumerate(present) if at not in obsolete}
        missing = [entry for entry in ours.get(kind, ()) if key(kind, entry) not in kept]
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
    """The collection groups that the app's entries name: the line of the first, and all entries.

    Raises:
        ValueError: The file holds no indexes; the message begins with the line.
    """
    root = _check(text)
    found: dict[str, tuple[int, list[str]]] = {}
    for kind in _KINDS:
        if kind not in root.value:
            continue
        for _, start, node in root.child(kind).children:
            group = str(node.value.get("collectionGroup"))
            line = line_number(text, start)
            found.setdefault(group, (line, []))[1].append(whole(kind, node.value))
    return found


def _check(text: str) -> json_edits.Node:
    """Read a file of indexes, and see that it has the form of one."""
    root = json_edits.parse(text)
    if not isinstance(root.value, dict):
        raise ValueError('line 1: an object with "indexes" and "fieldOverrides" is expected')
    for kind in _KINDS:
        node = root.child(kind) if kind in root.value else None
        if node is not None and not isinstance(node.value, list):
            raise ValueError(f'line {line_number(text, node.start)}: "{kind}" must be a list')
        for _, start, entry in node.children if node is not None else ():
            if not isinstance(entry.value, dict) or "collectionGroup" not in entry.value:
                line = line_number(text, start)
                raise ValueError(f'line {line}: an entry with "collectionGroup" is expected')
    return root


def _mode(field: dict[str, Any]) -> str:
    if "vectorConfig" in field:
        return f"vector{field['vectorConfig'].get('dimension')}"
    return str(field.get("order") or field.get("arrayConfig") or field.get("mode"))
