"""Addresses of an app's emulators: the ports of its firebase.json, shifted by PORT_OFFSET.

With PORT_OFFSET=3000 in its environment a second copy runs beside the first.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollcall.core.definition import read_text
from rollcall.core.errors import Problem
from rollcall.core.options import region
from rollcall.emulators.jsonc import line_number, parse_object, read_jsonc

NEEDED = ("auth", "functions", "firestore", "tasks")
"""The emulators that Rollcall always needs."""

_SERVICES = ("eventarc", "hub", "logging", "ui")
"""The emulators that firebase-tools adds by itself."""

_HOST = "127.0.0.1"
_MAX_OFFSET = 55_000
# The usual ports differ in their last two digits, so that two copies whose offsets are whole
# hundreds never meet.
_STEP = 100
# The hub on 6000, or Firestore on 10080: Node's and browsers' fetch refuse both.
_UNUSABLE = (1600, 2000)
_USUAL = {
    "ui": 4000,
    "auth": 9099,
    "functions": 5001,
    "firestore": 8080,
    "tasks": 9499,
    "eventarc": 9299,
    "hub": 4400,
    "logging": 4500,
    "hosting": 5000,
    "storage": 9199,
    "database": 9000,
    "pubsub": 8085,
}
"""firebase-tools' ports for emulators without a port in firebase.json."""


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """The addresses of the emulators as `host:port`, and the base URL of functions."""

    project: str
    auth: str
    firestore: str
    functions: str
    tasks: str
    hub: str
    hosting: str | None = None
    """None if firebase.json has no Hosting emulator."""

    @property
    def functions_url(self) -> str:
        """The base URL of functions, which ends in a slash."""
        return f"http://{self.functions}/{self.project}/{region()}/"

    def environment(self) -> dict[str, str]:
        """Return the variables by which Firebase's SDKs and firebase-tools find emulators."""
        return {
            "GCLOUD_PROJECT": self.project,
            "FIREBASE_AUTH_EMULATOR_HOST": self.auth,
            "FIRESTORE_EMULATOR_HOST": self.firestore,
            "CLOUD_TASKS_EMULATOR_HOST": self.tasks,
            "FIREBASE_EMULATOR_HUB": self.hub,
            # These two are our own: Firebase has no variables for functions and Hosting.
            "FUNCTIONS_EMULATOR_HOST": self.functions,
            **({"HOSTING_EMULATOR_HOST": self.hosting} if self.hosting else {}),
        }


class Configuration:
    """An app's firebase.json with all ports moved by an offset.

    Args:
        root: The folder of firebase.json.
        port_offset: The offset; by default PORT_OFFSET.

    Raises:
        Problem: There is no such file, or it cannot be read.
    """

    def __init__(self, root: Path, *, port_offset: int | None = None) -> None:
        self.root = root
        self.offset = offset() if port_offset is None else port_offset
        self.written = read_firebase_json(root / "firebase.json")
        self.shifted = _shift_ports(self.written, self.offset)

    @property
    def also(self) -> tuple[str, ...]:
        """The app's emulators other than the needed ones, such as hosting and storage."""
        configured = self.written.get("emulators", {})
        return tuple(
            name for name in _USUAL if name in configured and name not in (*NEEDED, *_SERVICES)
        )

    def ports(self, only: tuple[str, ...] = ()) -> dict[str, int]:
        """Return the ports that the suite listens on, by emulator and setting."""
        ports = {}
        for emulator, settings in self.shifted["emulators"].items():
            if only and emulator not in (*only, *_SERVICES):
                continue
            for key in _port_keys(settings):
                ports[emulator if key == "port" else f"{emulator} {key}"] = settings[key]
        return ports

    def addresses(self, project: str | None = None) -> Addresses:
        """Return the addresses of these emulators."""
        ports = self.ports()
        names: tuple[str, ...] = ("auth", "firestore", "functions", "tasks", "hub")
        names += ("hosting",) if "hosting" in ports else ()
        listening = {name: f"{_HOST}:{ports[name]}" for name in names}
        return Addresses(project=project or default_project(self.root), **listening)

    def file(self, *, ui: bool) -> Path:
        """Return the file for firebase-tools: firebase.json, or a changed copy if it has to change.
        The copy is beside it, since its paths are relative to its folder.

        Args:
            ui: Whether the Emulator UI may start.
        """
        config = copy.deepcopy(self.shifted)
        if not ui:
            config["emulators"].setdefault("ui", {})["enabled"] = False
        if "firestore" in config:  # with a list of several the emulator takes no rules at all
            config["firestore"] = default_database(config)
        _let_pages_connect(config)
        if config == self.written:
            return self.root / "firebase.json"
        self._own_file.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        return self._own_file

    def remove_file(self) -> None:
        """Remove the copy that `file` wrote, if any."""
        self._own_file.unlink(missing_ok=True)

    @property
    def _own_file(self) -> Path:
        return self.root / f"firebase.offset-{self.offset}.json"


