"""`rules`: composes an app's Firestore rules and indexes from the platform's and each pack's;
`init` merges the indexes into a file of the app's own, by key.

A fragment of rules is what stands inside `match /databases/{database}/documents { … }`. Its
top-level functions are shared: a pack's rules may call the platform's `signedIn()` or `isOwner()`.
"""

from __future__ import annotations

import ast
import json
import os
import re
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

from msgspec import Struct

from rollcall.commands.app import CONFIG, find_app, require_app
from rollcall.commands.init import json_edits
from rollcall.core.definition import read_text
from rollcall.core.errors import FAILED, Problem
from rollcall.core.options import prefix
from rollcall.emulators.jsonc import Node, line_number, parse, read_jsonc
from rollcall.store.paths import COLLECTIONS

RULES, INDEXES = "firestore.rules", "firestore.indexes.json"
COMMAND = "python -m rollcall rules"

_HEADER = f"// Made by `{COMMAND}` of each part's {RULES}: change those, not this file."
_ENGINE = Path(__file__).parents[1]
_DOCUMENTS = "match /databases/{database}/documents {"
_FUNCTION = re.compile(r"^function (\w+)", re.MULTILINE)
_ROOT_MATCH = re.compile(r"^match /(\w+)/", re.MULTILINE)
_MATCH = re.compile(r"(?<=\bmatch )/\S+")
_PATH = re.compile(r"(?<=/databases/\$\(database\)/documents)(?:/(?:\w+|\$\([^)]*\)))+")
_SEGMENT = re.compile(r"/(?:\$\([^)]*\)|[^/]+)")


class Fragment(Struct, frozen=True):
    """The rules and indexes that one folder brings.

    Attributes:
        name: Whose they are, such as "packs/<pack>".
        indexes: As firestore.indexes.json has them.
        is_platform: Whether its collections take the app's prefix.
    """

    name: str
    rules: str = ""
    indexes: Mapping[str, Any] = {}
    is_platform: bool = False


def run(options: Namespace) -> int:
    """Write the app's rules and indexes; with `--check`, only say whether they are up to date.

    Raises:
        Problem: The rules or the indexes are the app's own, ROLLCALL_PREFIX cannot be a prefix,
            or the app has several databases.
    """
    app = require_app(find_app())
    environment = dict(os.environ)
    app.load_environment("", emulator=False, env=environment)
    own = prefix(environment)
    found = fragments({name: Path(folder) for name, folder in app.catalog.folders.items()})
    if isinstance(app.config.get("firestore"), list):
        raise Problem(
            f"{app.root / CONFIG} has several databases: `python -m rollcall init` adds Rollcall's "
            "rules and indexes to those of (default)."
        )
    rules, indexes = app.firestore_files
    if rules.is_file() and _HEADER not in _text(rules):
        raise Problem(
            f"{rules} has rules of the app's own: `python -m rollcall init` keeps Rollcall's in a "
            "block beside them. Without --yes and a terminal it exits with 0 if nothing is to be "
            "changed, and with 2 otherwise."
        )
    composed = {
        rules: compose_rules(found, own),
        indexes: indexes_text(compose_indexes(found, own)),
    }
    if not rules.is_file() and indexes.is_file() and _text(indexes) != composed[indexes]:
        raise Problem(
            f"{indexes} has indexes of the app's own, since no {RULES} of `{COMMAND}` is beside "
            "it: `python -m rollcall init` adds Rollcall's to them."
        )
    stale = [file for file, text in composed.items() if _text(file) != text]
    if options.check:
        for file in stale:
            print(f"{file} is not what `{COMMAND}` makes: run it.")
        return FAILED if stale else 0
    for file in stale:
        file.write_text(composed[file], encoding="utf-8")
    for file in composed:
        print(f"{'written   ' if file in stale else 'unchanged '} {file}")
    return 0


def fragments(folders: Mapping[str, Path]) -> list[Fragment]:
    """The platform's fragment, then those of packages and of the packs in them, by name.

    Args:
        folders: Where each of the app's packages is.
    Raises:
        Problem: A file cannot be read.
    """
    found = [_read(_ENGINE, name="rollcall", is_platform=True)]
    for package, folder in sorted(folders.items()):
        found.append(_read(folder, name=package))
        for pack in sorted(each for each in folder.glob("*") if each.is_dir()):
            found.append(_read(pack, name=f"{package}/{pack.name}"))
    return [each for each in found if each.rules or each.indexes]


