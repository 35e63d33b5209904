"""Checks of a deployed project: Firestore, functions, schedules, secrets, users."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollcall.commands.doctor.configuration import Settings
from rollcall.commands.doctor.findings import (
    MAX_CHARS,
    Finding,
    Google,
    fail,
    firebase,
    name_list,
    ok,
    warn,
)
from rollcall.commands.output import quantity
from rollcall.commands.rules import index_key
from rollcall.core.definition import shown_path
from rollcall.core.shapes import Role
from rollcall.core.texts import clipped
from rollcall.registry.segments import MANIFEST, part

if TYPE_CHECKING:
    from google.cloud.firestore import Client


MAX_USERS = 1_000
"""How many accounts are looked at for an admin."""
DEPLOY_FUNCTIONS = firebase("deploy --only functions")
_OVERDUE = timedelta(hours=25)


def check_functions(google: Google, declared: Sequence[str], *, region: str) -> Iterator[Finding]:
    """Check that all declared functions are deployed and active, in this region alone."""
    path = f"v2/projects/{google.project}/locations/-/functions"
    # By region and name: projects/<project>/locations/<region>/functions/<name>
    states = {
        tuple(item["name"].split("/")[3::2]): item.get("state", "UNKNOWN")
        for item in google.every("cloudfunctions", path, "functions", pageSize="500")
    }
    missing = [name for name in declared if (region, name) not in states]
    if missing:
        yield Finding(
            "fail" if len(missing) == len(declared) else "warn",
            f"{len(missing)} of {len(declared)} are not deployed in {region}: {name_list(missing)}",
            DEPLOY_FUNCTIONS,
        )
    bad = [
        f"{name} ({state})"
        for (place, name), state in states.items()
        if place == region and state != "ACTIVE"
    ]
    if bad:
        yield fail(f"not active: {name_list(bad)}", DEPLOY_FUNCTIONS)
    elsewhere = sorted({place for place, name in states if name in declared} - {region})
    if elsewhere:
        yield warn(
            f"some of these names run in {name_list(elsewhere)} too, which costs and answers old "
            "code",
            firebase("functions:delete <name> --region <region>"),
        )
    if not missing and not bad:
        yield ok(f"all {len(declared)} are active in {region}")


def check_jobs(google: Google, *, region: str, scheduled: Sequence[str]) -> Iterator[Finding]:
    """Check that scheduled jobs exist, and how they ran last."""
    path = f"v1/projects/{google.project}/locations/{region}/jobs"
    jobs = {
        each["name"].split("/")[-1]: each for each in google.every("cloudscheduler", path, "jobs")
    }
    all_well = True
    for name in scheduled:
        problem = job_problem(jobs.get(f"firebase-schedule-{name}-{region}"), overdue=_OVERDUE)
        if problem:
            all_well = False
            mend = firebase(f"functions:log --only {name}")
            yield warn(f"{name}: {problem}", mend)
    if all_well:
        yield ok(f"all {len(scheduled)} ran, without an error")


def job_problem(job: Mapping[str, Any] | None, *, overdue: timedelta) -> str | None:
    """Return why a job of Cloud Scheduler does not do its work; None where it does."""
    if job is None:
        return "there is no job of Cloud Scheduler for it"
    if job.get("state") != "ENABLED":
        return f"its job is {job.get('state')}"
    if code := job.get("status", {}).get("code"):
        return f"its last run failed with code {code}"
    if not (last := job.get("lastAttemptTime")):
        return "it never ran"
    at = datetime.fromisoformat(last)
    return f"it last ran {at:%Y-%m-%d %H:%M} UTC" if datetime.now(UTC) - at > overdue else None


def check_secrets(google: Google, names: Sequence[str]) -> Iterator[Finding]:
    """Check that the bound secrets exist, without reading them."""
    if not names:
        yield ok("functions are bound to none")
        return
    secrets = f"v1/projects/{google.project}/secrets"
    missing = [name for name in names if google.find("secretmanager", f"{secrets}/{name}") is None]
    for name in missing:
        yield warn(
            f"{name} is not in Secret Manager; a deploy fails without it",
            firebase(f"functions:secrets:set {name}"),
        )
    if not missing:
        yield ok(f"in Secret Manager: {name_list(names)}")


def check_app_check(google: Google, settings: Settings) -> Iterator[Finding]:
    """Check whether App Check is enforced, for functions and for Firestore."""
    if settings.env.get("ENFORCE_APP_CHECK") == "true":
        yield ok("functions refuse calls without a valid token")
    else:
        yield warn(
            "functions answer calls from anywhere, if the user is signed in",
            f"register your apps, then ENFORCE_APP_CHECK=true in {settings.file}, and deploy",
        )
    found = google.get(
        "firebaseappcheck", f"v1/projects/{google.project}/services/firestore.googleapis.com"
    )
    mode = found.get("enforcementMode", "OFF")
    if mode == "ENFORCED":
        yield ok("Firestore refuses clients without a valid token")
    else:
        yield warn(
            f"Firestore takes clients without a token ({mode})",
            "Firebase console, App Check, APIs, Cloud Firestore: Enforce",
        )


def check_admin(google: Google) -> Iterator[Finding]:
    """Check that one of the first accounts is an admin."""
    path = f"v1/projects/{google.project}/accounts:batchGet"
    found = google.get("identitytoolkit", path, maxResults=str(MAX_USERS))
    users = found.get("users", [])
    admins = 0
    for user in users:
        try:
            claims = json.loads(user.get("customAttributes") or "{}")
        except ValueError:
            continue
        admins += isinstance(claims, dict) and claims.get("role") == Role.ADMIN
    accounts = quantity(len(users), "account", "accounts")
    if found.get("nextPageToken"):
        accounts = f"the first {accounts}"
    if admins:
        yield ok(f"{quantity(admins, 'admin', 'admins')} among {accounts}")
    else:
        yield warn(
            f"nobody is an admin among {accounts}",
            'auth.set_custom_user_claims("<uid>", {"role": "admin"}): docs/deploy.md, Roles',
        )


DEPLOY_FIRESTORE = firebase("deploy --only firestore")
_REACH_S = 10


def check_reachable(db: Client) -> Iterator[Finding]:
    """Check that one document can be read, in one try."""
    from google.api_core.exceptions import GoogleAPIError, NotFound, PermissionDenied

    began = time.perf_counter()
    try:
        part(db, MANIFEST).get(retry=None, timeout=_REACH_S)
    except PermissionDenied:
        yield fail(
            "these credentials may not read it",
            "give your account the role Cloud Datastore User (roles/datastore.user)",
        )
    except NotFound:
        yield fail(
            "there is no database (default)",
            "gcloud firestore databases create --project={project} --location=nam5",
        )
    except GoogleAPIError as error:
        yield fail(f"no answer: {clipped(str(error), MAX_CHARS)}")
    else:
        yield ok(f"answers in {(time.perf_counter() - began) * 1_000:.0f} ms")


def check_mode(google: Google, *, region: str) -> Iterator[Finding]:
    """Check that the database is in native mode, and report its location."""
    found = google.get("firestore", f"v1/projects/{google.project}/databases/(default)")
    if found.get("type") != "FIRESTORE_NATIVE":
        yield fail(
            f"the database is of the type {found.get('type')}; queries need native mode",
            "make a database (default) in native mode, in a project of its own",
        )
        return
    place = found.get("locationId", "?")
    yield ok(f"native mode in {place}; functions run in {region}")
    if found.get("deleteProtectionState") != "DELETE_PROTECTION_ENABLED":
        yield warn(
            "the database can be deleted by one command",
            "gcloud firestore databases update --project={project} --delete-protection",
        )


def check_against(file: Path, check: Callable[[Path], Iterable[Finding]]) -> Iterator[Finding]:
    """Run a check that compares with a file of this checkout; fail where there is none."""
    if file.is_file():
        yield from check(file)
    else:
        yield fail(
            f"there is no {shown_path(file)} here to compare with", "python -m rollcall init"
        )


def check_indexes(google: Google, committed: Mapping[str, Any]) -> Iterator[Finding]:
    """Check that every index of firestore.indexes.json exists and is built."""
    of_fields = [
        {**field, **index, "fields": [{**index, "fieldPath": field["fieldPath"]}]}
        for field in committed.get("fieldOverrides", ())
        for index in field["indexes"]
    ]
    wanted = {
        index_key("indexes", each): each for each in [*committed.get("indexes", ()), *of_fields]
    }
    groups = f"v1/projects/{google.project}/databases/(default)/collectionGroups/-"
    found = list(google.every("firestore", f"{groups}/indexes", "indexes"))
    own = "indexConfig.usesAncestorConfig:false"
    for field in google.every("firestore", f"{groups}/fields", "fields", filter=own):
        found += [
            {**each, "name": field["name"]} for each in field["indexConfig"].get("indexes", ())
        ]
    states = {}
    for each in found:
        # projects/…/collectionGroups/<collection>/indexes/<id>, or …/fields/<path> of a field's own
        collection = each["name"].split("/")[-3]
        states[index_key("indexes", {**each, "collectionGroup": collection})] = each["state"]
    missing = wanted.keys() - states.keys()
    building = {key for key in wanted if states.get(key) == "CREATING"}
    broken = {key for key in wanted if states.get(key) == "NEEDS_REPAIR"}
    for level, these, what, mend in (
        (fail, missing, "are missing", DEPLOY_FIRESTORE),
        (warn, building, "are being built; queries that need them fail until then", ""),
        (fail, broken, "need repair", "delete them in the console, then deploy again"),
    ):
        if these:
            names = name_list(
                (_index_in_short(each) for key, each in wanted.items() if key in these), most=3
            )
            yield level(f"{len(these)} of {len(wanted)} indexes {what}: {names}", mend)
    if not (missing or building or broken):
        yield ok(f"all {len(wanted)} are ready")


def _index_in_short(index: Mapping[str, Any]) -> str:
    """Its collection and fields, without the document's name, which Firestore adds by itself."""
    paths = [each["fieldPath"] for each in index["fields"] if each["fieldPath"] != "__name__"]
    return f"{index['collectionGroup']} ({', '.join(paths)})"


