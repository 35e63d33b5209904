"""The project and the Firestore that a command talks to."""

from __future__ import annotations

import socket
from collections.abc import MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from rollcall.commands.app import App
from rollcall.core.errors import USAGE, Problem
from rollcall.emulators.addresses import Configuration, default_project
from rollcall.store.client import database

if TYPE_CHECKING:
    from google.cloud.firestore import Client

_FIRESTORE = "FIRESTORE_EMULATOR_HOST"
_AUTH = "FIREBASE_AUTH_EMULATOR_HOST"
_PROJECT = "GCLOUD_PROJECT"
_DEMO = "demo-"
"""Projects of this name are the emulators' alone."""


class Place(Struct, frozen=True):
    """A project at the emulator (`host:port`), or in production, and the app that the command was
    run in, where it was run in one."""

    project: str
    emulator: str | None
    app: App | None = None

    def __str__(self) -> str:
        where = f"the emulator at {self.emulator}" if self.emulator else "production"
        return f"project {self.project} · {where}"


def choose(project: str | None, env: MutableMapping[str, str], app: App | None = None) -> Place:
    """Choose the project, and set the environment for clients with the variables of the app's
    functions.

    The emulator that `FIRESTORE_EMULATOR_HOST` names comes first, then the real project that is
    named, then the app's emulators where they are running.

    Raises:
        Problem: None of these is to be had.
    """
    named = project or env.get(_PROJECT) or env.get("GOOGLE_CLOUD_PROJECT")
    is_real = bool(named) and not str(named).startswith(_DEMO)
    if _FIRESTORE not in env and not is_real and not _find_emulators(app, env):
        raise Problem(
            "Which project? Name it with --project my-project or in GCLOUD_PROJECT. For the "
            "emulators,\nstart them (`python -m rollcall dev`), or set FIRESTORE_EMULATOR_HOST.",
            exit_code=USAGE,
        )
    chosen = named or default_project(app.root if app else Path.cwd())
    env[_PROJECT] = chosen
    emulator = env.get(_FIRESTORE)
    if app is not None:
        app.load_environment(chosen, emulator=emulator is not None, env=env)
    return Place(chosen, emulator, app)


def connect(place: Place) -> Client:
    """Return the Firestore client.

    Raises:
        Problem: Nothing answers where the emulator should be, or there are no credentials for a
            real project.
    """
    from google.auth.exceptions import DefaultCredentialsError

    if place.emulator is not None and not _listens(place.emulator):
        raise Problem(
            f"No emulator answers at {place.emulator!r}, which {_FIRESTORE} names as host:port.\n"
            f"Start it (`python -m rollcall dev`), or unset {_FIRESTORE} and name a project."
        )
    try:
        return database()
    except DefaultCredentialsError:
        raise Problem(
            f"There are no credentials for the project {place.project}, so nothing was read or "
            "written.\nSign in with `gcloud auth application-default login` and repeat this. For "
            "the emulator, set\nFIRESTORE_EMULATOR_HOST. (After a deploy the scheduled function "
            "sync_registry publishes the\nregistry too, once a day.)"
        ) from None


def _find_emulators(app: App | None, env: MutableMapping[str, str]) -> bool:
    """Use the app's own emulators where they are running; say whether they are."""
    if app is None or not app.config:
        return False
    found = Configuration(app.root).addresses().environment()
    if not _listens(found[_FIRESTORE]):
        return False
    for name in (_FIRESTORE, _AUTH):
        if _listens(found[name]):
            env[name] = found[name]
    return True


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except (OSError, ValueError, OverflowError):  # the last two: it has no port, or none there is
        return False