def compose_rules(fragments: Sequence[Fragment], prefix: str = "") -> str:
    """A whole firestore.rules of these fragments.

    Raises:
        Problem: Two fragments declare one function, or have rules for one collection.
    """
    block = rules_block(fragments, prefix)
    return (
        f"rules_version = '2';\n\n{_HEADER}\nservice cloud.firestore {{\n{indent(block, '  ')}}}\n"
    )


def rules_block(fragments: Sequence[Fragment], prefix: str = "") -> str:
    """The `match` block that holds all fragments, for a firestore.rules that has others beside it.

    Raises:
        Problem: Two fragments declare one function, or have rules for one collection.
    """
    with_rules = [each for each in fragments if each.rules]
    texts = {
        each.name: _prefixed_rules(each.rules, prefix) if each.is_platform else each.rules
        for each in with_rules
    }
    _refuse_twice(texts, _FUNCTION, "declare the function {}()", "give it another name in one")
    _refuse_twice(texts, _ROOT_MATCH, "have rules for the collection {}", "rename one of the two")
    parts = "\n".join(f"// ---- {name} ----\n\n{text.strip()}\n" for name, text in texts.items())
    return f"{_DOCUMENTS}\n{indent(parts, '  ')}}}\n"


def compose_indexes(fragments: Sequence[Fragment], prefix: str = "") -> dict[str, Any]:
    """The firestore.indexes.json of these fragments; what several of them ask for is there once.

    A field that one fragment exempts from indexes and another indexes is indexed.
    """
    indexes: dict[str, dict[str, Any]] = {}
    overrides: dict[tuple[str, str], dict[str, Any]] = {}
    for fragment in fragments:
        own = prefix if fragment.is_platform else ""
        for entry in _entries(fragment, "indexes", own):
            indexes.setdefault(json.dumps(entry, sort_keys=True), entry)
        for entry in _entries(fragment, "fieldOverrides", own):
            key = (entry["collectionGroup"], entry["fieldPath"])
            before = overrides.get(key, {})  # one field override serves both
            both = (*before.get("indexes", ()), *entry.get("indexes", ()))
            merged = {json.dumps(each): each for each in both}
            overrides[key] = {**before, **entry, "indexes": list(merged.values())}
    return {"indexes": list(indexes.values()), "fieldOverrides": list(overrides.values())}


def indexes_text(indexes: Mapping[str, Any]) -> str:
    """As firestore.indexes.json is written."""
    return json.dumps(indexes, indent=2, ensure_ascii=False) + "\n"


def _read(folder: Path, *, name: str, is_platform: bool = False) -> Fragment:
    indexes = folder / INDEXES
    return Fragment(
        name,
        _text(folder / RULES),
        read_jsonc(indexes) if indexes.is_file() else {},
        is_platform,
    )


def _text(file: Path) -> str:
    return read_text(file) if file.is_file() else ""


def _prefixed_rules(rules: str, prefix: str) -> str:
    """The rules with every collection that they name under its prefixed name."""
    if not prefix:
        return rules

    def renamed(path: re.Match[str]) -> str:
        segments = _SEGMENT.findall(path[0])
        return "".join(
            f"/{prefix}_{each[1:]}" if at % 2 == 0 and each[1:].isidentifier() else each
            for at, each in enumerate(segments)
        )

    return _PATH.sub(renamed, _MATCH.sub(renamed, rules))


def _entries(fragment: Fragment, kind: str, prefix: str) -> Iterator[dict[str, Any]]:
    for entry in fragment.indexes.get(kind, ()):
        yield {**entry, "collectionGroup": _prefixed(entry["collectionGroup"], prefix)}


def _refuse_twice(texts: Mapping[str, str], pattern: re.Pattern[str], deed: str, cure: str) -> None:
    """See that no two fragments have the same of something that a file may have once."""
    owners_of: dict[str, list[str]] = {}
    for name, text in texts.items():
        for found in pattern.findall(text):
            owners_of.setdefault(found, []).append(name)
    for found, owners in owners_of.items():
        if len(owners) > 1:
            raise Problem(f"{RULES} of {' and '.join(owners)} {deed.format(found)}: {cure}.")


