"""The checks of Firestore's set-up, against a local server that answers as Google does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dev.paths import ROOT
from rollcall.commands.doctor import firestore
from rollcall.commands.doctor.findings import Finding
from tests.support.fake_google import FakeGoogle

DATABASE = "v1/projects/shop/databases/(default)"
GROUPS = f"{DATABASE}/collectionGroups/-"
COMMITTED, RULES = firestore.read_committed(ROOT)


@pytest.fixture
def google() -> Iterator[FakeGoogle]:
    with FakeGoogle() as fake:
        yield fake


def levels(findings: list[Finding]) -> list[str]:
    return [each.level for each in findings]


def stored(index: dict[str, Any], number: int, state: str = "READY") -> dict[str, Any]:
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


def all_stored(state: str = "READY") -> list[dict[str, Any]]:
    return [stored(each, number, state) for number, each in enumerate(COMMITTED["indexes"])]


def fields_stored(state: str = "READY") -> list[dict[str, Any]]:
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
    of_fields = [index for field in COMMITTED["fieldOverrides"] for index in field["indexes"]]
    assert of_fields
    return len(COMMITTED["indexes"]) + len(of_fields)


def test_native_mode_with_protection_is_well(google: FakeGoogle) -> None:
    answer = {
        "name": "projects/shop/databases/(default)",
        "locationId": "eur3",
        "type": "FIRESTORE_NATIVE",
        "deleteProtectionState": "DELETE_PROTECTION_ENABLED",
    }
    google.answer("firestore", DATABASE, answer)
    found = list(firestore.check_mode(google.client, "shop", region="europe-west1"))
    assert found == [
        Finding("ok", "firestore", "native mode in eur3; functions run in europe-west1")
    ]


def test_datastore_mode_fails(google: FakeGoogle) -> None:
    google.answer("firestore", DATABASE, {"type": "DATASTORE_MODE", "locationId": "nam5"})
    assert levels(list(firestore.check_mode(google.client, "shop", region="x"))) == ["fail"]


def test_every_committed_index_is_recognised_as_the_service_lists_it(google: FakeGoogle) -> None:
    half = len(all_stored()) // 2
    first, second = all_stored()[:half], all_stored()[half:]
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": first, "nextPageToken": "more"})
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": second}, token="more")
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields_stored()})
    (found,) = firestore.check_indexes(google.client, "shop", COMMITTED)
    assert (found.level, found.text) == ("ok", f"all {count_indexes()} are ready")
    assert "filter=indexConfig.usesAncestorConfig:false" in google.asked[-1]


def test_an_index_that_is_missing_is_named_with_the_command(google: FakeGoogle) -> None:
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": all_stored()[1:]})
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields_stored()})
    (found,) = firestore.check_indexes(google.client, "shop", COMMITTED)
    assert found.level == "fail"
    assert "1 of" in found.text
    assert "threads (uid, updatedAt)" in found.text
    assert found.about("shop").mend.endswith("deploy --only firestore --project shop")


@pytest.mark.parametrize(("state", "level"), [("CREATING", "warn"), ("NEEDS_REPAIR", "fail")])
def test_an_index_that_is_not_ready_is_told(google: FakeGoogle, state: str, level: str) -> None:
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": all_stored(state)})
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields_stored(state)})
    assert levels(list(firestore.check_indexes(google.client, "shop", COMMITTED))) == [level]


@pytest.mark.parametrize(
    ("fields", "level", "text"),
    [
        ([], "fail", "1 of {} indexes are missing: runs (key)"),
        (fields_stored("CREATING"), "warn", "1 of {} indexes are being built"),
    ],
)
def test_the_index_of_a_single_field_is_looked_for(
    google: FakeGoogle, fields: list[dict[str, Any]], level: str, text: str
) -> None:
    google.answer("firestore", f"{GROUPS}/indexes", {"indexes": all_stored()})
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields})
    (found,) = firestore.check_indexes(google.client, "shop", COMMITTED)
    assert found.level == level
    assert found.text.startswith(text.format(count_indexes()))


def ttl(collection: str, state: str) -> dict[str, Any]:
    group = f"projects/shop/databases/(default)/collectionGroups/{collection}"
    return {"name": f"{group}/fields/expiresAt", "ttlConfig": {"state": state}, "indexConfig": {}}


def ttl_collections() -> list[str]:
    return [each["collectionGroup"] for each in COMMITTED["fieldOverrides"] if each.get("ttl")]


def test_ttl_policies_are_looked_for_by_collection(google: FakeGoogle) -> None:
    collections = ttl_collections()
    fields = [ttl(each, "ACTIVE") for each in collections]
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields})
    (found,) = firestore.check_expiry(google.client, "shop", COMMITTED)
    assert (found.level, found.text) == ("ok", f"all {len(collections)} policies are active")
    assert "filter=ttlConfig:*" in google.asked[0]


def test_a_policy_that_is_missing_or_not_active_is_told(google: FakeGoogle) -> None:
    first, _, *others = ttl_collections()
    fields = [ttl(first, "CREATING"), *(ttl(each, "ACTIVE") for each in others)]
    google.answer("firestore", f"{GROUPS}/fields", {"fields": fields})
    found = list(firestore.check_expiry(google.client, "shop", COMMITTED))
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
    assert levels(list(firestore.check_rules(google.client, "shop", RULES))) == [level]


def test_rules_that_were_never_deployed_fail(google: FakeGoogle) -> None:
    (found,) = firestore.check_rules(google.client, "shop", RULES)
    assert (found.level, found.text) == ("fail", "none were ever deployed")
