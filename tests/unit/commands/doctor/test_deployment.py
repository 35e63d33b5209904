"""The checks of a project by Google's interfaces: Firestore, functions, schedules, secrets,
users."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from dev.paths import ROOT
from rollcall.commands.doctor import deployment
from rollcall.commands.doctor.configuration import Settings
from rollcall.commands.doctor.findings import Finding, guard
from rollcall.emulators.jsonc import read_jsonc
from tests.support.fake_google import FakeGoogle

FUNCTIONS = "v2/projects/shop/locations/-/functions"
JOBS = "v1/projects/shop/locations/us-central1/jobs"
ACCOUNTS = "v1/projects/shop/accounts:batchGet"
APP_CHECK = "v1/projects/shop/services/firestore.googleapis.com"


@pytest.fixture
def google() -> Iterator[FakeGoogle]:
    with FakeGoogle() as fake:
        yield fake


def function(name: str, *, region: str = "us-central1", **changes: Any) -> dict[str, Any]:
    return {
        "name": f"projects/shop/locations/{region}/functions/{name}",
        "state": "ACTIVE",
        "environment": "GEN_2",
        **changes,
    }


def function_findings(google: FakeGoogle, *items: dict[str, Any]) -> list[Finding]:
    google.answer("cloudfunctions", FUNCTIONS, {"functions": list(items), "unreachable": []})
    declared = ["run_agent", "sweep_runs"]
    return list(deployment.check_functions(google.client, declared, region="us-central1"))


def test_all_functions_deployed_is_well(google: FakeGoogle) -> None:
    (found,) = function_findings(google, function("run_agent"), function("sweep_runs"))
    assert (found.level, found.text) == ("ok", "all 2 are active in us-central1")


def test_functions_that_are_missing_are_named(google: FakeGoogle) -> None:
    (found,) = function_findings(google, function("run_agent"))
    assert (found.level, "sweep_runs" in found.text) == ("warn", True)


def test_nothing_deployed_fails(google: FakeGoogle) -> None:
    assert [each.level for each in function_findings(google)] == ["fail"]


def test_a_function_that_is_not_active_fails(google: FakeGoogle) -> None:
    found = function_findings(google, function("run_agent", state="FAILED"), function("sweep_runs"))
    assert [(each.level, each.text) for each in found] == [
        ("fail", "not active: run_agent (FAILED)")
    ]


def test_the_same_function_in_another_region_is_told(google: FakeGoogle) -> None:
    elsewhere = function("run_agent", region="europe-west1")
    found = function_findings(google, function("run_agent"), function("sweep_runs"), elsewhere)
    assert any(each.level == "warn" and "europe-west1" in each.text for each in found)


def job(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": f"projects/shop/locations/us-central1/jobs/firebase-schedule-{name}-us-central1",
        "state": "ENABLED",
        "schedule": "every 1 minutes",
        "lastAttemptTime": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "status": {},
        **changes,
    }


LONG_AGO = (datetime.now(UTC) - timedelta(days=3)).isoformat()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": "PAUSED"}, "its job is PAUSED"),
        ({"status": {"code": 13}}, "its last run failed with code 13"),
        ({"lastAttemptTime": ""}, "it never ran"),
        ({"lastAttemptTime": LONG_AGO}, "it last ran "),
    ],
)
def test_a_job_that_does_not_run_is_told(
    google: FakeGoogle, changes: dict[str, Any], words: str
) -> None:
    google.answer("cloudscheduler", JOBS, {"jobs": [job("sweep_runs", **changes)]})
    check = partial(deployment.check_jobs, google.client, region="us-central1")
    (found,) = check(scheduled=["sweep_runs"])
    assert (found.level, found.text.startswith(f"sweep_runs: {words}")) == ("warn", True)


def test_a_function_of_the_clock_without_a_job_is_told(google: FakeGoogle) -> None:
    google.answer("cloudscheduler", JOBS, {"jobs": [job("sweep_runs")]})
    check = partial(deployment.check_jobs, google.client, region="us-central1")
    names = ["sweep_runs", "sync_registry"]
    (found,) = check(scheduled=names)
    assert found.text == "sync_registry: there is no job of Cloud Scheduler for it"
    assert [each.level for each in check(scheduled=names[:1])] == ["ok"]


def test_secrets_are_looked_for_and_never_read(google: FakeGoogle) -> None:
    path = "v1/projects/shop/secrets"
    google.answer("secretmanager", f"{path}/GEMINI_API_KEY", {"name": "x"})
    names = ("GEMINI_API_KEY", "EXAMPLE_KEY")
    (found,) = deployment.check_secrets(google.client, names)
    assert (found.level, found.text.split()[0]) == ("warn", "EXAMPLE_KEY")
    assert not [each for each in google.asked if "versions" in each or "access" in each]
    (found,) = deployment.check_secrets(google.client, names[:1])
    assert found.level == "ok"


@pytest.mark.parametrize(
    ("env", "mode", "levels"),
    [
        ({"ENFORCE_APP_CHECK": "true"}, "ENFORCED", ["ok", "ok"]),
        ({}, "UNENFORCED", ["warn", "warn"]),
    ],
)
def test_app_check_is_told_of_functions_and_of_firestore(
    google: FakeGoogle, env: dict[str, str], mode: str, levels: list[str]
) -> None:
    google.answer("firebaseappcheck", APP_CHECK, {"name": "x", "enforcementMode": mode})
    settings = Settings(env, (), "functions/.env.shop")
    found = list(deployment.check_app_check(google.client, settings))
    assert [each.level for each in found] == levels


def user(uid: str, **claims: str) -> dict[str, str]:
    return {"localId": uid, "customAttributes": json.dumps(claims)} if claims else {"localId": uid}


@pytest.mark.parametrize(
    ("users", "level"),
    [
        ([user("a"), user("b", role="admin")], "ok"),
        ([user("a", role="Admin")], "warn"),
        ([], "warn"),
    ],
)
def test_somebody_should_be_an_admin(
    google: FakeGoogle, users: list[dict[str, str]], level: str
) -> None:
    google.answer("identitytoolkit", ACCOUNTS, {"users": users})
    (found,) = deployment.check_admin(google.client)
    assert found.level == level
    assert "maxResults=1000" in google.asked[0]


def test_only_the_first_accounts_are_looked_at_and_it_says_so(google: FakeGoogle) -> None:
    answer = {"users": [user("a"), user("b")], "nextPageToken": "more"}
    google.answer("identitytoolkit", ACCOUNTS, answer)
    (found,) = deployment.check_admin(google.client)
    assert found.text == "nobody is an admin among the first 2 accounts"
    google.answer("identitytoolkit", ACCOUNTS, {"users": [user("a", role="admin")]})
    (found,) = deployment.check_admin(google.client)
    assert found.text == "1 admin among 1 account"


def test_what_may_not_be_looked_at_is_a_warning_with_the_role(google: FakeGoogle) -> None:
    google.refuse("identitytoolkit", ACCOUNTS, 403, "The caller does not have permission")
    (found,) = guard("roles", deployment.check_admin(google.client))
    assert (found.level, "does not have permission" in found.text) == ("warn", True)
    assert "roles/firebaseauth.viewer" in found.mend


def test_no_answer_at_all_is_a_warning(google: FakeGoogle) -> None:
    away = replace(google.client, root="http://127.0.0.1:9")
    (found,) = guard("roles", deployment.check_admin(away))
    assert (found.level, found.topic) == ("warn", "roles")
    assert found.text.startswith("no answer: ")


DATABASE = "v1/projects/shop/databases/(default)"
GROUPS = f"{DATABASE}/collectionGroups/-"
COMMITTED = read_jsonc(ROOT / "firestore.indexes.json")
RULES = (ROOT / "firestore.rules").read_text(encoding="utf-8")


def levels(findings: list[Finding]) -> list[str]:
    return [each.level for each in findings]


def service_index(index: dict[str, Any], number: int, state: str = "READY") -> dict[str, Any]:
    """A committed index as the service lists it: with a name, a state, and its last field."""
    group = f"projects/shop/databases/(default)/collectionGroups/{index['collectionGroup']}"
    last = {"fieldPath": "__name__", "order": "ASCENDING"}
    return {
        "name": f"{group}/indexes/C{number:011d}",
        "queryScope": index["queryScope"],
        "fields": [*index["fields"], last],
        "state": state,
        "density": "SPARSE_ALL",
    }


def service_indexes(state: str = "READY") -> list[dict[str, Any]]:
    return [service_index(each, number, state) for number, each in enumerate(COMMITTED["indexes"])]


def service_fields(state: str = "READY") -> list[dict[str, Any]]:
    """The committed indexes of single fields, as the service lists them: with each field."""
    groups = "projects/shop/databases/(default)/collectionGroups"
    return [
        {
            "name": f"{groups}/{field['collectionGroup']}/fields/{field['fieldPath']}",
            "indexConfig": {
                "indexes": [
                    {
                        "queryScope": index["queryScope"],
                        "fields": [{"fieldPath": field["fieldPath"], "order": index["order"]}],
                        "state": state,
                    }
                    for index in field["indexes"]
                ]
            }
            if field["indexes"]
            else {},
        }
        for field in COMMITTED["fieldOverrides"]
    ]


def count_indexes() -> int:
    return len(COMMITTED["indexes"]) + count_of_fields()


def count_of_fields() -> int:
    found = sum(len(field["indexes"]) for field in COMMITTED["fieldOverrides"])
    assert found
    return found


def test_native_mode_with_protection_is_well(google: FakeGoogle) -> None:
    answer = {
        "name": "projects/shop/databases/(default)",
        "locationId": "eur3",
        "type": "FIRESTORE_NATIVE",
        "deleteProtectionState": "DELETE_PROTECTION_ENABLED",
    }
    google.answer("firestore", DATABASE, answer)
    found = list(deployment.check_mode(google.client, region="europe-west1"))
    assert found == [Finding("ok", "native mode in eur3; functions run in europe-west1")]


def test_datastore_mode_fails(google: FakeGoogle) -> None:
    google.answer("firestore", DATABASE, {"type": "DATASTORE_MODE", "locationId": "nam5"})
    assert levels(list(deployment.check_mode(google.client, region="x"))) == ["fail"]


def test_every_committed_index_is_recognised_as_the_service_lists_it(google: FakeGoogle) -> None:
    half = len(service_indexes()) // 2
    first, second = service_indexes()[:half], service_indexes()[half:]
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": first, "nextPageToken": "more"})
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": second}, token="more")
    google.answer("firestore", f"{GROUPS}/fields", {"fields": service_fields()})
    (found,) = deployment.check_indexes(google.client, COMMITTED)
    assert (found.level, found.text) == ("ok", f"all {count_indexes()} are ready")
    assert "filter=indexConfig.usesAncestorConfig:false" in google.asked[-1]


def test_an_index_that_is_missing_is_named_with_the_command(google: FakeGoogle) -> None:
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": service_indexes()[1:]})
    google.answer("firestore", f"{GROUPS}/fields", {"fields": service_fields()})
    (found,) = deployment.check_indexes(google.client, COMMITTED)
    assert found.level == "fail"
    assert "1 of" in found.text
    assert "threads (uid, updatedAt)" in found.text
    assert found.about("shop").mend.endswith("deploy --only firestore --project shop")


@pytest.mark.parametrize(("state", "level"), [("CREATING", "warn"), ("NEEDS_REPAIR", "fail")])
def test_an_index_that_is_not_ready_is_told(google: FakeGoogle, state: str, level: str) -> None:
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": service_indexes(state)})
    google.answer("firestore", f"{GROUPS}/fields", {"fields": service_fields(state)})
    assert levels(list(deployment.check_indexes(google.client, COMMITTED))) == [level]


@pytest.mark.parametrize(
    ("fields", "level", "text"),
    [
        ([], "fail", "{} of {} indexes are missing: runs (key)"),
        (service_fields("CREATING"), "warn", "{} of {} indexes are being built"),
    ],
)
def test_the_index_of_a_single_field_is_looked_for(
    google: FakeGoogle, fields: list[dict[str, Any]], level: str, text: str
) -> None:
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": service_indexes()})
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields})
    (found,) = deployment.check_indexes(google.client, COMMITTED)
    assert found.level == level
    assert found.text.startswith(text.format(count_of_fields(), count_indexes()))


def ttl(collection: str, state: str) -> dict[str, Any]:
    group = f"projects/shop/databases/(default)/collectionGroups/{collection}"
    return {"name": f"{group}/fields/expiresAt", "ttlConfig": {"state": state}, "indexConfig": {}}


def ttl_collections() -> list[str]:
    return [each["collectionGroup"] for each in COMMITTED["fieldOverrides"] if each.get("ttl")]


def test_ttl_policies_are_looked_for_by_collection(google: FakeGoogle) -> None:
    collections = ttl_collections()
    fields = [ttl(each, "ACTIVE") for each in collections]
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields})
    (found,) = deployment.check_expiry(google.client, COMMITTED)
    assert (found.level, found.text) == ("ok", f"all {len(collections)} policies are active")
    assert "filter=ttlConfig:*" in google.asked[0]


def test_a_policy_that_is_missing_or_not_active_is_told(google: FakeGoogle) -> None:
    first, _, *others = ttl_collections()
    fields = [ttl(first, "CREATING"), *(ttl(each, "ACTIVE") for each in others)]
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields})
    found = list(deployment.check_expiry(google.client, COMMITTED))
    assert sorted(levels(found)) == ["fail", "warn"]


@pytest.mark.parametrize(
    ("content", "level"), [(RULES, "ok"), (RULES + "\n", "ok"), ("rules_version = '2';", "fail")]
)
def test_rules_in_force_are_compared_with_this_checkouts(
    google: FakeGoogle, content: str, level: str
) -> None:
    ruleset = "projects/shop/rulesets/0a1b2c3d-0000-4000-8000-000000000000"
    release = {
        "name": "projects/shop/releases/cloud.firestore",
        "rulesetName": ruleset,
        "createTime": "2026-11-01T10:00:00.000000Z",
        "updateTime": "2026-11-20T10:00:00.000000Z",
    }
    file = {"name": "firestore.rules", "content": content, "fingerprint": "abc="}
    google.answer("firebaserules", "v1/projects/shop/releases/cloud.firestore", release)
    google.answer("firebaserules", f"v1/{ruleset}", {"source": {"files": [file]}})
    assert levels(list(deployment.check_rules(google.client, RULES))) == [level]


def test_rules_that_were_never_deployed_fail(google: FakeGoogle) -> None:
    (found,) = deployment.check_rules(google.client, RULES)
    assert (found.level, found.text) == ("fail", "none were ever deployed")
