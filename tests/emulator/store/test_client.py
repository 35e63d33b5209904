"""Reading a document without Firestore's client library."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import Unavailable
from rollcall.store import client

FUNCTIONS = Path(__file__).parents[3] / "functions"
DATA = {
    "status": "active",
    "overrides": {"tenants": ["a", "b"], "note": None, "deep": {"n": [1, 2.5, True, {}]}},
    "unasked": "x",
}


@pytest.fixture
def own_project(db: Client, monkeypatch: pytest.MonkeyPatch) -> Client:
    """The project that this process works for."""
    monkeypatch.setenv("GCLOUD_PROJECT", db.project)
    return db


def test_it_gives_what_the_client_gives(own_project: Client) -> None:
    own_project.document("capabilities/find room").set(DATA)
    fields = ("status", "overrides", "missing")
    expected = own_project.document("capabilities/find room").get(fields).to_dict()
    assert client.read_over_rest("capabilities/find room", fields) == expected
    assert expected == {"status": "active", "overrides": DATA["overrides"]}


def test_a_document_that_is_not_there_is_none(own_project: Client) -> None:
    assert client.read_over_rest("capabilities/nobody", ("status",)) is None


def test_a_value_of_another_kind_is_left_to_the_client(own_project: Client) -> None:
    own_project.document("capabilities/odd").set({"status": b"active"})
    with pytest.raises(Unavailable):
        client.read_over_rest("capabilities/odd", ("status",))


def test_who_does_not_answer_is_unavailable(
    own_project: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    with pytest.raises(Unavailable, match="ConnectionError"):
        client.read_over_rest("capabilities/find_room", ("status",))


def test_a_document_is_stored_once_as_the_client_would(own_project: Client) -> None:
    at = datetime(2026, 11, 21, 12, 0, 0, 5_000, tzinfo=UTC)
    data = {"schemaVersion": 2, "counts": '{"a": "ש"}', "at": at}
    client.create_over_rest("healthSamples/a", data)
    client.create_over_rest("healthSamples/a", {"schemaVersion": 3})
    assert own_project.document("healthSamples/a").get().to_dict() == data


def test_what_is_not_known_to_be_stored_is_unavailable(
    own_project: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    with pytest.raises(Unavailable, match="ConnectionError"):
        client.create_over_rest("healthSamples/a", {"schemaVersion": 2})


DIRECT = """
import sys, main
from rollcall.agent.direct_call import direct_call
from rollcall.agent.platform import Deployment
from rollcall.catalog import Catalog
from rollcall.core.capability import Capability, capability
from rollcall.core.context import User
from rollcall.core.errors import PermissionDenied
from rollcall.core.context import Call

@capability(name={"en": "Power"}, category="bench")
def find_power(ctx, *, volts: float, amps: float) -> float:
    "Tell the power of a load."
    return volts * amps

call = direct_call(Capability.of(find_power))
try:
    arguments = {"volts": 230, "amps": 2}
    print(call(Deployment(Catalog(".")), Call(User("ann"), {"arguments": arguments})))
except PermissionDenied as error:
    print(error.code)
print([m for m in sys.modules if m in ("google.cloud.firestore", "grpc", "docstring_parser")])
"""


@pytest.mark.parametrize(
    ("status", "said"), [("active", "460.0"), ("disabled", "permission-denied")]
)
def test_a_leaf_that_reads_nothing_obeys_the_registry_without_the_client(
    own_project: Client, status: str, said: str
) -> None:
    own_project.document("capabilities/find_power").set(
        {"status": "active", "overrides": {"status": status}}
    )
    done = subprocess.run(
        [sys.executable, "-c", DIRECT],
        cwd=FUNCTIONS,
        env=os.environ | {"FUNCTION_TARGET": "list_capabilities"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [said, "[]"], done.stderr


def test_credentials_that_cannot_be_had_are_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    from google.auth.exceptions import TransportError

    class Signed:
        def get(self, *args: object, **options: object) -> object:
            raise TransportError("the metadata server does not answer")

        post = get

    monkeypatch.setattr(client, "_rest_session", lambda emulator: Signed())
    with pytest.raises(Unavailable):
        client.read_over_rest("capabilities/x", ["status"])
    with pytest.raises(Unavailable):
        client.create_over_rest("healthSamples/x", {"n": 1})
