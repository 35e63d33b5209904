"""Deployment options of functions, read from the environment (`functions/.env.<project>`)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

MEMORY_MB = 512
MIN_INSTANCES = "ROLLCALL_MIN_INSTANCES"
MAX_INSTANCES = "ROLLCALL_MAX_INSTANCES"
MAX_TASKS = "ROLLCALL_MAX_TASKS"
OTHERS = "*"
PREFIX = "[a-z][a-z0-9]{0,15}"
"""The form of `ROLLCALL_PREFIX`."""


def project_id(env: Mapping[str, str] = os.environ) -> str | None:
    """Return the Firebase project that the environment names, if it names one."""
    return env.get("GCLOUD_PROJECT") or env.get("GOOGLE_CLOUD_PROJECT") or None


def on_emulator() -> bool:
    """Tell whether this process serves a function on the emulators."""
    return os.environ.get("FUNCTIONS_EMULATOR") == "true"


DEFAULT_REGION = "us-central1"
"""Where Firebase runs a function that names no region."""

FUNCTION_REGION = "FUNCTION_REGION"
"""The variable in which Firebase sets a deployed function's region."""


def region() -> str:
    """Return the region of this codebase: `ROLLCALL_REGION`, otherwise `FUNCTION_REGION`."""
    env = os.environ
    return env.get("ROLLCALL_REGION") or env.get(FUNCTION_REGION) or DEFAULT_REGION


def use_region_of(function: object) -> None:
    """Use a bound function's region in this process unless the environment names one: an app may
    set it with `set_global_options(region=...)`, which the emulator's environment lacks."""
    endpoint = getattr(function, "__firebase_endpoint__", None)
    regions = getattr(endpoint, "region", None)
    if isinstance(regions, list) and regions and isinstance(regions[0], str):
        os.environ.setdefault(FUNCTION_REGION, regions[0])


DEFAULT_CODEBASE = "default"
"""The name of a codebase without a name in firebase.json."""


def codebase() -> str:
    """Return this codebase's name in firebase.json, from `ROLLCALL_CODEBASE`: several can publish
    to one registry."""
    return os.environ.get("ROLLCALL_CODEBASE") or DEFAULT_CODEBASE


def prefix(env: Mapping[str, str] = os.environ) -> str:
    """Return the prefix of the platform's functions and collections, so that their names do not
    clash with the app's: for `ROLLCALL_PREFIX=rc` they are `rc_run_agent` and `rc_threads`. Empty
    by default.

    Raises:
        ValueError: The variable cannot be a prefix.
    """
    found = env.get("ROLLCALL_PREFIX", "")
    if found and not re.fullmatch(PREFIX, found):
        raise ValueError(
            f"ROLLCALL_PREFIX is {found!r}; a prefix has a lower-case letter first and at most 16 "
            'lower-case letters and digits in all, such as "rc"'
        )
    return found


def function_name(endpoint: str) -> str:
    """Return the deployed name of a platform function; capabilities keep theirs."""
    return f"{found}_{endpoint}" if (found := prefix()) else endpoint


def queue_name(endpoint: str) -> str:
    """Return the deployed name of a platform task function: a queue's name takes no underscore."""
    return prefix() + endpoint


def collection_id(name: str) -> str:
    """Return the id of a platform collection: "threads" is `rc_threads` under the prefix `rc`.
    Collections of packs and apps keep their names."""
    return f"{found}_{name}" if (found := prefix()) else name


def lease_s() -> float:
    """Return for how many seconds a run keeps its lease without renewing it.

    `ROLLCALL_LEASE_S` sets it. With a shorter lease a crash is noticed sooner, but a process that
    stalls for as long loses its run.

    Raises:
        ValueError: The variable is not a number of seconds of at least 1.
    """
    text = os.environ.get("ROLLCALL_LEASE_S") or "60"
    if not re.fullmatch(r"[1-9][0-9]*(\.[0-9]+)?", text):
        raise ValueError(f"ROLLCALL_LEASE_S is {text!r}; a number of seconds from 1 up is accepted")
    return float(text)


def function_options(name: str) -> dict[str, Any]:
    """Return the options of firebase-functions for the function `name`. Only the numbers of
    instances differ by function.

    `ROLLCALL_REGION` is where functions run. `THREADS` is how many requests one instance serves at
    once: functions-framework starts as many threads, and a stream occupies one while it lasts.
    `ROLLCALL_SECRETS` names secrets in Secret Manager, separated by commas, such as
    "GEMINI_API_KEY"; each becomes an environment variable of that name in every function.
    `ROLLCALL_MIN_INSTANCES=run_agent:1` keeps an instance of that function warm, and
    `ROLLCALL_MAX_INSTANCES=run_agent:50,*:10` limits their number; `*` is all other functions.

    Raises:
        ValueError: One of the variables is not valid.
    """
    options: dict[str, Any] = {"memory": MEMORY_MB, "cpu": 1}
    if threads := os.environ.get("THREADS"):
        if not threads.isdecimal() or not 1 <= int(threads) <= 1000:
            raise ValueError(f"THREADS is {threads!r}; a number from 1 to 1000 is accepted")
        options["concurrency"] = int(threads)
    if os.environ.get("ROLLCALL_REGION"):
        options["region"] = region()
    names = [name.strip() for name in os.environ.get("ROLLCALL_SECRETS", "").split(",")]
    if secrets := [name for name in names if name]:
        options["secrets"] = secrets
    if (least := _instances(MIN_INSTANCES).get(name)) is not None:
        options["min_instances"] = least
    most = _instances(MAX_INSTANCES)
    if (bound := most.get(name, most.get(OTHERS))) is not None:
        options["max_instances"] = bound
    return options


def max_tasks(queue: str, default: int) -> int:
    """Return how many tasks of a queue run at once; `ROLLCALL_MAX_TASKS=continuerun:300` sets it.
    Cloud Tasks allows 1 to 5000.

    Raises:
        ValueError: The variable is not valid.
    """
    found = _instances(MAX_TASKS).get(queue, default)
    if not 1 <= found <= 5000:
        raise ValueError(f"{MAX_TASKS}: {found} tasks of {queue} at once; 1 to 5000 are accepted")
    return found


def check_instances(names: Iterable[str]) -> None:
    """Check that the variables for instances and tasks name functions that exist.

    Raises:
        ValueError: One names an unknown function, or is not valid.
    """
    for variable in (MIN_INSTANCES, MAX_INSTANCES, MAX_TASKS):
        known = {*names, OTHERS} if variable == MAX_INSTANCES else {*names}
        if unknown := sorted(_instances(variable).keys() - known):
            raise ValueError(f"{variable}: there is no function {unknown[0]!r}")


def _instances(variable: str) -> dict[str, int]:
    """Return the variable's number for each function."""
    found = {}
    for entry in filter(None, map(str.strip, os.environ.get(variable, "").split(","))):
        read = re.fullmatch(r"([A-Za-z0-9_-]+|\*)\s*:\s*([0-9]{1,4})", entry)
        if read is None:
            raise ValueError(f"{variable}: {entry!r} is not of the form run_agent:1")
        found[read[1]] = int(read[2])
    return found
