"""Reads a document over REST, for a process that has not needed Firestore yet.

Importing the client takes half as long as a whole bare function takes to start, and a function that
computes from its arguments needs nothing of Firestore but its own small entry in the registry.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rollcall.core.errors import Unavailable
from rollcall.store.client import project_id

if TYPE_CHECKING:
    from requests import Session

TIMEOUT_S = 10.0


def read(path: str, fields: Sequence[str]) -> dict[str, Any] | None:
    """Fields of the document at `path`, those that it has; None where there is no document.

    Args:
        path: As in "capabilities/find_room".
        fields: Names at its top, such as "status". Texts, numbers, flags, lists and maps are read.
    Raises:
        Unavailable: It was not read, for whatever reason. The client may know better.
    """
    from requests.exceptions import RequestException

    host = os.environ.get("FIRESTORE_EMULATOR_HOST")
    origin = f"http://{host}" if host else "https://firestore.googleapis.com"
    documents = f"{origin}/v1/projects/{project_id()}/databases/(default)/documents"
    wanted = [("mask.fieldPaths", field) for field in fields]
    try:
        url = f"{documents}/{quote(path)}"
        response = _session(bool(host)).get(url, params=wanted, timeout=TIMEOUT_S)
        if response.status_code == 404:
            return None
        response.raise_for_status()
        found: dict[str, Any] = _value({"mapValue": response.json()})
        return found
    except (RequestException, ValueError, KeyError) as error:
        raise Unavailable(f"{path} was not read: {type(error).__name__}") from error


@cache
def _session(is_emulator: bool) -> Session:
    """Signed as this process's service account is; to the emulator, as its owner."""
    import requests

    if is_emulator:
        session = requests.Session()
        session.trust_env = False  # no proxy leads to it
        session.headers["Authorization"] = "Bearer owner"
        return session
    import firebase_admin  # type: ignore[import-untyped]
    from google.auth.transport.requests import AuthorizedSession

    credential = firebase_admin.get_app().credential.get_credential()
    return AuthorizedSession(credential)  # type: ignore[no-untyped-call]


def _value(value: dict[str, Any]) -> Any:
    """A value as REST writes it, by its kind.

    Raises:
        KeyError: It is of another kind.
    """
    ((kind, data),) = value.items()
    if kind == "mapValue":
        return {name: _value(item) for name, item in data.get("fields", {}).items()}
    if kind == "arrayValue":
        return [_value(item) for item in data.get("values", ())]
    return _KINDS[kind](data)


_KINDS = {"stringValue": str, "booleanValue": bool, "doubleValue": float, "integerValue": int} | {
    "nullValue": lambda data: None
}
