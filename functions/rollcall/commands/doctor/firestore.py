"""Checks of Firestore as it is set up: mode, indexes, TTL policies and rules."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollcall.commands.doctor.findings import Finding, Google, Refused, firebase, listed
from rollcall.registry.segments import MANIFEST, part

if TYPE_CHECKING:
    from google.cloud.firestore import Client

DEPLOY = firebase("deploy --only firestore")
_REACH_S = 10
_ID = "__name__"

_Index = tuple[str, str, tuple[tuple[str, str], ...]]
"""Collection, scope, and its fields with what they are indexed for."""


def check_reachable(db: Client) -> Iterator[Finding]:
    """Whether one document can be read, in one try."""
    from google.api_core.exceptions import GoogleAPIError, NotFound, PermissionDenied

    began = time.perf_counter()
    try:
        part(db, MANIFEST).get(retry=None, timeout=_REACH_S)
    except PermissionDenied:
        yield Finding(
            "fail",
            "firestore",
            "these credentials may not read it",
            "give your account the role Cloud Datastore User (roles/datastore.user)",
        )
    except NotFound:
        yield Finding(
            "fail",
            "firestore",
            "there is no database (default)",
            "gcloud firestore databases create --project={project} --location=nam5",
        )
    except GoogleAPIError as error:
        yield Finding("fail", "firestore", f"no answer: {' '.join(str(error).split())[:300]}")
    else:
        yield Finding("ok", "firestore", f"answers in {_ms(began)} ms")


def _ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1_000)


def check_mode(google: Google, project: str, *, region: str) -> Iterator[Finding]:
    """Whether the database is in native mode, and where it lies."""
    found = google.get("firestore", f"v1/projects/{project}/databases/(default)")
    if found.get("type") != "FIRESTORE_NATIVE":
        yield Finding(
            "fail",
            "firestore",
            f"the database is of the type {found.get('type')}; queries need native mode",
            "make a database (default) in native mode, in a project of its own",
        )
        return
    place = found.get("locationId", "?")
    yield Finding("ok", "firestore", f"native mode in {place}; functions run in {region}")
    if found.get("deleteProtectionState") != "DELETE_PROTECTION_ENABLED":
        yield Finding(
            "warn",
            "firestore",
            "the database can be deleted by one command",
            "gcloud firestore databases update --project={project} --delete-protection",
        )


def check_indexes(google: Google, project: str, committed: Mapping[str, Any]) -> Iterator[Finding]:
    """Whether every index of firestore.indexes.json is there and built, those of single fields
    among them."""
    wanted = [_wanted(each) for each in committed["indexes"]]
    wanted += [
        (field["collectionGroup"], index["queryScope"], ((field["fieldPath"], _use(index)),))
        for field in committed["fieldOverrides"]
        for index in field["indexes"]
    ]
    groups = f"v1/projects/{project}/databases/(default)/collectionGroups/-"
    found = google.every("firestore", f"{groups}/indexes", "indexes")
    states = {_stored(each): each["state"] for each in found}
    own = "indexConfig.usesAncestorConfig:false"
    for field in google.every("firestore", f"{groups}/fields", "fields", filter=own):
        for index in field["indexConfig"].get("indexes", ()):
            states[_stored({**index, "name": field["name"]})] = index["state"]
    missing = [each for each in wanted if each not in states]
    building = [each for each in wanted if states.get(each, "READY") == "CREATING"]
    broken = [each for each in wanted if states.get(each, "READY") == "NEEDS_REPAIR"]
    for level, these, what, mend in (
        ("fail", missing, "are missing", DEPLOY),
        ("warn", building, "are being built; queries that need them fail until then", ""),
        ("fail", broken, "need repair", "delete them in the console, then deploy again"),
    ):
        if these:
            names = listed((_named(each) for each in these), most=3)
            text = f"{len(these)} of {len(wanted)} indexes {what}: {names}"
            yield Finding("fail" if level == "fail" else "warn", "indexes", text, mend)
    if not (missing or building or broken):
        yield Finding("ok", "indexes", f"all {len(wanted)} are ready")


def _wanted(index: Mapping[str, Any]) -> _Index:
    return index["collectionGroup"], index["queryScope"], _fields(index["fields"])


def _stored(index: Mapping[str, Any]) -> _Index:
    # projects/…/collectionGroups/<collection>/indexes/<id>, or …/fields/<path> of a field's own
    return index["name"].split("/")[-3], index["queryScope"], _fields(index["fields"])


def _fields(fields: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Without the document's name, which Firestore adds by itself."""
    return tuple((each["fieldPath"], _use(each)) for each in fields if each["fieldPath"] != _ID)


def _use(field: Mapping[str, Any]) -> str:
    if "vectorConfig" in field:
        return f"VECTOR {field['vectorConfig']['dimension']}"
    return str(field.get("order") or field.get("arrayConfig"))


def _named(index: _Index) -> str:
    collection, _, fields = index
    return f"{collection} ({', '.join(path for path, _ in fields)})"


def check_expiry(google: Google, project: str, committed: Mapping[str, Any]) -> Iterator[Finding]:
    """Whether every TTL policy of firestore.indexes.json is active."""
    wanted = [
        (each["collectionGroup"], each["fieldPath"])
        for each in committed["fieldOverrides"]
        if each.get("ttl")
    ]
    path = f"v1/projects/{project}/databases/(default)/collectionGroups/-/fields"
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
            yield Finding("fail", "expiry", text, DEPLOY)
        elif state != "ACTIVE":
            yield Finding("warn", "expiry", f"the policy on {collection}.{field} is {state}")
    if all(states.get(each) == "ACTIVE" for each in wanted):
        yield Finding("ok", "expiry", f"all {len(wanted)} policies are active")


def check_rules(google: Google, project: str, committed: str) -> Iterator[Finding]:
    """Whether the rules that are in force are those of this checkout."""
    mend = firebase("deploy --only firestore:rules")
    try:
        release = google.get("firebaserules", f"v1/projects/{project}/releases/cloud.firestore")
    except Refused as refused:
        if refused.status != 404:
            raise
        yield Finding("fail", "rules", "none were ever deployed", mend)
        return
    ruleset = google.get("firebaserules", f"v1/{release['rulesetName']}")
    deployed = "\n".join(each["content"] for each in ruleset["source"]["files"])
    if deployed.strip() == committed.strip():
        yield Finding("ok", "rules", f"those of this checkout, since {release['updateTime'][:10]}")
    else:
        yield Finding("fail", "rules", "other ones are in force than in firestore.rules", mend)


def read_committed(root: Path) -> tuple[dict[str, Any], str]:
    """firestore.indexes.json and firestore.rules of this checkout."""
    indexes = (root / "firestore.indexes.json").read_text(encoding="utf-8")
    return json.loads(indexes), (root / "firestore.rules").read_text(encoding="utf-8")
