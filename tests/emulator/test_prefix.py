"""A deployment whose functions and collections carry a prefix, in a project whose app has
collections of the same names: neither touches the other's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import Call, User
from rollcall.core.options import collection_id
from rollcall.endpoints import knowledge, my_data, schedules, usage
from rollcall.endpoints.rate_message import rate_message
from rollcall.registry.segments import read_records
from rollcall.registry.usage import roll_up
from rollcall.store import paths
from rollcall.store.departed_users import OWNED, begin_erasures
from tests.support.knowledge import base64_text
from tests.support.office import Office, payment
from tests.support.user_data import all_documents, write_thread, write_user

APP = {"done"}
"""The collection that the office's capabilities write, which is the app's."""
DOCUMENT = b"The rent is due on the first of the month.\n" * 40


def plant(db: Client) -> dict[str, dict[str, Any]]:
    """What an app of ours would look like at its worst: collections named as the platform's are,
    whose documents say of themselves what the platform's say."""
    write_thread(db, "app", uid="ann", live_s=-60)
    write_user(db, "ann")
    late = datetime.now(UTC) - timedelta(days=2)
    own = {"uid": "ann", "name": "the app's", "status": "removed", "dueAt": late, "openUntil": late}
    for name in {name for path in paths.COLLECTIONS for name in path.split("/{}/")}:
        db.document(f"{name}/app").set({**own, "at": late, "place": "firestore"}, merge=True)
        db.document(f"posts/p1/{name}/app").set(own)
    return all_documents(db)


@pytest.fixture
def app_documents(db: Client) -> dict[str, dict[str, Any]]:
    """What the app has, written before the deployment under test begins."""
    return plant(db)


@pytest.fixture
def prefix(
    app_documents: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.MonkeyPatch]:
    monkeypatch.setenv("ROLLCALL_PREFIX", "rc")
    yield monkeypatch


@pytest.fixture
def office(prefix: pytest.MonkeyPatch, db: Client) -> Office:
    made = Office(db, prefix)
    made.write_documents()
    return made


def call(function: Any, office: Office, data: Any) -> Any:
    return function(office.platform, Call(User("ann"), data))


def upload(office: Office) -> str:
    """Send a document and have it read."""
    about = {"name": "rent.txt", "contentType": "text/plain", "bytes": len(DOCUMENT)}
    about["sha256"] = hashlib.sha256(DOCUMENT).hexdigest()
    begun = call(knowledge.begin_upload, office, about)
    for part in begun["missing"]:
        data = {"fileId": begun["fileId"], "part": part, "content": base64_text(DOCUMENT)}
        call(knowledge.upload_part, office, data)
    done = call(knowledge.finish_upload, office, {"fileId": begun["fileId"]})
    tasks, office.platform.queue = office.platform.queue, []
    for queue, data in tasks:
        assert queue == "indexdocument"
        knowledge.indexdocument(office.platform, data)
    return str(done["document"]["documentId"])


def use(office: Office) -> str:
    """A run that waits for an approval, is answered and rated, and a document; its thread."""
    waiting = office.ask(payment(), runId="first")
    (interrupt,) = waiting.interrupts
    office.decide(interrupt["id"], approved=True, by="ann")
    office.run_queue()
    looked = office.functions.post("look_up", {"arguments": {"word": "rent"}})
    assert looked.json["result"] == {"title": "About rent"}
    assert sorted(each["tool"] for each in office.done()) == ["look_up", "pay"]
    rated = {"threadId": waiting.thread, "runId": "first~1", "rating": "up"}
    call(rate_message, office, rated)
    upload(office)
    return waiting.thread


def look_after(office: Office) -> None:
    """Everything that runs by the clock, as of much later."""
    office.sweep(after=timedelta(days=30))
    knowledge.sweep_files(office.platform)
    schedules.check_health(office.platform)
    roll_up(office.db, {"pay"}, settled=timedelta(0))
    begin_erasures(office.platform, find_gone=lambda uids: [])


def collections_of(found: dict[str, Any]) -> set[str]:
    return {name for path in found for name in path.split("/")[::2]}


def exported(office: Office) -> list[dict[str, Any]]:
    page = call(my_data.export_my_data, office, None)
    assert page["cursor"] is None
    return list(page["items"])


def test_all_that_a_deployment_writes_is_under_its_prefix(
    office: Office, app_documents: dict[str, Any]
) -> None:
    use(office)
    look_after(office)
    new = {
        path: data for path, data in all_documents(office.db).items() if path not in app_documents
    }
    roots = {path.partition("/")[0] for path in new}
    assert {"rc_threads", "rc_approvals", "rc_files", "rc_documents", "rc_ratings"} <= roots
    assert {name for name in collections_of(new) if not name.startswith("rc_")} == APP
    day = office.db.document(f"rc_registry/usage-{datetime.now(UTC).date()}")
    assert read_records(day.get())


def test_what_the_app_has_is_neither_changed_nor_told(
    office: Office, app_documents: dict[str, Any]
) -> None:
    use(office)
    look_after(office)
    items = exported(office)
    assert {"threads", "messages", "runs", "approvals", "effects"} <= {
        each["kind"] for each in items
    }
    assert "app" not in {each["id"] for each in items}
    assert "hello" not in str(items)
    assert call(usage.my_usage, office, None)["today"]["tokens"] < 1_000_000
    after = all_documents(office.db)
    assert {path: after.get(path) for path in app_documents} == app_documents


def test_an_erasure_leaves_the_apps_own_and_nothing_of_the_user_under_the_prefix(
    office: Office, app_documents: dict[str, Any]
) -> None:
    thread = use(office)
    receipt = call(my_data.delete_thread, office, {"threadId": thread})
    kinds = {"approvals", "effects", "events", "messages", "ratings", "runs", "threads", "views"}
    assert receipt["removed"].keys() == kinds
    assert call(my_data.delete_my_data, office, {"confirm": True})["status"] == "done"
    after = all_documents(office.db)
    assert {path: after.get(path) for path in app_documents} == app_documents
    assert not [path for path in after if path.startswith(("rc_threads", "rc_ratings", "rc_files"))]


def test_a_run_id_that_the_app_has_in_a_group_of_its_own_is_free(office: Office) -> None:
    assert office.ask(runId="r1").done["outcome"]["type"] == "success"


def test_users_of_the_apps_own_collections_are_no_users_of_the_platform(office: Office) -> None:
    for name in OWNED:
        office.db.document(f"{name}/zoe").set({"uid": "zoe"})
    looked_at: list[str] = []
    begin_erasures(office.platform, find_gone=lambda uids: looked_at.extend(uids) or [])  # type: ignore[func-returns-value]
    assert looked_at == []
    assert office.db.document(f"{collection_id('registry')}/departed").get().exists