_ENDPOINTS = _ENGINE / "endpoints"


class Platform(Struct, frozen=True):
    """What Rollcall adds to a project, under a prefix."""

    rules: str
    """A `match /databases/{database}/documents { ... }` with the rules of the app's packs too."""
    indexes: dict[str, Any]
    """As in firestore.indexes.json, those of the app's packs among them."""
    collections: tuple[str, ...]
    """The paths of the platform's collections, as in `threads/{}/messages`."""
    shared_groups: frozenset[str]
    """The ids of those collections whose indexes concern every collection of that id."""
    functions: frozenset[str]
    """The names of the engine's functions."""


def platform(prefix: str, packages: Mapping[str, Path]) -> Platform:
    """Read what the library brings, and what the app's packages add to it.

    Args:
        prefix: What names of the platform begin with; empty for none.
        packages: The folders of the app's packages, by name.
    Raises:
        Problem: Two of them have rules for one collection.
    """
    parts = fragments(packages)
    own = compose_indexes([each for each in parts if each.is_platform], prefix)
    return Platform(
        rules=rules_block(parts, prefix),
        indexes=compose_indexes(parts, prefix),
        collections=tuple(_prefixed(path, prefix) for path in COLLECTIONS),
        shared_groups=frozenset(shared_groups(own)),
        functions=frozenset(_function_names(prefix)),
    )


def _prefixed(path: str, prefix: str) -> str:
    """A collection's path with the prefix before each id in it."""
    if not prefix:
        return path
    return "/".join(each if each == "{}" else f"{prefix}_{each}" for each in path.split("/"))


def _function_names(prefix: str) -> Iterator[str]:
    """What the engine's functions are deployed as, read from their sources: importing them all
    takes a second. A queue's name has no underscore."""
    for path in sorted(_ENDPOINTS.rglob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in map(ast.unparse, node.decorator_list):
                    if decorator.startswith("bound("):
                        joint = "" if decorator.startswith("bound(OnTask(") else "_"
                        yield f"{prefix}{joint}{node.name}" if prefix else node.name


_KINDS = ("indexes", "fieldOverrides")


def index_key(kind: str, entry: dict[str, Any]) -> str:
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


def index_line(kind: str, entry: dict[str, Any]) -> str:
    """All that an entry says, in one line."""
    if kind == "indexes":
        return index_key(kind, entry)
    said = {name: entry[name] for name in sorted(entry.keys() - {"collectionGroup", "fieldPath"})}
    return f"{index_key(kind, entry)} {json.dumps(said, sort_keys=True, separators=(',', ':'))}"


def index_entries(content: dict[str, Any]) -> list[str]:
    """All entries of a file, each in one line."""
    return [index_line(kind, entry) for kind in _KINDS for entry in content.get(kind, ())]


def merge_indexes(text: str, ours: dict[str, Any], written_before: Collection[str]) -> str:
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
    needed = set(index_entries(ours))
    for kind in _KINDS:
        found = parse(text).value
        if found.get(kind) is None:
            text = json_edits.put_member(text, (), kind, [])
        present = found.get(kind) or ()
        obsolete = [
            place
            for place, entry in enumerate(present)
            if (said := index_line(kind, entry)) in written_before and said not in needed
        ]
        text = json_edits.remove_items(text, (kind,), obsolete)
        kept = {index_key(kind, each) for at, each in enumerate(present) if at not in obsolete}
        missing = [entry for entry in ours.get(kind, ()) if index_key(kind, entry) not in kept]
        text = json_edits.append_items(text, (kind,), missing)
    return text


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
        if root.value.get(kind) is None:
            continue
        for _, start, node in root.child(kind).children:
            group = str(node.value.get("collectionGroup"))
            line = line_number(text, start)
            found.setdefault(group, (line, []))[1].append(index_line(kind, node.value))
    return found


def _check(text: str) -> Node:
    """Read a file of indexes, and see that it has the form of one."""
    root = parse(text)
    if not isinstance(root.value, dict):
        raise ValueError('line 1: an object with "indexes" and "fieldOverrides" is expected')
    for kind in _KINDS:
        node = root.child(kind) if root.value.get(kind) is not None else None
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
