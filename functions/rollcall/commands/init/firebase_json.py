"""Reads and edits an app's `firebase.json`: which codebase is Rollcall's, and which files."""

from __future__ import annotations

import re
import sys
from fnmatch import fnmatch
from typing import Any

from msgspec import Struct

from rollcall.commands.init import app_code, json_edits
from rollcall.commands.init.files import Files
from rollcall.commands.init.json_edits import JsonPath
from rollcall.core.errors import Problem
from rollcall.core.options import DEFAULT_CODEBASE
from rollcall.emulators.addresses import firebase_parts
from rollcall.emulators.jsonc import line_number

FILE = "firebase.json"
CODEBASE = "rollcall"
"""What Rollcall's codebase is called where it stands beside others."""

_IGNORE = ["venv", "__pycache__", ".git", "*.local", "*.log"]
_OLDEST, _NEWEST = 11, 14
"""The versions of Python 3 that Rollcall runs on and Firebase has a runtime for."""
_DEFAULT_DATABASE = "(default)"


class Codebase(Struct, frozen=True):
    """The functions that Rollcall is bound in."""

    folder: str
    name: str
    runtime: str
    place: JsonPath
    """Of its entry in firebase.json; empty where it is new."""
    others: tuple[str, ...] = ()
    """The folders of the app's other codebases."""
    parts: tuple[Codebase, ...] = ()
    """Those of them that bind Rollcall too, without its engine."""

    def path(self, name: str) -> str:
        """A file's path in the folder."""
        return name if self.folder == "." else f"{self.folder}/{name}"

    @property
    def is_new(self) -> bool:
        return not self.place

    @property
    def python(self) -> str:
        """The interpreter's name, such as "python3.12"."""
        return f"python3.{self.runtime.removeprefix('python3')}"


class Firestore(Struct, frozen=True):
    """The files of rules and indexes of the database that Rollcall uses."""

    rules: str
    indexes: str
    place: JsonPath
    """Of the entry in firebase.json, where there is one."""


def entries_of(text: str, part: str) -> dict[JsonPath, dict[str, Any]]:
    """The entries of a part that is an object or a list of them, such as "functions", by their
    places."""
    found = firebase_parts(text, FILE).get(part)
    if isinstance(found, list):
        return {(part, index): entry for index, entry in enumerate(found)}
    return {} if found is None else {(part,): found}


def choose_codebase(text: str, files: Files) -> Codebase:
    """Decide where Rollcall is bound: where it is already; in the app's Python functions; or in a
    codebase of its own, where there are none (or several, of which none is the obvious one).

    Raises:
        Problem: The functions are of a kind that Rollcall cannot stand in or beside.
    """
    entries = entries_of(text, "functions")
    if list(entries.values()) == [{}] and not files.is_folder("functions"):
        entries = {}  # firebase-tools would look for that folder
    sources = {place: _source(entry, files) for place, entry in entries.items()}
    # A prefix stands before the functions' names: Rollcall's would be names that nobody calls, and
    # the app's own clash with none of Rollcall's.
    prefixed = {sources[place] for place, entry in entries.items() if entry.get("prefix")}
    folders = [
        source for place, source in sources.items() if source and not entries[place].get("prefix")
    ]
    of_kind: dict[str, list[JsonPath]] = {"rollcall": [], "part": [], "python": [], "other": []}
    for place, entry in entries.items():
        of_kind[_kind(entry, sources[place], files)].append(place)
    bound, parts = of_kind["rollcall"], of_kind["part"]
    python = [place for place in of_kind["python"] if sources[place] not in prefixed]
    if len(bound) > 1:
        raise Problem(
            f"{' and '.join(str(sources[each]) for each in bound)} both bind Rollcall, and a "
            "deploy refuses two codebases with the same functions. Take `bind(globals())` out of "
            'one main.py, or write `bind(globals(), without=["engine"])` there.'
        )
    names = {place: entry.get("codebase") or DEFAULT_CODEBASE for place, entry in entries.items()}
    if bound or parts or len(python) == 1:

        def codebase(place: JsonPath, *parts: Codebase) -> Codebase:
            folder, runtime = str(sources[place]), _checked_runtime(text, place)
            others = tuple(each for each in folders if each != folder)
            return Codebase(folder, names[place], runtime, place, others, parts)

        chosen, *more = dict.fromkeys((*(bound or parts or python), *parts))
        return codebase(chosen, *map(codebase, more))
    if CODEBASE in names.values():
        raise Problem(
            f'{FILE}:{_line(text, ("functions",))}: there is a codebase "{CODEBASE}" already, '
            "which does not bind Rollcall. Rename it and repeat this."
        )
    tried = ["functions-python", "rollcall-functions"]
    if not entries and not files.exists("functions/package.json"):
        tried.insert(0, "functions")
    free = (each for each in tried if each == "functions" or not files.is_folder(each))
    return Codebase(
        folder=next(free, f"{CODEBASE}-codebase"),
        name=CODEBASE if entries else DEFAULT_CODEBASE,
        runtime=running_runtime(),
        place=(),
        others=tuple(folders),
    )


def choose_firestore(text: str) -> Firestore:
    """The files of rules and indexes; where firebase.json names none, the usual ones.

    Raises:
        Problem: The default database is not among those listed.
    """
    alone: JsonPath = ("firestore",)
    entries = entries_of(text, "firestore") or {alone: {}}
    for place, entry in entries.items():
        database = entry.get("database") or (_DEFAULT_DATABASE if place == alone else None)
        if database == _DEFAULT_DATABASE:
            return Firestore(
                entry.get("rules") or "firestore.rules",
                entry.get("indexes") or "firestore.indexes.json",
                place,
            )
    named = (each.get("database") or each.get("target") for each in entries.values())
    names = ", ".join(map(str, named))
    raise Problem(
        f"{FILE}:{_line(text, ('firestore',))}: Rollcall keeps its data in the database "
        f'"{_DEFAULT_DATABASE}", and only {names} is listed here. Add an entry with '
        f'"database": "{_DEFAULT_DATABASE}", "rules" and "indexes".'
    )


