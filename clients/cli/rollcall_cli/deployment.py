"""A deployment of Rollcall: a Firebase project, or the emulators of one."""

from __future__ import annotations

import re
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
_MAX_PORT = 65_535
_MAX_OFFSET = _MAX_PORT - max(_HOSTS.values())
_NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")
_PREFIX = re.compile(r"[a-z][a-z0-9]{0,15}")
_ADDRESS = re.compile(r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The addresses of one project; each URL ends in a slash.

    Attributes:
        api_key: The project's web API key, which is no secret.
        is_local: Whether these are emulators, which are reached without a proxy.
        prefix: ROLLCALL_PREFIX, which precedes the names of its functions and collections.
    """

    project: str
    functions_url: str
    firestore_url: str
    identity_url: str
    tokens_url: str
    api_key: str
    is_local: bool
    prefix: str = ""

    @classmethod
    def production(
        cls, *, project: str, api_key: str, region: str = DEFAULT_REGION, prefix: str = ""
    ) -> Deployment:
        """A project in the cloud."""
        return cls(
            project=project,
            functions_url=f"https://{region}-{project}.cloudfunctions.net/",
            firestore_url="https://firestore.googleapis.com/v1/",
            identity_url="https://identitytoolkit.googleapis.com/v1/",
            tokens_url="https://securetoken.googleapis.com/v1/",
            api_key=api_key,
            is_local=False,
            prefix=prefix,
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
        prefix: str = "",
    ) -> Deployment:
        """Emulators at these addresses, each `host:port`."""
        return cls(
            project=project,
            functions_url=f"http://{functions}/{project}/{region}/",
            firestore_url=f"http://{firestore}/v1/",
            identity_url=f"http://{auth}/identitytoolkit.googleapis.com/v1/",
            tokens_url=f"http://{auth}/securetoken.googleapis.com/v1/",
            api_key=_ANY_KEY,
            is_local=True,
            prefix=prefix,
        )

    @property
    def documents(self) -> str:
        """The root of the project's documents, as Firestore names it."""
        return f"projects/{self.project}/databases/(default)/documents"

    def path(self, *names: str) -> str:
        """The path of a collection or document of Rollcall, from the root of the documents.

        Args:
            names: Collections and ids of documents, by turns, as in ("threads", "t1", "runs").
        """
        start = f"{self.prefix}_" if self.prefix else ""
        return "/".join(name if at % 2 else start + name for at, name in enumerate(names))


def wants_emulators(env: Mapping[str, str]) -> bool:
    """Whether the environment names an emulator, in the variables of Firebase's own tools."""
    return any(env.get(name) for name in _HOSTS)


def emulators_from_env(env: Mapping[str, str]) -> Deployment:
    """The emulators that the environment names, otherwise those of `make emulators`.

    Raises:
        Problem: PORT_OFFSET, a host, project, region or prefix is invalid.
    """
    offset = env.get("PORT_OFFSET") or "0"
    if not (re.fullmatch(r"[0-9]{1,5}", offset) and int(offset) <= _MAX_OFFSET):
        raise Problem("port_offset", most=_MAX_OFFSET, given=repr(offset))
    auth, firestore, functions = (
        _address(name, env.get(name) or f"127.0.0.1:{port + int(offset)}")
        for name, port in _HOSTS.items()
    )
    return Deployment.emulators(
        auth=auth,
        firestore=firestore,
        functions=functions,
        project=check_name(env.get("GCLOUD_PROJECT") or _DEMO_PROJECT),
        region=check_name(env.get("ROLLCALL_REGION") or DEFAULT_REGION),
        prefix=check_prefix(env.get("ROLLCALL_PREFIX") or ""),
    )


def check_name(text: str) -> str:
    """Check a project id or a region, which become part of addresses, and return it.

    Raises:
        Problem: It is invalid.
    """
    if not _NAME.fullmatch(text):
        raise Problem("no_name", given=repr(text))
    return text


def check_prefix(text: str) -> str:
    """Check a ROLLCALL_PREFIX, which may be empty, and return it.

    Raises:
        Problem: It is invalid.
    """
    if text and not _PREFIX.fullmatch(text):
        raise Problem("no_prefix", given=repr(text))
    return text


def _address(variable: str, text: str) -> str:
    found = _ADDRESS.fullmatch(text)
    if not (found and int(found[1]) <= _MAX_PORT):
        raise Problem("no_address", variable=variable, given=repr(text))
    return text
