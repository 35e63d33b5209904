"""The tools that a run is offered, through the whole of `run_agent`: those that fit the message,
those of the dialogue, those that the model asks for, and never one that the user may not use."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.context import Call, User
from rollcall.core.errors import InvalidArgument
from rollcall.core.profile import Variant
from rollcall.core.wire import Role
from rollcall.endpoints.registry import list_capabilities
from rollcall.registry import snapshot
from rollcall.registry.compiler import compile_after
from rollcall.store import paths
from rollcall.testing import calls, says
from tests.support.firestore_operations import count_operations
from tests.support.office import Office, RunResponse
from tests.support.registries import reload_registry

GARDEN = [f"grow_{fruit}" for fruit in ("apple", "pear", "plum", "fig", "date", "lime", "kiwi")]


@pytest.fixture
def garden(office: Office) -> Office:
    """An office whose agent may use all there is, and little of it at once."""
    for id in GARDEN:
        office.db.document(f"capabilities/{id}").set(
            {
                "id": id,
                "name": id,
                "description": f"Water the {id.removeprefix('grow_')} tree.",
                "category": "garden",
                "status": "active",
                "effect": "read",
                "source": "operator",
                "execution": {"type": "firebase_function", "target": id},
            }
        )
    office.declare(tools=("*",), pinned=(), max_tools=2)
    return office


def offered(office: Office, request: int = -1) -> list[str]:
    return [tool.name for tool in office.model.requests[request].tools if tool.name != "ask_user"]


def test_what_fits_the_message_is_offered_with_a_way_to_find_more(garden: Office) -> None:
    garden.ask(message="I want to book a room for an hour")
    assert set(offered(garden)) >= {"book_room", "find_tools"}
    assert len(offered(garden)) <= 6
    assert offered(garden) == sorted(offered(garden))


def test_small_talk_has_no_tools_and_the_agent_knows_what_it_could_do(garden: Office) -> None:
    garden.ask(message="Good morning!")
    assert offered(garden) == []
    assert "Book a room" in garden.model.requests[-1].instructions


def test_what_is_down_is_not_spoken_of_either(garden: Office) -> None:
    garden.db.document("registry/manifest").update({"health": {"book_room": "down"}})
    snapshot.forget()
    garden.ask(message="Good morning!")
    told = garden.model.requests[-1]
    assert told.abilities
    assert "book_room" not in [tool.name for tool in told.abilities]
    assert "Book a room" not in told.instructions


def test_a_found_tool_can_be_called_and_is_there_when_the_turn_goes_on(garden: Office) -> None:
    asked = garden.ask(
        calls(("find_tools", {"query": "pay an amount of dollars"})),
        calls(("pay", {"amountUsd": 5, "to": "bob"})),
        message="Water the plum tree",
    )
    assert "pay" not in offered(garden, -2)
    assert "pay" in offered(garden)
    found = asked.done["toolCalls"][0]
    assert (found["tool"], found["status"]) == ("find_tools", "done")
    assert "pay" in [tool["name"] for tool in found["result"]["tools"]]
    after = garden.resume(asked)
    assert after.statuses() == ["done"]
    assert "pay" in offered(garden)
    assert len(garden.done()) == 1


def test_a_tool_that_was_not_found_yet_is_refused(garden: Office) -> None:
    asked = garden.ask(calls(("pay", {"amountUsd": 5, "to": "bob"})), message="Water the plum tree")
    assert asked.statuses() == ["refused"]


@pytest.mark.parametrize("arguments", [{}, {"query": " "}, {"query": 7}, {"q": "x"}])
def test_a_search_for_nothing_is_answered_plainly(garden: Office, arguments: Any) -> None:
    asked = garden.ask(calls(("find_tools", arguments)), message="Water the plum tree")
    assert asked.done["toolCalls"][0]["error"]["code"] == "invalid-argument"


def test_nobody_finds_what_is_for_another_role_or_tenant(garden: Office) -> None:
    garden.override("capabilities/pay", minRole="admin")
    garden.override("capabilities/send_letter", tenants=["north"])
    search = calls(
        ("find_tools", {"query": "pay an amount of dollars"}),
        ("find_tools", {"query": "send a letter"}),
    )

    def names(ran: RunResponse) -> set[str]:
        return {tool["name"] for call in ran.done["toolCalls"] for tool in call["result"]["tools"]}

    nobody = names(garden.ask(search, message="Water the plum tree"))
    assert not nobody & {"pay", "send_letter"}
    claims = {"role": Role.ADMIN.value, "tenant": "north"}
    both = names(garden.ask(search, message="Water the plum tree", uid="ruth", claims=claims))
    assert both >= {"pay", "send_letter"}


def test_what_the_last_turn_called_stays_at_hand(garden: Office) -> None:
    first = garden.ask(calls(("look_up", {"word": "x"})), message="look a word up, please")
    assert first.statuses() == ["done"]
    garden.ask(message="and the same for the other one", threadId=first.thread)
    assert "look_up" in offered(garden)


def test_an_answer_is_about_what_was_asked_before(garden: Office) -> None:
    first = garden.ask(says("Which room?"), message="Book a room")
    garden.ask(message="The blue one", threadId=first.thread)
    assert "book_room" in offered(garden)


def test_a_capability_that_is_down_is_not_offered_until_it_is_back(garden: Office) -> None:
    manifest = garden.db.document("registry/manifest")
    manifest.update({"health": {"book_room": "down"}})
    snapshot.forget()
    garden.ask(message="I want to book a room for an hour")
    assert "book_room" not in offered(garden)
    manifest.update({"health": {}})
    snapshot.forget()
    garden.ask(message="I want to book a room for an hour")
    assert "book_room" in offered(garden)


def test_a_user_is_always_served_in_the_same_variant_and_the_run_says_which(
    garden: Office,
) -> None:
    variants = (Variant("V1", tools="all", instructions="All at once."), Variant("V2"))
    garden.declare(tools=("*",), pinned=(), max_tools=2, variants=variants)
    seen = {}
    for uid in ("ann", "bob", "cid", "dan", "eve", "fay"):
        ran = garden.ask(message="Water the plum tree", uid=uid)
        run = paths.run(garden.db, ran.thread, ran.done["runId"]).get().to_dict() or {}
        assert f'"variant": "{"V1" if len(offered(garden)) > 10 else "V2"}"' in run["request"]
        seen[uid] = len(offered(garden)) > 10
        told = garden.model.requests[-1].instructions.startswith("All at once.")
        assert told is seen[uid]
    assert set(seen.values()) == {True, False}


def test_an_operators_change_is_compiled_and_counts(garden: Office) -> None:
    reference = garden.db.document("capabilities/book_room")
    reference.set({"overrides": {"phrases": {"he": ["תזמין לי אולם"]}}}, merge=True)
    compile_after(garden.db, reference.get().update_time)
    snapshot.forget()
    garden.ask(message="תזמיני אולם למחר")
    assert "book_room" in offered(garden)


def test_a_warm_run_reads_nothing_of_the_registry(garden: Office) -> None:
    garden.ask(message="Good morning!")
    with count_operations() as one:
        garden.ask(message="Good morning!", uid="bob")
    for number in range(40):
        garden.db.document(f"capabilities/more_{number}").set(
            {**(garden.document("capabilities/grow_fig")), "id": f"more_{number}"}
        )
    reload_registry(garden.db)
    garden.ask(message="Good morning!")
    with count_operations() as other:
        garden.ask(message="Good morning!", uid="cid")
    assert one.reads == other.reads


def test_what_a_user_may_use_is_listed_page_by_page(garden: Office) -> None:
    def page(**data: Any) -> dict[str, Any]:
        call = Call(User("ann"), data)
        return list_capabilities(garden.platform, call)

    whole = [each["id"] for each in page()["capabilities"]]
    assert (whole, "next" in page()) == (sorted(whole), False)
    seen: list[str] = []
    after = None
    while True:
        found = page(limit=5, **({"after": after} if after else {}))
        assert len(found["capabilities"]) <= 5
        seen += [each["id"] for each in found["capabilities"]]
        after = found.get("next")
        if after is None:
            break
    assert seen == whole
    with pytest.raises(InvalidArgument):
        page(limit=0)


def test_what_a_user_may_use_has_labels_in_their_language(garden: Office) -> None:
    grow = garden.document("capabilities/grow_fig")
    values = {"type": "string", "enum": ["small", "huge"]}
    schema = {"type": "object", "properties": dict.fromkeys(["dueDate", "potSize", "soil"], values)}
    words = {"potSize": ["pot", "עציץ"], "huge": ["ענק"], "other": ["אחר"]}
    document = {**grow, "id": "repot", "jsonSchema": schema, "aliases": words}
    garden.db.document("capabilities/repot").set(document)
    reload_registry(garden.db)

    def labels(locale: str) -> dict[str, str]:
        call = Call(User("ann"), {"locale": locale, "after": "repos"})
        return list_capabilities(garden.platform, call)["capabilities"][0]["labels"]

    assert labels("he") == {"dueDate": "מועד", "potSize": "עציץ", "huge": "ענק"}
    assert labels("en") == {}