def check_expiry(google: Google, committed: Mapping[str, Any]) -> Iterator[Finding]:
    """Check that every TTL policy of firestore.indexes.json is active."""
    wanted = [
        (each["collectionGroup"], each["fieldPath"])
        for each in committed.get("fieldOverrides", ())
        if each.get("ttl")
    ]
    path = f"v1/projects/{google.project}/databases/(default)/collectionGroups/-/fields"
    found = google.every("firestore", path, "fields", filter="ttlConfig:*")
    # projects/…/collectionGroups/<collection>/fields/<path>
    states = {
        (each["name"].split("/")[-3], each["name"].split("/")[-1]): each["ttlConfig"]["state"]
        for each in found
        if "ttlConfig" in each
    }
    for collection, field in wanted:
        state = states.get((collection, field))
        if state is None:
            text = f"{collection}.{field} has none: these documents are kept for ever"
            yield fail(text, DEPLOY_FIRESTORE)
        elif state != "ACTIVE":
            yield warn(f"the policy on {collection}.{field} is {state}")
    if all(states.get(each) == "ACTIVE" for each in wanted):
        yield ok(f"all {len(wanted)} policies are active")


def check_rules(google: Google, committed: str) -> Iterator[Finding]:
    """Check that the deployed rules are those of this checkout."""
    mend = firebase("deploy --only firestore:rules")
    release = google.find("firebaserules", f"v1/projects/{google.project}/releases/cloud.firestore")
    if release is None:
        yield fail("none were ever deployed", mend)
        return
    ruleset = google.get("firebaserules", f"v1/{release['rulesetName']}")
    deployed = "\n".join(each["content"] for each in ruleset["source"]["files"])
    if deployed.strip() == committed.strip():
        yield ok(f"those of this checkout, since {release['updateTime'][:10]}")
    else:
        yield fail("other ones are in force than in firestore.rules", mend)
