"""Where data goes: the emulator, or a real project that was named outright."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import Request, urlopen

from rollcall.commands.app import find_app, find_emulators, require_app
from rollcall.core.options import project_id
from rollcall.emulators.addresses import default_project
from seed.errors import UnusableInput

if TYPE_CHECKING:
    from rollcall.agent.platform import Deployment

_FOLDER = Path(__file__).resolve().parent
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
    return require_app(find_app(_FOLDER)).catalog.deployment


def choose(*, project: str | None, production: bool, env: MutableMapping[str, str]) -> Target:
    """Decide where to write, and set the environment so that clients go there.

    Raises:
        UnusableInput: Neither an emulator nor a named project is to be had, or both are.
    """
    if production:
        if not project:
            raise UnusableInput("--production needs the project's id: --project <id>")
        if _FIRESTORE in env:
            raise UnusableInput(f"--production, but {_FIRESTORE} is set; unset it first")
        env[_PROJECT] = project
        return Target(project, None, None)
    if _FIRESTORE not in env and not find_emulators(find_app(_FOLDER), env):
        raise UnusableInput(_NO_EMULATOR)
    chosen = project or project_id(env) or default_project(_FOLDER.parent)
    env[_PROJECT] = chosen
    return Target(chosen, env[_FIRESTORE], env.get(_AUTH))


def create_user(target: Target, user: DemoUser) -> bool:
    """Create a user at the Auth emulator, or bring a known one up to date; say which (True: new).

    Raises:
        UnusableInput: The Auth emulator did not take it.
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
        raise UnusableInput(f"the Auth emulator did not answer as expected: {error}") from error
    return found
