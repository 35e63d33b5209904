"""What every function is deployed with, read from the environment (`functions/.env.<project>`)."""

from __future__ import annotations

import os
from typing import Any

MEMORY_MB = 512


DEFAULT_REGION = "us-central1"
"""Where Firebase runs a function that names no region."""


def region() -> str:
    """Where this codebase's functions run."""
    return os.environ.get("ROLLCALL_REGION") or DEFAULT_REGION


DEFAULT_CODEBASE = "default"
"""The codebase that names itself nothing else."""


def codebase() -> str:
    """Which of a project's codebases this is, as firebase.json names it. Several can publish to one
    registry; `ROLLCALL_CODEBASE` tells them apart."""
    return os.environ.get("ROLLCALL_CODEBASE") or DEFAULT_CODEBASE


def lease_s() -> float:
    """How long a run holds its thread without a sign of life, s; it renews this as it goes on.

    `ROLLCALL_LEASE_S` changes it. Shorter means that a crash is noticed sooner, and that a
    process which stalls for as long loses its run.
    """
    return float(os.environ.get("ROLLCALL_LEASE_S") or 60)


def function_options() -> dict[str, Any]:
    """Options of firebase-functions that all of our functions share.

    `ROLLCALL_REGION` is where they run. `THREADS` is how many requests one instance serves at
    once: functions-framework starts as many threads, and a stream holds one for as long as it
    lasts. `ROLLCALL_SECRETS` names secrets in Secret Manager, separated by commas, such as
    "GEMINI_API_KEY"; each becomes an environment variable of that name in every function.
    """
    options: dict[str, Any] = {"memory": MEMORY_MB, "cpu": 1}
    if threads := os.environ.get("THREADS"):
        options["concurrency"] = int(threads)
    if os.environ.get("ROLLCALL_REGION"):
        options["region"] = region()
    names = [name.strip() for name in os.environ.get("ROLLCALL_SECRETS", "").split(",")]
    if secrets := [name for name in names if name]:
        options["secrets"] = secrets
    return options
