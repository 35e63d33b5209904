"""Checks of what runs: functions, the clock's jobs, secrets, App Check and the first admin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from rollcall.commands.doctor.findings import Finding, Google, Refused, firebase, listed
from rollcall.commands.environment import Settings
from rollcall.core.options import DEFAULT_REGION
from rollcall.core.shapes import Role

MOST_USERS = 1_000
"""How many accounts are looked at for an admin."""
DEPLOY = firebase("deploy --only functions")
_OVERDUE = timedelta(hours=25)


class Function(Struct, frozen=True):
    """A deployed function.

    Attributes:
        concurrency: How many requests one instance is sent at once.
        variables: Its environment, without secrets.
    """

    name: str
    region: str
    state: str
    concurrency: int
    variables: dict[str, str]


def read_functions(google: Google, project: str) -> list[Function]:
    """What is deployed in any region."""
    path = f"v2/projects/{project}/locations/-/functions"
    return [
        _function(each)
        for each in google.every("cloudfunctions", path, "functions", pageSize="500")
    ]


def _function(item: Mapping[str, Any]) -> Function:
    # projects/<project>/locations/<region>/functions/<name>
    _, _, _, region, _, name = item["name"].split("/")
    service = item.get("serviceConfig", {})
    return Function(
        name,
        region,
        item.get("state", "UNKNOWN"),
        service.get("maxInstanceRequestConcurrency", 1),
        service.get("environmentVariables", {}),
    )


def check_functions(
    functions: Sequence[Function], declared: Sequence[str], settings: Settings
) -> Iterator[Finding]:
    """Whether all that is declared is deployed, works, and is set up as the files say."""
    topic = "functions"
    region = settings.env.get("ROLLCALL_REGION") or DEFAULT_REGION
    here = {each.name: each for each in functions if each.region == region}
    missing = [name for name in declared if name not in here]
    if missing:
        yield Finding(
            "fail" if len(missing) == len(declared) else "warn",
            topic,
            f"{len(missing)} of {len(declared)} are not deployed in {region}: {listed(missing)}",
            DEPLOY,
        )
    bad = [f"{each.name} ({each.state})" for each in here.values() if each.state != "ACTIVE"]
    if bad:
        yield Finding("fail", topic, f"not active: {listed(bad)}", DEPLOY)
    elsewhere = sorted({each.region for each in functions if each.name in declared} - {region})
    if elsewhere:
        yield Finding(
            "warn",
            topic,
            f"some of these names run in {listed(elsewhere)} too, which costs and answers old code",
            firebase("functions:delete <name> --region <region>"),
        )
    ours = [here[name] for name in declared if name in here]
    yield from _concurrency(ours, settings)
    if not missing and not bad:
        yield Finding("ok", topic, f"all {len(declared)} are active in {region}")


def _concurrency(functions: Sequence[Function], settings: Settings) -> Iterator[Finding]:
    unlike = [each for each in functions if each.variables.get("THREADS") != str(each.concurrency)]
    if unlike:
        first = unlike[0]
        yield Finding(
            "warn",
            "functions",
            f"{len(unlike)} have another concurrency than threads ({first.name}: "
            f"{first.concurrency} requests, THREADS={first.variables.get('THREADS', '(none)')}): "
            "requests wait inside an instance",
            f"THREADS in functions/.env, then {DEPLOY}",
        )
    threads = settings.given.get("THREADS")
    stale = [each.name for each in functions if each.variables.get("THREADS") != threads]
    if stale and len(stale) > len(unlike):
        yield Finding(
            "warn",
            "functions",
            f"deployed with another THREADS than functions/.env says: {listed(stale)}",
            DEPLOY,
        )


def check_jobs(
    google: Google, project: str, *, region: str, scheduled: Sequence[str]
) -> Iterator[Finding]:
    """Whether the clock starts what it should, and how it went the last time."""
    path = f"v1/projects/{project}/locations/{region}/jobs"
    jobs = {
        each["name"].split("/")[-1]: each for each in google.every("cloudscheduler", path, "jobs")
    }
    all_well = True
    for name in scheduled:
        problem = _job_problem(jobs.get(f"firebase-schedule-{name}-{region}"))
        if problem:
            all_well = False
            mend = firebase(f"functions:log --only {name}")
            yield Finding("warn", "schedules", f"{name}: {problem}", mend)
    if all_well:
        yield Finding("ok", "schedules", f"all {len(scheduled)} ran, without an error")


def _job_problem(job: Mapping[str, Any] | None) -> str | None:
    if job is None:
        return "there is no job of Cloud Scheduler for it"
    if job.get("state") != "ENABLED":
        return f"its job is {job.get('state')}"
    if code := job.get("status", {}).get("code"):
        return f"its last run failed with code {code}"
    if not (last := job.get("lastAttemptTime")):
        return "it never ran"
    at = datetime.fromisoformat(last)
    return f"it last ran {at:%Y-%m-%d %H:%M} UTC" if datetime.now(UTC) - at > _OVERDUE else None


def check_secrets(google: Google, project: str, names: Sequence[str]) -> Iterator[Finding]:
    """Whether the secrets that functions are bound to exist. Their values are not read."""
    if not names:
        yield Finding("ok", "secrets", "functions are bound to none")
        return
    missing = [name for name in names if not _exists(google, project, name)]
    for name in missing:
        yield Finding(
            "warn",
            "secrets",
            f"{name} is not in Secret Manager; a deploy fails without it",
            firebase(f"functions:secrets:set {name}"),
        )
    if not missing:
        yield Finding("ok", "secrets", f"in Secret Manager: {listed(names)}")


def _exists(google: Google, project: str, name: str) -> bool:
    try:
        google.get("secretmanager", f"v1/projects/{project}/secrets/{name}")
    except Refused as refused:
        if refused.status != 404:
            raise
        return False
    return True


def check_app_check(google: Google | None, project: str, settings: Settings) -> Iterator[Finding]:
    """Whether calls must come from your apps: of functions, and of Firestore itself."""
    if settings.env.get("ENFORCE_APP_CHECK") == "true":
        yield Finding("ok", "app check", "functions refuse calls without a valid token")
    else:
        yield Finding(
            "warn",
            "app check",
            "functions answer calls from anywhere, if the user is signed in",
            f"register your apps, then ENFORCE_APP_CHECK=true in {settings.file}, and deploy",
        )
    if google is None:
        return
    found = google.get(
        "firebaseappcheck", f"v1/projects/{project}/services/firestore.googleapis.com"
    )
    mode = found.get("enforcementMode", "OFF")
    if mode == "ENFORCED":
        yield Finding("ok", "app check", "Firestore refuses clients without a valid token")
    else:
        yield Finding(
            "warn",
            "app check",
            f"Firestore takes clients without a token ({mode})",
            "Firebase console, App Check, APIs, Cloud Firestore: Enforce",
        )


def check_admin(google: Google, project: str) -> Iterator[Finding]:
    """Whether somebody is an admin, among the first accounts."""
    path = f"v1/projects/{project}/accounts:batchGet"
    found = google.get("identitytoolkit", path, maxResults=str(MOST_USERS))
    users = found.get("users", [])
    admins = [user["localId"] for user in users if _role(user) == Role.ADMIN]
    more = f" of the first {MOST_USERS:,}" if found.get("nextPageToken") else ""
    if admins:
        yield Finding("ok", "roles", f"{len(admins)} admins among {len(users):,} accounts{more}")
    else:
        yield Finding(
            "warn",
            "roles",
            f"nobody is an admin among {len(users):,} accounts{more}",
            'auth.set_custom_user_claims("<uid>", {"role": "admin"}): docs/deploy.md, Roles',
        )


def _role(user: Mapping[str, Any]) -> str | None:
    try:
        claims = json.loads(user.get("customAttributes") or "{}")
    except ValueError:
        return None
    return claims.get("role") if isinstance(claims, dict) else None
