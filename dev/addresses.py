"""Where the emulators listen: firebase.json's ports, moved by PORT_OFFSET.

With PORT_OFFSET=3000 in its environment a second copy runs beside the first.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dev.paths import FIREBASE_JSON, ROOT
from dev.problem import Problem

PROJECT = "demo-rollcall"  # "demo-" keeps firebase-tools off the network
REGION = "us-central1"

_HOST = "127.0.0.1"
_HIGHEST_OFFSET = 55_000
# The ports in firebase.json differ in their last two digits, so that two copies
# whose offsets are whole hundreds never meet.
_STEP = 100
# The hub on 6000, or Firestore on 10080: Node's and browsers' fetch refuse both.
_UNUSABLE = (1600, 2000)


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """The emulators as `host:port`, and the URL under which functions are found."""

    auth: str
    firestore: str
    functions: str
    tasks: str
    hub: str

    @property
    def functions_url(self) -> str:
        """Ends in a slash; add a function's name."""
        return f"http://{self.functions}/{PROJECT}/{REGION}/"

    def environment(self) -> dict[str, str]:
        """The variables by which Firebase's SDKs and firebase-tools find emulators."""
        return {
            "GCLOUD_PROJECT": PROJECT,
            "FIREBASE_AUTH_EMULATOR_HOST": self.auth,
            "FIRESTORE_EMULATOR_HOST": self.firestore,
            "CLOUD_TASKS_EMULATOR_HOST": self.tasks,
            "FIREBASE_EMULATOR_HUB": self.hub,
            # Nobody's convention but ours: Firebase has none for functions.
            "FUNCTIONS_EMULATOR_HOST": self.functions,
        }


def current() -> Addresses:
    """The addresses under the PORT_OFFSET of this environment."""
    ports = shifted_ports()
    names = ("auth", "firestore", "functions", "tasks", "hub")
    return Addresses(**{name: f"{_HOST}:{ports[name]}" for name in names})


def shifted_ports() -> dict[str, int]:
    """Every port that the suite listens on, by what it is for."""
    ports = {}
    for emulator, settings in _shifted()["emulators"].items():
        for key in _port_keys(settings):
            ports[emulator if key == "port" else f"{emulator} {key}"] = settings[key]
    return ports


def config_file() -> Path:
    """A configuration with the ports moved; firebase.json itself when they are not.

    It lies beside firebase.json, because the paths in it count from its folder.
    """
    if offset() == 0:
        return FIREBASE_JSON
    file = ROOT / f"firebase.offset-{offset()}.json"
    file.write_text(json.dumps(_shifted(), indent=2) + "\n")
    return file


def offset() -> int:
    """PORT_OFFSET, 0 if it is not set."""
    text = os.environ.get("PORT_OFFSET") or "0"
    if not text.isdecimal() or int(text) % _STEP or int(text) > _HIGHEST_OFFSET:
        raise Problem(f"PORT_OFFSET is a whole hundred up to {_HIGHEST_OFFSET}, not {text!r}.")
    if int(text) in _UNUSABLE:
        raise Problem(f"PORT_OFFSET={text} leads to a port that fetch refuses; take another.")
    return int(text)


def _shifted() -> dict[str, Any]:
    config: dict[str, Any] = json.loads(FIREBASE_JSON.read_text())
    for settings in config["emulators"].values():
        for key in _port_keys(settings):
            settings[key] += offset()
    return config


def _port_keys(settings: Any) -> list[str]:
    """Names of the settings that are ports, such as "port" and "websocketPort"."""
    keys = settings if isinstance(settings, dict) else {}
    return [key for key in keys if key.lower().endswith("port")]