def offset() -> int:
    """Return PORT_OFFSET from the environment, by default 0.

    Raises:
        Problem: It is not a usable offset.
    """
    text = os.environ.get("PORT_OFFSET") or "0"
    if not text.isdecimal() or int(text) % _STEP or int(text) > _MAX_OFFSET:
        raise Problem(f"PORT_OFFSET is a whole hundred up to {_MAX_OFFSET}, not {text!r}.")
    if int(text) in _UNUSABLE:
        raise Problem(f"PORT_OFFSET={text} leads to a port that fetch refuses; take another.")
    return int(text)


def default_database(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Firestore entry of a firebase.json: of several, that of the database (default), or
    an empty one."""
    found: dict[str, Any] | list[dict[str, Any]] = config.get("firestore") or {}
    if isinstance(found, list):
        return next((each for each in found if each.get("database") == "(default)"), {})
    return found


def default_project(root: Path) -> str:
    """Return the project of the emulators of the app in `root`: GCLOUD_PROJECT, or the default of
    .firebaserc. With a name that begins with "demo-", firebase-tools stays off the network."""
    if named := os.environ.get("GCLOUD_PROJECT"):
        return named
    file = root / ".firebaserc"
    projects = read_jsonc(file).get("projects", {}) if file.is_file() else {}
    default = projects.get("default") if isinstance(projects, dict) else None
    return str(default or "demo-rollcall")


def _shift_ports(written: dict[str, Any], by: int) -> dict[str, Any]:
    """Return the configuration with the needed emulators and with every port moved."""
    config = copy.deepcopy(written)
    emulators = config.setdefault("emulators", {})
    for name in (*NEEDED, "eventarc", "hub", "logging"):
        emulators.setdefault(name, {})
    for name, settings in emulators.items():
        if name in _USUAL and isinstance(settings, bool):  # firebase-tools reads its members
            settings = emulators[name] = {}
        if isinstance(settings, dict):
            if name in _USUAL and settings.get("enabled") is not False:
                settings.setdefault("port", _USUAL[name])
            if name == "firestore" and by:
                settings.setdefault("websocketPort", 9150)
            for key in _port_keys(settings):
                settings[key] += by
    return config


def _let_pages_connect(config: dict[str, Any]) -> None:
    """Add the emulators to `connect-src` of Hosting's content security policies, which in
    production name none of them."""
    emulators = config["emulators"]
    ports = (emulators[name]["port"] for name in ("auth", "firestore", "functions"))
    sources = " ".join(f"http://{_HOST}:{port}" for port in ports)
    hosting = config.get("hosting", [])
    for site in hosting if isinstance(hosting, list) else [hosting]:
        for rule in site.get("headers") or ():
            for header in rule.get("headers") or ():
                if header["key"].lower() == "content-security-policy":
                    value = header["value"]
                    header["value"] = value.replace("connect-src ", f"connect-src {sources} ")


def _port_keys(settings: Any) -> list[str]:
    """Return the names of an emulator's ports, such as "port" and "websocketPort"."""
    keys = settings if isinstance(settings, dict) else {}
    return [key for key in keys if key.lower().endswith("port")]


def read_firebase_json(file: Path) -> dict[str, Any]:
    """The parts of a firebase.json; see `firebase_parts`.

    Raises:
        Problem: It cannot be read, or has another form.
    """
    return firebase_parts(read_text(file), file)


def firebase_parts(text: str, file: str | Path) -> dict[str, Any]:
    """The parts of a firebase.json: to firebase-tools, one that is null, false or "" is absent.

    Raises:
        Problem: It is no JSON object, or a part has another form than firebase-tools reads.
    """
    root = parse_object(text, file)
    parts = {
        part: found for part, found in root.value.items() if found or isinstance(found, dict | list)
    }
    for part, problem in _form_problems(parts):
        line = line_number(text, root.child(part).start)
        raise Problem(f"{file}:{line}: {problem}")
    return parts


_TEXTS = {
    "functions": ("source", "codebase", "runtime"),
    "firestore": ("rules", "indexes"),
    "hosting": ("public",),
}
"""Text settings of the parts that are an object or a list of objects."""


def _form_problems(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a firebase.json whose form firebase-tools does not accept, each with what
    is wrong."""
    for part, texts in _TEXTS.items():
        found = config.get(part, {})
        entries = found if isinstance(found, list) else [found]
        if not all(isinstance(each, dict) for each in entries):
            what = f'an object with "{texts[0]}" is expected, or a list of such objects.'
            if isinstance(found, str):
                what += " If it names a file, write what that holds in its place."
            yield part, f'"{part}" is {found!r}; {what}'
            return
        for entry in entries:
            for key in texts:
                if not isinstance(entry.get(key), str | None):
                    yield part, f'"{key}" in "{part}" is {entry[key]!r}; a text is expected.'
    emulators = config.get("emulators", {})
    if not isinstance(emulators, dict):
        yield "emulators", f'"emulators" is {emulators!r}; an object is expected.'
        return
    for name, settings in emulators.items():
        if name in _USUAL and not isinstance(settings, dict | bool):
            yield "emulators", f'"{name}" in "emulators" is {settings!r}; an object is expected.'
        for key in _port_keys(settings):
            if not isinstance(settings[key], int):
                port = f'"{key}" of "{name}" in "emulators"'
                yield "emulators", f"{port} is {settings[key]!r}; a number is expected."
