"""The process's Firestore client, and single documents over REST for a process that has not loaded
the client.

Importing the client takes half as long as starting a bare function, and a function that computes
from its arguments needs nothing from Firestore but its own small entry in the registry.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rollcall.core import options
from rollcall.core.errors import Unavailable

if TYPE_CHECKING:
    from google.cloud.firestore import Client
    from requests import Session


_FALLBACK_PROJECT = "demo-rollcall"


@cache
def database() -> Client:
    """Return the Firestore client of this process.

    It needs no credentials if `FIRESTORE_EMULATOR_HOST` is set, and otherwise uses the
    deployment's.
    """
    from google.cloud.firestore import Client

    if "FIRESTORE_EMULATOR_HOST" in os.environ:
        from google.auth.credentials import AnonymousCredentials

        return Client(project=project_id(), credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    return Client(project=project_id())


def is_open() -> bool:
    """Whether this process has loaded its client, which takes long to import."""
    return database.cache_info().currsize > 0


def project_id() -> str:
    """Return the Firebase project of this process."""
    return options.project_id() or _FALLBACK_PROJECT


TIMEOUT_S = 10.0


def read_over_rest(path: str, fields: Sequence[str]) -> dict[str, Any] | None:
    """Read fields of a document over REST.

    Args:
        path: The document's path, such as "capabilities/find_room".
        fields: Names of top-level fields, such as "status". They may hold strings, numbers,
            booleans, null, arrays and maps.
    Returns:
        The fields; None if the document does not exist.
    Raises:
        Unavailable: The read failed, for whatever reason. The full client may still succeed.
    """
    from google.auth.exceptions import GoogleAuthError
    from requests.exceptions import RequestException

    mask = [("mask.fieldPaths", field) for field in fields]
    try:
        response = _rest_session(_host()).get(_rest_url(path), params=mask, timeout=TIMEOUT_S)
        if response.status_code == 404:
            return None
        response.raise_for_status()
        found: dict[str, Any] = _read_value({"mapValue": response.json()})
        return found
    except (RequestException, GoogleAuthError, ValueError, KeyError, AttributeError) as error:
        raise Unavailable(f"{path} was not read: {type(error).__name__}") from error


def create_over_rest(path: str, data: Mapping[str, str | int | datetime]) -> None:
    """Create a document at `path` over REST, unless it exists.

    Raises:
        Unavailable: The write failed, or its outcome is not known.
    """
    from google.auth.exceptions import GoogleAuthError
    from requests.exceptions import RequestException

    collection, _, id = path.rpartition("/")
    fields: dict[str, dict[str, str]] = {}
    for name, value in data.items():
        if isinstance(value, datetime):
            fields[name] = {"timestampValue": value.isoformat()}
        else:
            kind = "stringValue" if isinstance(value, str) else "integerValue"
            fields[name] = {kind: str(value)}
    try:
        response = _rest_session(_host()).post(
            _rest_url(collection),
            params={"documentId": id},
            json={"fields": fields},
            timeout=TIMEOUT_S,
        )
        if response.status_code != 409:
            response.raise_for_status()
    except (RequestException, GoogleAuthError) as error:
        raise Unavailable(f"{path} was not stored: {type(error).__name__}") from error


def _host() -> str | None:
    """Return the emulator's host; None if no emulator is configured."""
    return os.environ.get("FIRESTORE_EMULATOR_HOST") or None


def _rest_url(path: str) -> str:
    host = _host()
    origin = f"http://{host}" if host else "https://firestore.googleapis.com"
    return f"{origin}/v1/projects/{project_id()}/databases/(default)/documents/{quote(path)}"


@cache
def _rest_session(emulator: str | None) -> Session:
    """Return the session for REST requests, authorized as this process's service account, or as the
    emulator's owner."""
    import requests

    if emulator:
        session = requests.Session()
        session.trust_env = False  # the emulator is never behind a proxy
        session.headers["Authorization"] = "Bearer owner"
        return session
    import firebase_admin  # type: ignore[import-untyped]
    from google.auth.transport.requests import AuthorizedSession

    credential = firebase_admin.get_app().credential.get_credential()
    return AuthorizedSession(credential)  # type: ignore[no-untyped-call]


def _read_value(value: dict[str, Any]) -> Any:
    """Return the Python value of a value in Firestore's REST format.

    Raises:
        KeyError: Its kind is not supported.
    """
    ((kind, data),) = value.items()
    if kind == "mapValue":
        return {name: _read_value(item) for name, item in data.get("fields", {}).items()}
    if kind == "arrayValue":
        return [_read_value(item) for item in data.get("values", ())]
    return _KINDS[kind](data)


_KINDS = {"stringValue": str, "booleanValue": bool, "doubleValue": float, "integerValue": int} | {
    "nullValue": lambda data: None
}
