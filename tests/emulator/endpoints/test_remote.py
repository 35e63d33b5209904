"""Capabilities that are registered by a document, called at the Cloud Function that it names."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Annotated, Any

import flask
import pytest
from google.cloud.firestore import Client
from pydantic import Field
from werkzeug.serving import make_server

from rollcall.agent.direct_call import direct_call
from rollcall.agent.remote import function
from rollcall.agent.remote.function import call_function
from rollcall.core import statement
from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import InvalidArgument, NotFound, PermissionDenied, Unauthenticated
from rollcall.core.triggers import OnCall
from rollcall.core.wire import Role
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from tests.support.local_functions import PROJECT, LocalPlatform, token, use_emulator_tokens
from tests.support.registries import reload_registry

ANN = User("ann", role=Role.TEACHER, tenant="north")


@capability(name={"en": "Free rooms"}, category="office", min_role="teacher")
def free_rooms(ctx: ToolContext, *, seats: Annotated[int, Field(ge=1)]) -> dict[str, Any]:
    """Find a free room.

    Args:
        seats: How many sit in it.
    """
    if seats > 100:
        raise NotFound(f"no room has {seats} seats", hint="split the meeting")
    about = {"for": ctx.user.uid, "tenant": ctx.user.tenant, "in": ctx.locale}
    return {**about, "seats": seats, "at": ctx.context.get("floor")}


@pytest.fixture
def theirs(db: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """Our function, at the address that a caller takes for the functions emulator's."""
    use_emulator_tokens(monkeypatch.setenv)
    monkeypatch.setenv("ROLLCALL_STATEMENT_SECRET", "a secret of the tests that is long enough")
    snapshot.forget()
    rooms = Capability.of(free_rooms)
    sync(db, [rooms], [])
    bound = OnCall().bind("free_rooms", direct_call(rooms), lambda: LocalPlatform(db))
    app = flask.Flask("functions")
    path = f"/{PROJECT}/us-central1/free_rooms"
    app.add_url_rule(path, "rooms", lambda: bound(flask.request), methods=["POST"])
    server = make_server("127.0.0.1", 0, app, threaded=True)
    monkeypatch.setenv("FUNCTIONS_EMULATOR_HOST", f"127.0.0.1:{server.port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield db
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def execution(theirs: Client) -> Any:
    """As the registry reads it from the document that an operator wrote."""
    theirs.document("capabilities/find_room").set(
        {
            "id": "find_room",
            "name": "Rooms",
            "description": "Find a free room.",
            "category": "office",
            "minRole": "user",
            "status": "active",
            "effect": "read",
            "jsonSchema": {"type": "object", "properties": {"seats": {"type": "integer"}}},
            "source": "operator",
            "execution": {"type": "firebase_function", "target": "free_rooms"},
        }
    )
    theirs.document("capabilities/broken").set(
        {"id": "broken", "source": "operator", "execution": {"type": "internal_service"}}
    )
    reload_registry(theirs)
    entries = snapshot.snapshot(theirs).content.entries
    assert set(entries) == {"free_rooms", "find_room"}
    return entries["find_room"].execution


def call(execution: Any, seats: Any = 4, **options: Any) -> Any:
    given = {"user": ANN, "token": None, "locale": "he", **options}
    return call_function(execution, arguments={"seats": seats}, **given)


def test_it_is_called_as_the_user_with_a_token_or_without(execution: Any) -> None:
    expected = {"for": "ann", "tenant": "north", "in": "he", "seats": 4, "at": None}
    assert call(execution) == expected
    assert call(execution, token=token("ann", role="teacher", tenant="north")) == expected


def test_it_sees_where_the_client_says_that_the_user_is(execution: Any) -> None:
    assert call(execution, context={"floor": 3})["at"] == 3


def test_the_role_counts_that_the_statement_or_the_token_names(execution: Any) -> None:
    with pytest.raises(PermissionDenied):
        call(execution, user=User("ann"))
    with pytest.raises(PermissionDenied):
        call(execution, token=token("ann", role="user"))


def test_its_errors_come_back_as_they_were_raised(execution: Any) -> None:
    with pytest.raises(NotFound) as caught:
        call(execution, seats=500)
    assert (caught.value.message, caught.value.hint) == (
        "no room has 500 seats",
        "split the meeting",
    )
    with pytest.raises(InvalidArgument) as refused:
        call(execution, seats=0)
    assert refused.value.field == "arguments.seats"


def test_a_caller_with_another_secret_is_nobody(
    execution: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def signed(user: User, **what: Any) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(statement.SECRET, "another secret that is also long enough")
            return statement.signed(user, **what)

    monkeypatch.setattr(function, "signed", signed)
    with pytest.raises(Unauthenticated):
        call(execution)