def merge(text: str, codebase: Codebase) -> str:
    """Add what Rollcall needs to a firebase.json; all else stays as it is."""
    text = merge_functions(text, codebase)
    chosen = choose_firestore(text)
    wanted = {"rules": chosen.rules, "indexes": chosen.indexes}
    if not firebase_parts(text, FILE).get("firestore"):
        return json_edits.put_member(text, (), "firestore", wanted)
    entry = json_edits.find(text, chosen.place).value
    for key in (key for key in wanted if not entry.get(key)):
        text = json_edits.put_member(text, chosen.place, key, wanted[key])
    return text


def new_file(codebase: Codebase) -> str:
    """A firebase.json of an app that has none."""
    text = (app_code.TEMPLATE / "firebase.json").read_text(encoding="utf-8")
    return json_edits.append_items(text, ("functions",), [_entry(codebase)])


def running_runtime() -> str:
    """The runtime of Firebase for the Python that runs this.

    Raises:
        Problem: There is none.
    """
    major, minor = sys.version_info[:2]
    if major != 3 or not _OLDEST <= minor <= _NEWEST:
        raise Problem(
            f"Firebase has no runtime for Python {major}.{minor}, which runs this. Run it with one "
            f"from 3.{_OLDEST} to 3.{_NEWEST}."
        )
    return f"python{major}{minor}"


def ignored_vendor(text: str, codebase: Codebase) -> str | None:
    """The pattern by which a deploy would leave the wheel out; None where it takes it along."""
    if codebase.is_new:
        return None
    for pattern in json_edits.find(text, codebase.place).value.get("ignore") or ():
        bare = str(pattern).removeprefix("**/").removesuffix("/**").removesuffix("/*").strip("/")
        if bare == "vendor" or fnmatch("rollcall.whl", bare.removeprefix("vendor/")):
            return str(pattern)
    return None


def merge_functions(text: str, codebase: Codebase) -> str:
    """Add a codebase, or what one that is there needs."""
    functions = firebase_parts(text, FILE).get("functions")
    if codebase.is_new:
        if functions is None or (functions == {} and not codebase.others):
            return json_edits.put_member(text, (), "functions", [_entry(codebase)])
        if isinstance(functions, dict):
            text = json_edits.make_list(text, ("functions",))
        return json_edits.append_items(text, ("functions",), [_entry(codebase)])
    place = codebase.place
    if not json_edits.find(text, place).value.get("runtime"):
        # firebase-tools would take the newest that it knows, whatever the venv has.
        text = json_edits.put_member(text, place, "runtime", codebase.runtime)
    hooks = json_edits.find(text, place).value.get("postdeploy")
    if "rollcall sync" in str(hooks):
        return text
    if not hooks:
        return json_edits.put_member(text, place, "postdeploy", [_sync(codebase)])
    if isinstance(hooks, str):
        return json_edits.replace(text, (*place, "postdeploy"), [hooks, _sync(codebase)])
    return json_edits.append_items(text, (*place, "postdeploy"), [_sync(codebase)])


def _entry(codebase: Codebase) -> dict[str, Any]:
    return {
        "source": codebase.folder,
        "codebase": codebase.name,
        "runtime": codebase.runtime,
        "ignore": _IGNORE,
        "postdeploy": [_sync(codebase)],
    }


def _sync(codebase: Codebase) -> str:
    folder = (
        codebase.folder if re.fullmatch(r"[\w./-]+", codebase.folder) else f"'{codebase.folder}'"
    )
    return f"cd {folder} && venv/bin/python -m rollcall sync"


def _source(entry: dict[str, Any], files: Files) -> str | None:
    """The folder of a codebase; None for one that is not in this app's folder."""
    if entry.get("remoteSource"):
        return None
    if source := entry.get("source"):
        return str(source).removeprefix("./").rstrip("/") or "."
    return "functions" if files.is_folder("functions") else None


def _kind(entry: dict[str, Any], source: str | None, files: Files) -> str:
    """What a codebase is written in; "rollcall" where its main.py binds Rollcall, "part" where
    it does so without the engine."""
    if source is None:
        return "other"
    main = app_code.read_main(files, source)
    bound = main.bind_arguments() if main is not None else None
    if bound is not None:
        return "part" if "engine" in bound.get("without", ()) else "rollcall"
    runtime = str(entry.get("runtime") or "")
    if runtime:
        return "python" if runtime.startswith("python") else "other"
    if files.exists(f"{source}/package.json"):
        return "other"
    python = (f"{source}/main.py", f"{source}/requirements.txt")
    return "python" if any(map(files.exists, python)) else "other"


def _checked_runtime(text: str, place: JsonPath) -> str:
    """The runtime of a codebase that is there."""
    entry = json_edits.find(text, place).value
    runtime = str(entry.get("runtime") or "") or running_runtime()
    version = re.fullmatch(r"python3(\d+)", runtime)
    if version is None or int(version[1]) < _OLDEST:
        raise Problem(
            f"{FILE}:{_line(text, (*place, 'runtime'))}: the runtime is {runtime}, and Rollcall "
            "needs python311 or newer: change it, and make the venv again with that Python."
        )
    return runtime


def _line(text: str, place: JsonPath) -> int:
    return line_number(text, json_edits.find(text, place).start)
