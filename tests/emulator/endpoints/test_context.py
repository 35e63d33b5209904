"""A client's context reaches the tools, and grants no rights."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import FieldFilter

from rollcall.agent.direct_call import direct_call
from rollcall.core.capability import Capability, capability
from rollcall.core.context import Call, ToolContext, User
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from rollcall.testing import StaticCatalog, calls, says
from tests.support.office import Office
from tests.support.office_pack import PROFILE, office_capabilities


@capability(name={"en": "Look up"}, category="office")
def look_up(ctx: ToolContext) -> dict[str, Any]:
    """Say where the user is."""
    return {"at": ctx.context.get("projectId"), "uid": ctx.user.uid}


@pytest.fixture
def context_office(office: Office) -> Office:
    known = {**office_capabilities(), "look_up": Capability.of(look_up)}
    office.platform.catalog = StaticCatalog(known, [PROFILE])
    sync(office.db, list(known.values()), [PROFILE])
    snapshot.forget()
    return office


def where(ran: Any) -> dict[str, Any]:
    (call,) = ran.done["toolCalls"]
    found: dict[str, Any] = call["result"]
    return found


def test_tools_of_a_run_are_told_where_the_user_is(context_office: Office) -> None:
    ran = context_office.ask(calls(("look_up", {})), says("There."), context={"projectId": "house"})
    assert where(ran) == {"at": "house", "uid": "ann"}


def test_a_thread_remembers_where_its_last_message_came_from(context_office: Office) -> None:
    first = context_office.ask(says("Hello."), context={"projectId": "house"})
    later = context_office.ask(calls(("look_up", {})), says("There."), threadId=first.thread)
    assert where(later)["at"] == "house"
    moved = context_office.ask(
        calls(("look_up", {})), says("There."), threadId=first.thread, context={"projectId": "barn"}
    )
    assert where(moved)["at"] == "barn"


def test_a_direct_call_is_told_the_same(context_office: Office) -> None:
    handle = direct_call(Capability.of(look_up))
    data = {"arguments": {}, "context": {"projectId": "house", "uid": "bob"}}
    assert handle(context_office.platform, Call(User("ann"), data)) == {"at": "house", "uid": "ann"}


def threads_of_project(office: Office, project: str) -> list[str]:
    """As a client lists its user's threads of a project."""
    query = office.db.collection("threads").where(filter=FieldFilter("uid", "==", "ann"))
    query = query.where(filter=FieldFilter("place.projectId", "==", project))
    return [each.id for each in query.order_by("updatedAt", direction="DESCENDING").stream()]


def test_a_users_threads_are_listed_by_project(context_office: Office) -> None:
    first = context_office.ask(
        says("One."), context={"projectId": "house", "note": "x" * 500}
    ).thread
    second = context_office.ask(says("Two."), context={"projectId": "house"}).thread
    context_office.ask(says("Three."), context={"projectId": "barn"})
    context_office.ask(says("Four."))
    assert threads_of_project(context_office, "house") == [second, first]
    context_office.ask(says("Moved."), threadId=first, context={"projectId": "barn"})
    assert threads_of_project(context_office, "house") == [second]


@pytest.mark.parametrize(
    "context", [{"__x__": "a"}, {"projectId": ["a"]}, {"projectId": ""}, {"a.bId": "c"}, {"Id": 5}]
)
def test_what_is_no_id_is_no_place(context_office: Office, context: dict[str, Any]) -> None:
    thread = context_office.ask(says("Hello."), context=context).thread
    assert context_office.document(f"threads/{thread}")["place"] == {}
