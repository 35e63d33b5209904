"""The checks of what is deployed, against a local server that answers as Google does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from rollcall.commands.doctor import deployed
from rollcall.commands.doctor.findings import Finding, guarded
from rollcall.commands.environment import Settings
from tests.support.fake_google import FakeGoogle

FUNCTIONS = "v2/projects/shop/locations/-/functions"
JOBS = "v1/projects/shop/locations/us-central1/jobs"
ACCOUNTS = "v1/projects/shop/accounts:batchGet"
APP_CHECK = "v1/projects/shop/services/firestore.googleapis.com"
SETTINGS = Settings({"THREADS": "24"}, (), "functions/.env.shop")


@pytest.fixture
def google() -> Iterator[FakeGoogle]:
    with FakeGoogle() as fake:
        yield fake


def function(name: str, *, region: str = "us-central1", **changes: Any) -> dict[str, Any]:
    service = {
        "service": f"projects/shop/locations/{region}/services/{name.replace('_', '-')}",
        "maxInstanceRequestConcurrency": 24,
        "environmentVariables": {"THREADS": "24", "GCLOUD_PROJECT": "shop"},
        "availableMemory": "512Mi",
    }
    return {
        "name": f"projects/shop/locations/{region}/functions/{name}",
        "state": "ACTIVE",
        "environment": "GEN_2",
        "serviceConfig": {**service, **changes.pop("service", {})},
        **changes,
    }


def looked_at(google: FakeGoogle, *items: dict[str, Any]) -> list[Finding]:
    google.answer("cloudfunctions", FUNCTIONS, {"functions": list(items), "unreachable": []})
    found = deployed.read_functions(google.client, "shop")
    return list(deployed.check_functions(found, ["run_agent", "sweep_runs"], SETTINGS))


def test_all_functions_deployed_as_the_files_say_is_well(google: FakeGoogle) -> None:
    (found,) = looked_at(google, function("run_agent"), function("sweep_runs"))
    assert (found.level, found.text) == ("ok", "all 2 are active in us-central1")


def test_functions_that_are_missing_are_named(google: FakeGoogle) -> None:
    (found,) = looked_at(google, function("run_agent"))
    assert (found.level, "sweep_runs" in found.text) == ("warn", True)


def test_nothing_deployed_fails(google: FakeGoogle) -> None:
    assert [each.level for each in looked_at(google)] == ["fail"]


def test_a_function_that_is_not_active_fails(google: FakeGoogle) -> None:
    found = looked_at(google, function("run_agent", state="FAILED"), function("sweep_runs"))
    assert [(each.level, each.text) for each in found] == [
        ("fail", "not active: run_agent (FAILED)")
    ]


def test_the_same_function_in_another_region_is_told(google: FakeGoogle) -> None:
    elsewhere = function("run_agent", region="europe-west1")
    found = looked_at(google, function("run_agent"), function("sweep_runs"), elsewhere)
    assert any(each.level == "warn" and "europe-west1" in each.text for each in found)


def test_concurrency_beyond_the_threads_is_told(google: FakeGoogle) -> None:
    crowded = function("run_agent", service={"maxInstanceRequestConcurrency": 80})
    found = looked_at(google, crowded, function("sweep_runs"))
    (text,) = [each.text for each in found if each.level == "warn"]
    assert "run_agent: 80 requests, THREADS=24" in text


def test_threads_other_than_the_files_are_told(google: FakeGoogle) -> None:
    service = {"maxInstanceRequestConcurrency": 8, "environmentVariables": {"THREADS": "8"}}
    old = function("run_agent", service=service)
    found = looked_at(google, old, function("sweep_runs"))
    assert [each.text for each in found if each.level == "warn"] == [
        "deployed with another THREADS than functions/.env says: run_agent"
    ]


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
    check = partial(deployed.check_jobs, google.client, "shop", region="us-central1")
    (found,) = check(scheduled=["sweep_runs"])
    assert (found.level, found.text.startswith(f"sweep_runs: {words}")) == ("warn", True)


def test_a_function_of_the_clock_without_a_job_is_told(google: FakeGoogle) -> None:
    google.answer("cloudscheduler", JOBS, {"jobs": [job("sweep_runs")]})
    check = partial(deployed.check_jobs, google.client, "shop", region="us-central1")
    names = ["sweep_runs", "sync_registry"]
    (found,) = check(scheduled=names)
    assert found.text == "sync_registry: there is no job of Cloud Scheduler for it"
    assert [each.level for each in check(scheduled=names[:1])] == ["ok"]


def test_secrets_are_looked_for_and_never_read(google: FakeGoogle) -> None:
    path = "v1/projects/shop/secrets"
    google.answer("secretmanager", f"{path}/GEMINI_API_KEY", {"name": "x"})
    names = ("GEMINI_API_KEY", "EXAMPLE_KEY")
    (found,) = deployed.check_secrets(google.client, "shop", names)
    assert (found.level, found.text.split()[0]) == ("warn", "EXAMPLE_KEY")
    assert not [each for each in google.asked if "versions" in each or "access" in each]
    (found,) = deployed.check_secrets(google.client, "shop", names[:1])
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
    found = list(deployed.check_app_check(google.client, "shop", settings))
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
    (found,) = deployed.check_admin(google.client, "shop")
    assert found.level == level
    assert "maxResults=1000" in google.asked[0]


def test_only_the_first_accounts_are_looked_at_and_it_says_so(google: FakeGoogle) -> None:
    answer = {"users": [user("a")], "nextPageToken": "more"}
    google.answer("identitytoolkit", ACCOUNTS, answer)
    (found,) = deployed.check_admin(google.client, "shop")
    assert found.text == "nobody is an admin among 1 accounts of the first 1,000"


def test_what_may_not_be_looked_at_is_a_warning_with_the_role(google: FakeGoogle) -> None:
    google.refuse("identitytoolkit", ACCOUNTS, 403, "The caller does not have permission")
    check = partial(deployed.check_admin, google.client, "shop")
    (found,) = guarded("roles", check)
    assert (found.level, "does not have permission" in found.text) == ("warn", True)
    assert "roles/firebaseauth.viewer" in found.mend


def test_no_answer_at_all_is_a_warning(google: FakeGoogle) -> None:
    google.client._root = lambda service: "http://127.0.0.1:9"
    (found,) = guarded("roles", partial(deployed.check_admin, google.client, "shop"))
    assert (found.level, found.text.startswith("no answer: ")) == ("warn", True)
