"""Checks of a deployed project: Firestore, functions, schedules."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollcall.commands.doctor.findings import (
    MOST_CHARS,
    Finding,
    Google,
    fail,
    firebase,
    name_list,
    ok,
    warn,
)
from rollcall.commands.rules import index_key
from rollcall.core.definition import read_text
from rollcall.core.texts import clipped
from rollcall.emulators.jsonc import read_jsonc
from rollcall.registry.segments import MANIFEST, part

if TYPE_CHECKING:
    from google.cloud.firestore import Client


DEPLOY_FUNCTIONS = firebase("deploy --only functions")
_OVERDUE = timedelta(hours=25)


def check_functions(google: Google, declared: Sequence[str], *, region: str) -> Iterator[Finding]:
    """Check that all declared functions are deployed and active."""
    path = f"v2/projects/{google.project}/locations/{region}/functions"
    found = google.every("cloudfunctions", path, "functions", pageSize="500")
    # projects/<project>/locations/<region>/functions/<name>
    states = {each["name"].split("/")[-1]: each.get("state", "UNKNOWN") for each in found}
    missing = [name for name in declared if name not in states]
    if missing:
        yield Finding(
            "fail" if len(missing) == len(declared) else "warn",
            f"{len(missing)} of {len(declared)} are not deployed in {region}: {name_list(missing)}",
            DEPLOY_FUNCTIONS,
        )
    bad = [f"{name} ({state})" for name, state in states.items() if state != "ACTIVE"]
    if bad:
        yield fail(f"not active: {name_list(bad)}", DEPLOY_FUNCTIONS)
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
        yield fail(f"no answer: {clipped(str(error), MOST_CHARS)}")
    else:
        yield ok(f"answers in {(time.perf_counter() - began) * 1_000:.0f} ms")


def check_indexes(google: Google, file: Path) -> Iterator[Finding]:
    """Check that every index of the file exists and is built.

    Raises:
        Problem: The file cannot be read.
    """
    committed = read_jsonc(file)
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


def check_rules(google: Google, file: Path) -> Iterator[Finding]:
    """Check that the deployed rules are those of the file.

    Raises:
        Problem: The file cannot be read.
    """
    committed = read_text(file)
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
