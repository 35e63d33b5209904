"""The Firestore client of this process."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.cloud.firestore import Client

_FALLBACK_PROJECT = "demo-rollcall"


@cache
def database() -> Client:
    """Return the one client of this process: the emulator's where one is named.

    With `FIRESTORE_EMULATOR_HOST` set no credentials are looked for; otherwise the
    deployment's own are used.
    """
    from google.cloud.firestore import Client

    if "FIRESTORE_EMULATOR_HOST" in os.environ:
        from google.auth.credentials import AnonymousCredentials

        return Client(project=project_id(), credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    return Client(project=project_id())


def is_open() -> bool:
    """Whether this process has its client by now, and with it the import that takes long."""
    return database.cache_info().currsize > 0


def project_id() -> str:
    """Return the Firebase project that this process works for."""
    found = os.environ.get("GCLOUD_PROJECT") or os.environ.get("GOOGLE_CLOUD_PROJECT")
    return found or _FALLBACK_PROJECT
