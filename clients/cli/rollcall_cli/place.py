"""Where a Rollcall is: a Firebase project, or the emulators of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rollcall_cli.problem import Problem

DEFAULT_REGION = "us-central1"

_DEMO_PROJECT = "demo-rollcall"  # as the repository's own emulators have it
_ANY_KEY = "demo"  # the Auth emulator asks for an API key and takes any
_HOSTS = {
    "FIREBASE_AUTH_EMULATOR_HOST": 9099,
    "FIRESTORE_EMULATOR_HOST": 8080,
    "FUNCTIONS_EMULATOR_HOST": 5001,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The addresses of one project; each URL ends in a slash.

    Attributes:
        api_key: The project's web API key, which is no secret.
        is_local: Whether these are emulators, which no proxy leads to.
    """

    project: str
    functions_url: str
    firestore_url: str
    identity_url: str
    tokens_url: str
    api_key: str
    is_local: bool

    @classmethod
    def production(cls, *, project: str, api_key: str, region: str = DEFAULT_REGION) -> Place:
        """A project in the cloud."""
        return cls(
            project=project,
            functions_url=f"https://{region}-{project}.cloudfunctions.net/",
            firestore_url="https://firestore.googleapis.com/v1/",
            identity_url="https://identitytoolkit.googleapis.com/v1/",
            tokens_url="https://securetoken.googleapis.com/v1/",
            api_key=api_key,
            is_local=False,
        )

    @classmethod
    def emulators(
        cls,
        *,
        auth: str,
        firestore: str,
        functions: str,
        project: str = _DEMO_PROJECT,
        region: str = DEFAULT_REGION,
    ) -> Place:
        """Emulators at these addresses, each `host:port`."""
        return cls(
            project=project,
            functions_url=f"http://{functions}/{project}/{region}/",
            firestore_url=f"http://{firestore}/v1/",
            identity_url=f"http://{auth}/identitytoolkit.googleapis.com/v1/",
            tokens_url=f"http://{auth}/securetoken.googleapis.com/v1/",
            api_key=_ANY_KEY,
            is_local=True,
        )

    @property
    def documents(self) -> str:
        """The root of the project's documents, as Firestore names it."""
        return f"projects/{self.project}/databases/(default)/documents"


def wants_emulators(env: Mapping[str, str]) -> bool:
    """Whether the environment names an emulator, as Firebase's own tools have it."""
    return any(env.get(name) for name in _HOSTS)


def emulators_of(env: Mapping[str, str]) -> Place:
    """The emulators that the environment names, and otherwise those of `make emulators`.

    Raises:
        Problem: PORT_OFFSET is no number.
    """
    offset = env.get("PORT_OFFSET") or "0"
    if not offset.isdecimal():
        raise Problem(f"PORT_OFFSET is a number, as for make emulators, not {offset!r}.")
    auth, firestore, functions = (
        env.get(name) or f"127.0.0.1:{port + int(offset)}" for name, port in _HOSTS.items()
    )
    return Place.emulators(
        auth=auth,
        firestore=firestore,
        functions=functions,
        project=env.get("GCLOUD_PROJECT") or _DEMO_PROJECT,
        region=env.get("ROLLCALL_REGION") or DEFAULT_REGION,
    )
