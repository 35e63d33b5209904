"""The web app in an app's Hosting: its folder, its files, and its part of `firebase.json`."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct, to_builtins

from rollcall.commands.init import firebase_json, json_edits
from rollcall.commands.init.files import Files
from rollcall.commands.init.firebase_json import FILE
from rollcall.core.errors import Problem
from rollcall.emulators.addresses import firebase_parts
from rollcall.emulators.jsonc import line_number, parse, problem_at

SETTINGS = "rollcall.json"
"""Of the deployment; written once, and the app's own from then on."""

_IN_WHEEL = "rollcall/web.zip"
_FOLDER, _SUB_FOLDER = "rollcall-web", "rollcall"
_HEADERS: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("hosting_headers.json").read_bytes()
)
"""Of the page, and of files whose names carry a hash: the parts of each header."""
_SERVED = re.compile(r"hosting(?:\[(.+?)\])?: Local server: (http://\S+)")
_PORT = 5002  # 5000 is taken by macOS


class Site(Struct, frozen=True):
    """Where the web app is in an app's Hosting."""

    folder: str
    """Of its files, from the app's folder."""
    path: str
    """On the site, such as "/rollcall"; "" for the whole site."""
    place: json_edits.JsonPath = ("hosting",)
    """Of the entry in `firebase.json`."""
    is_new: bool = False
    """Whether `firebase.json` has no Hosting yet."""
    public: str = ""
    """The entry's folder that is deployed, where the app's own folder is outside of it."""

    def headers(self) -> list[dict[str, Any]]:
        """The rules for `headers` of the entry."""
        all_files = f"{self.path}{{,/**}}" if self.path else "**"
        return [
            _rule(all_files, _HEADERS["page"]),
            _rule(f"{self.path}/@(main|chunk)-*.@(js|css)", _HEADERS["hashed"]),
        ]


class PageSettings(Struct, frozen=True):
    """What the page is told of its deployment at first."""

    name: str
    region: str
    prefix: str

    def text(self) -> str:
        """The first content of `rollcall.json`."""
        content = {**to_builtins(self), "signIn": ["password"], "appCheckSiteKey": ""}
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


class WebRecord(Struct, frozen=True):
    """What an earlier init wrote of the web app."""

    folder: str
    files: dict[str, str]
    """The digest of each file, by its path in the folder."""
    headers: str
    """The digest of the rules in `firebase.json`."""


