"""Where data goes: the emulator, or a real project that was named outright."""

from __future__ import annotations

import json
import socket
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import Request, urlopen

from rollcall.commands.app import find_app, require_app
from seed.errors import Unusable

_ROOT = Path(__file__).resolve().parents[1]
if TYPE_CHECKING:
    from rollcall.agent.platform import Deployment

_FIRESTORE = "FIRESTORE_EMULATOR_HOST"
_AUTH = "FIREBASE_AUTH_EMULATOR_HOST"
_PROJECT = "GCLOUD_PROJECT"
_NO_EMULATOR = (
    "there is no emulator to write to: run `make emulators` in another terminal or set "
    f"{_FIRESTORE}; to write to a real project, name it: --project <id> --production"
)


@dataclass(frozen=True, slots=True)
class DemoUser:
    """Who looks at the sample data: Noa, who teaches."""

    uid: str = "demo"
    name: str = "Noa Levi"
    email: str = "demo@rollcall.example"
    password: str = "water-the-lemons"
    role: str = "teacher"


DEMO_USER = DemoUser()


@dataclass(frozen=True, slots=True)
class Target:
    """A project, at the emulator or not."""

    project: str
    firestore: str | None
    auth: str | None

    def __str__(self) -> str:
        where = f"the emulator {self.firestore}" if self.firestore else "Google Cloud"
        return f"{self.project} at {where}"


def app_platform() -> Deployment:
    """The platform of the app that this data belongs to."""
    return require_app(find_app(Path(__file__).parent)).catalog.deployment


def choose(*, project: str | None, production: bool, env: MutableMapping[str, str]) -> Target:
    """Decide where to write, and set the environment so that clients go there.

    Raises:
        Unusable: Neither an emulator nor a named project is to be had, or both are.
    """
    if production:
        if not project:
            raise Unusable("--production needs the project's id: --project <id>")
        if _FIRESTORE in env:
            raise Unusable(f"--production, but {_FIRESTORE} is set; unset it first")
        env[_PROJECT] = project
        return Target(project, None, None)
    if _FIRESTORE not in env:
        _find_emulators(env)
    chosen = project or env.get(_PROJECT) or env.get("GOOGLE_CLOUD_PROJECT") or "demo-rollcall"
    env[_PROJECT] = chosen
    return Target(chosen, env[_FIRESTORE], env.get(_AUTH))


def _find_emulators(env: MutableMapping[str, str]) -> None:
    """Use this repository's own emulators where they are running."""
    from rollcall.emulators.addresses import Configuration

    if not (_ROOT / "firebase.json").is_file():
        raise Unusable(_NO_EMULATOR)
    found = Configuration(_ROOT).addresses().environment()
    if not _listens(found[_FIRESTORE]):
        raise Unusable(_NO_EMULATOR)
    for name in (_FIRESTORE, _AUTH):
        if _listens(found[name]):
            env[name] = found[name]
    env.setdefault(_PROJECT, found[_PROJECT])


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except OSError:
        return False


def create_user(target: Target, user: DemoUser) -> bool:
    """Create a user at the Auth emulator, or bring a known one up to date; say which (True: new).

    Raises:
        Unusable: The Auth emulator did not take it.
    """
    root = f"http://{target.auth}/identitytoolkit.googleapis.com/v1/projects/{target.project}"
    fields = {
        "email": user.email,
        "password": user.password,
        "displayName": user.name,
        "customAttributes": json.dumps({"role": user.role}),
    }
    known = _post(f"{root}/accounts:lookup", {"localId": [user.uid]}).get("users")
    if not known:
        _post(f"{root}/accounts", {"localId": user.uid, "emailVerified": True})
    # Only an update takes claims: a new account would be without its role.
    _post(f"{root}/accounts:update", {"localId": user.uid, **fields})
    return not known


def _post(url: str, data: dict[str, object]) -> dict[str, object]:
    headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
    request = Request(url, json.dumps(data).encode(), headers)
    try:
        with urlopen(request, timeout=20) as response:
            found: dict[str, object] = json.load(response)
    except (URLError, TimeoutError, ValueError) as error:
        raise Unusable(f"the Auth emulator did not answer as expected: {error}") from error
    return found