def shipped_files(wheel: bytes) -> dict[str, bytes]:
    """The built files in the library's wheel, by their path; none where it was built without."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        if _IN_WHEEL not in archive.namelist():
            return {}
        built = archive.read(_IN_WHEEL)
    with zipfile.ZipFile(io.BytesIO(built)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != SETTINGS}


def plan(
    files: Files,
    shipped: Mapping[str, bytes],
    *,
    folder: str,
    before: WebRecord | None,
    settings: PageSettings,
) -> tuple[WebRecord | None, list[str]]:
    """Plan the web app's files and its part of `firebase.json`.

    Args:
        files: Those of the app, which take the changes.
        shipped: The built files of the library.
        folder: Where to, as the person names it; empty for where it is, or the usual place.
        before: What an earlier init wrote.
        settings: For an app that has none yet.

    Returns:
        What is written now, and notes for the person.

    Raises:
        Problem: A file of the app's own is there, or it is not clear where it goes.
    """
    if before is not None and folder and _checked_folder(folder) != before.folder:
        raise Problem(
            f"--web {folder}: the web app is in {before.folder}. To move it, delete that folder, "
            f'its rules under "headers" in {FILE} and "web" in the record in vendor/, and repeat '
            "this."
        )
    if not shipped:
        if before is not None:
            return before, [f"{before.folder} stays: this library has no web app to renew it with."]
        raise Problem(
            "--web: this library was built without the web app. Where Node is, `make setup` and "
            "`make wheel` in a checkout of Rollcall build one with it."
        )
    text = files.read(FILE) or "{}"
    site = choose_site(text, before.folder if before is not None else folder)
    # The page names its scripts by their address on the site.
    page = shipped["index.html"].replace(b'="/', f'="{site.path}/'.encode())
    placed = {**shipped, "index.html": page}
    _put(files, site.folder, placed, before.files if before is not None else {})
    merged, is_current = merge(text, site, before.headers if before is not None else "")
    files.put(FILE, merged)
    record = WebRecord(
        site.folder,
        {name: digest(content) for name, content in placed.items()},
        digest(site.headers()),
    )
    notes = []
    if not is_current and (before is None or before.headers != record.headers):
        rules = json.dumps(site.headers(), ensure_ascii=False)
        notes.append(
            f'{FILE}: the rules for the web app under "headers" were changed, so they stay. Those '
            f"of this version:\n  {rules}"
        )
    if not _put_settings(files, path := f"{site.folder}/{SETTINGS}", settings):
        notes.append(f'{path}: it has to say "prefix": "{settings.prefix}".')
    return record, notes if before is not None else [*notes, *_first_notes(site, path)]


def _first_notes(site: Site, settings: str) -> Iterator[str]:
    """What has to be done before the web app works the first time."""
    if site.public:
        yield (
            f"{site.folder} is not in {site.public}, which Hosting serves: your build has to "
            f"copy it there, so that it is at {site.path}."
        )
    yield (
        f"The web app is at {site.path}/ of the site. Hosting tells it the project's "
        "configuration, for which the project needs a web app (`firebase apps:create web`). "
        f'{settings} says how users sign in: "password", "google", "anonymous", as the project '
        "has enabled them."
    )


def _put_settings(files: Files, path: str, settings: PageSettings) -> bool:
    """Plan the settings of an app that has none yet; False where those there have another prefix.

    Raises:
        Problem: Those there are no JSON.
    """
    there = files.read(path)
    if there is None:
        files.put(path, settings.text())
        return True
    try:
        found = parse(there).value
    except ValueError as error:
        raise problem_at(path, error) from error
    return isinstance(found, dict) and found.get("prefix", "") == settings.prefix


def _put(files: Files, folder: str, placed: Mapping[str, bytes], known: Mapping[str, str]) -> None:
    """Plan the files, none over one that is not Rollcall's, and remove those that are not needed
    any more."""
    for name, content in placed.items():
        path = f"{folder}/{name}"
        there = files.read_bytes(path)
        if there is not None and there != content:
            if name not in known:
                raise Problem(
                    f"{path} is the app's own, and nothing is written over it. Name another folder "
                    "for the web app: --web=<folder>."
                )
            if digest(there) != known[name]:
                raise Problem(
                    f"{path} was changed since init wrote it. Take it back from version control, "
                    "or delete it, and repeat this."
                )
        files.put(path, content)
    for name in known:
        if name not in placed and files.exists(f"{folder}/{name}"):
            files.remove(f"{folder}/{name}")


def digest(content: bytes | list[dict[str, Any]]) -> str:
    """What tells a file, or rules of headers, from changed ones."""
    if not isinstance(content, bytes):
        content = json.dumps(content, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def choose_site(text: str, folder: str) -> Site:
    """Decide where the web app goes.

    Args:
        text: The content of `firebase.json`.
        folder: For its files, as the person names it; empty for a sub-folder of what Hosting
            serves, or a folder of its own where there is no Hosting.

    Raises:
        Problem: The folder is none inside the app, or it is not clear which site is meant.
    """
    by_place = firebase_json.entries_of(text, "hosting")
    places, entries = list(by_place), list(by_place.values())
    if folder:
        folder = _checked_folder(folder)
    if not any(entries):
        return Site(folder or _FOLDER, "", is_new=True)
    if not folder:
        if len(entries) > 1 or not _public(entries[0]):
            raise _unclear(text, entries, "does not say which folder the web app may be put into")
        inside = str(PurePosixPath(_public(entries[0]), _SUB_FOLDER))
        return Site(inside, f"/{_SUB_FOLDER}", places[0])
    there = PurePosixPath(folder)
    around = [
        (len(PurePosixPath(public).parts), index)
        for index, entry in enumerate(entries)
        if (public := _public(entry)) and there.is_relative_to(public)
    ]
    if around:
        index = max(around)[1]
        path = there.relative_to(_public(entries[index])).as_posix()
        return Site(folder, "" if path == "." else f"/{path}", places[index])
    if len(entries) > 1:
        raise _unclear(text, entries, f"serves {folder} with none of its sites")
    public = _public(entries[0]) or "the site"
    return Site(folder, f"/{there.name}", places[0], public=public)


def merge(text: str, site: Site, before: str) -> tuple[str, bool]:
    """Add the site to a `firebase.json`, or renew what an earlier init added.

    Args:
        before: The digest of the rules that an earlier init wrote; empty where there was none.

    Returns:
        The new text, and whether the rules are those of this version: rules that somebody has
        changed stay as they are.
    """
    emulators, port = firebase_parts(text, FILE).get("emulators"), {"port": _PORT}
    if not emulators:
        text = json_edits.put_member(text, (), "emulators", {"hosting": port})
    elif not emulators.get("hosting"):
        text = json_edits.put_member(text, ("emulators",), "hosting", port)
    rules = site.headers()
    if site.is_new:
        entry = {"public": site.folder, "ignore": ["firebase.json", "**/.*"], "headers": rules}
        return json_edits.put_member(text, (), "hosting", entry), True
    place = site.place
    there = json_edits.find(text, place).value.get("headers")
    if there is None:
        return json_edits.put_member(text, place, "headers", rules), True
    sources = [rule["source"] for rule in rules]
    at = [index for index, rule in enumerate(there) if rule.get("source") in sources]
    present = [there[index] for index in at]
    if present == rules:
        return text, True
    if present and digest(present) != before:
        return text, False
    text = json_edits.remove_items(text, (*place, "headers"), at)
    return json_edits.append_items(text, (*place, "headers"), rules), True


def address(text: str, folder: str, log: str) -> str | None:
    """Where the emulators serve the web app; None where none of their sites does.

    Args:
        text: The content of `firebase.json`.
        folder: Of the web app.
        log: That of firebase-tools, which says where each site is served.
    """
    try:
        site = choose_site(text, folder)
    except Problem:
        return None
    if site.is_new:
        return None
    served = dict(_SERVED.findall(log))
    if site.place == ("hosting",) or len(served) == 1:
        hosts = list(served.values())
    else:
        entry = json_edits.find(text, site.place).value
        hosts = [
            served[name] for name in (entry.get("target"), entry.get("site")) if name in served
        ]
    return f"{hosts[0]}{site.path}/" if hosts else None


def _public(entry: dict[str, Any]) -> str:
    """The folder that an entry serves; empty for a web framework's, which is built."""
    return PurePosixPath(entry["public"]).as_posix() if entry.get("public") else ""


def _checked_folder(folder: str) -> str:
    path = PurePosixPath(folder.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
        raise Problem(
            f"--web {folder}: name a folder inside the app, such as --web=public/rollcall."
        )
    return path.as_posix()


def _unclear(text: str, entries: list[dict[str, Any]], what: str) -> Problem:
    place = line_number(text, json_edits.find(text, ("hosting",)).start)
    folders = [
        str(PurePosixPath(public, _SUB_FOLDER)) for each in entries if (public := _public(each))
    ]
    named = " or ".join(f"--web={each}" for each in folders or [f"public/{_SUB_FOLDER}"])
    return Problem(
        f'{FILE}:{place}: "hosting" {what}. Name one: {named}; for a site of its own, add an entry '
        'with "target" and "public" to "hosting" and name that folder.'
    )


def _rule(source: str, headers: Mapping[str, list[str]]) -> dict[str, Any]:
    values = [{"key": key, "value": "; ".join(parts)} for key, parts in headers.items()]
    return {"source": source, "headers": values}
