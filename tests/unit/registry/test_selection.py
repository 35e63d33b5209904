"""The selection of tools for a message: those that the user may use and that fit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.core.context import User
from rollcall.core.profile import AgentProfile, Variant
from rollcall.core.wire import Role
from rollcall.registry.access import AccessRow, is_named, permission_mask
from rollcall.registry.selection import (
    MAX_WORDS,
    Selection,
    ToolRequest,
    chattiness,
    features,
    find,
    is_small_talk,
    select,
)
from rollcall.registry.snapshot import Snapshot
from tests.evals.registry.small_talk import fit, requests, small_talk, write
from tests.support.registries import registry_of, tool

ANN = User("ann")
FRUIT = ["apple", "pear", "plum", "fig", "date", "lime", "kiwi", "mango", "olive", "peach"]
AGENT = AgentProfile(id="a", name={"en": "A"}, instructions="Help.", tools=("*",), max_tools=2)
FILLING = [tool(f"grow_{fruit}", f"Water the {fruit} tree.", category="garden") for fruit in FRUIT]
OFFICE = (
    tool("find_room", "Find a free meeting room.", relatedCapabilities=["book_room"]),
    tool("book_room", "Reserve a space for a while."),
    tool("order_lunch", "Order food from the canteen.", keywords=["pizza"]),
    tool("send_invoice", "Send a bill to a customer.", minRole="teacher"),
    tool("pay_salary", "Pay a bill for salaries.", overrides={"tenants": ["north"]}),
    tool("print_badge", "Print a visitor's badge.", category="desk"),
)
ROOMS = registry_of(*OFFICE, *FILLING)


def select_for(
    message: str, registry: Snapshot = ROOMS, user: User = ANN, **profile: Any
) -> Selection:
    return select(registry, ToolRequest(replace(AGENT, **profile), user, message))


def test_what_fits_is_offered_with_what_it_names_as_related() -> None:
    assert select_for("Is there a free room for our meeting?").ids == ("book_room", "find_room")
    assert select_for("I want a pizza").ids == ("order_lunch",)


@pytest.mark.parametrize("message", ["Hello!", "תודה רבה", "ok"])
def test_small_talk_is_offered_nothing_and_no_search(message: str) -> None:
    found = select_for(message)
    assert (found.ids, found.finds_more) == ((), False)


@pytest.mark.parametrize("message", ["ping", 'ping "kiwi"', "Ping!", "please ping kiwi"])
def test_a_message_that_says_the_id_of_the_only_tool_is_no_small_talk(message: str) -> None:
    registry = registry_of(tool("ping", "Answer a word with pong."))
    assert select_for(message, registry).ids == ("ping",)
    assert select_for("hello", registry).ids == ()


def test_where_nothing_fits_the_model_may_still_search() -> None:
    for message in ("Translate this poem into Latin", ""):  # a picture comes without words
        found = select_for(message)
        assert (found.ids, found.finds_more) == ((), True)


SHARED = [
    tool(f"{verb}_circuit", f"{verb.title()} one circuit of the panel.", category="wiring")
    for verb in (
        *("add", "check", "draw", "erase", "find", "group", "label", "list"),
        *("measure", "move", "name", "size", "split", "trace"),
    )
]


@pytest.mark.parametrize("others", [(), FILLING])
def test_a_word_that_most_tools_share_offers_the_best_of_them(others: Any) -> None:
    registry = registry_of(*SHARED, *others)
    for message in ("circuits", "The circuit?", "which circuits", "a circuit of a panel"):
        found = select_for(message, registry, tools=("category:wiring",), max_tools=5)
        assert len(found.ids) == 5, message
        assert found.finds_more


@pytest.mark.parametrize("message", ["Translate a circuit into Latin", "circuit breaker walrus"])
def test_beside_other_words_one_that_most_tools_share_offers_nothing(message: str) -> None:
    found = select_for(message, registry_of(*SHARED), max_tools=5)
    assert (found.ids, found.finds_more) == ((), True)


def test_of_few_tools_all_are_offered_but_for_small_talk() -> None:
    registry = registry_of(*OFFICE)
    everything = ("book_room", "find_room", "order_lunch", "print_badge")
    assert select_for("Translate this poem into Latin", registry).ids == everything
    assert select_for("I want a pizza", registry).ids == everything
    assert select_for("Hello!", registry).ids == ()


@pytest.mark.parametrize(
    ("user", "ids"),
    [
        (User("u"), ()),
        (User("u", Role.TEACHER), ("send_invoice",)),
        (User("u", Role.USER, "north"), ("pay_salary",)),
        (User("u", Role.ADMIN, "north"), ("pay_salary", "send_invoice")),
        (User("u", Role.ADMIN, "south"), ("send_invoice",)),
    ],
)
def test_what_a_user_may_not_use_is_not_even_ranked(user: User, ids: tuple[str, ...]) -> None:
    found = select_for("Who gets a bill?", user=user)
    assert found.ids == ids
    assert len(found.matches) == len(ids)


@pytest.mark.parametrize(
    ("tools", "ids"),
    [
        (("*",), ("print_badge",)),
        (("category:desk",), ("print_badge",)),
        (("print_badge",), ("print_badge",)),
        (("category:test", "find_room"), ("book_room", "find_room", "order_lunch")),
        ((), ()),
    ],
)
def test_an_agent_names_its_tools_by_id_by_category_or_all(
    tools: tuple[str, ...], ids: tuple[str, ...]
) -> None:
    assert select_for("A badge for a visitor, please", tools=tools).ids == ids


def test_what_is_pinned_is_always_in_if_the_user_may_use_it() -> None:
    pinned = ("print_badge", "send_invoice", "nobody")
    assert select_for("I want a pizza", pinned=pinned).ids == ("order_lunch", "print_badge")
    assert select_for("Hello!", pinned=pinned).ids == ("print_badge",)
    assert select_for("Hello!", tools=(), pinned=pinned).ids == ("print_badge",)


def test_what_the_last_turn_called_stays_at_hand() -> None:
    request = ToolRequest(AGENT, ANN, "and one for tomorrow", sticky=("book_room", "send_invoice"))
    assert "book_room" in select(ROOMS, request).ids
    assert "send_invoice" not in select(ROOMS, request).ids


def test_an_answer_to_a_question_is_about_what_was_asked_before() -> None:
    request = ToolRequest(AGENT, ANN, "The second one.", recent=["Find me a meeting room"])
    assert "find_room" in select(ROOMS, replace(request, answers_question=True)).ids


def test_a_capability_that_is_down_is_not_offered_or_found() -> None:
    down = replace(ROOMS, health={"order_lunch": "down", "find_room": "degraded"})
    assert select_for("I want a pizza", down).ids == ()
    assert "find_room" in select_for("Is there a free room?", down).ids
    assert find(down, ToolRequest(AGENT, ANN, ""), "pizza", without=frozenset()) == []


def test_a_disabled_one_is_not_offered_and_a_deprecated_one_is() -> None:
    registry = registry_of(
        tool("old_way", "Print a page.", overrides={"status": "deprecated"}),
        tool("new_way", "Print a page.", overrides={"status": "disabled"}),
    )
    assert select_for("print this page", registry).ids == ("old_way",)


def test_a_clients_tool_is_offered_to_who_can_run_it() -> None:
    execution = {"type": "client", "target": "read_file"}
    registry = registry_of(tool("read_file", "Read a file.", runsOn="client", execution=execution))
    request = ToolRequest(AGENT, ANN, "read this file")
    assert select(registry, request).ids == ()
    offered = replace(request, client_tools=frozenset({"read_file"}))
    assert select(registry, offered).ids == ("read_file",)


def test_a_model_finds_what_it_was_not_offered_and_nothing_it_may_not_use() -> None:
    request = ToolRequest(AGENT, ANN, "hello")
    found = find(ROOMS, request, "reserve a room", without=frozenset({"find_room"}))
    assert [entry.id for entry in found] == ["book_room"]
    assert find(ROOMS, request, "bill a customer", without=frozenset()) == []


def test_a_variant_with_all_tools_offers_all_that_are_permitted() -> None:
    both = (Variant("V1", tools="all"), Variant("V2"))
    offered = {
        select_for("Hello!", registry_of(*OFFICE), user=User(f"u{n}"), variants=both).ids
        for n in range(40)
    }
    everything = ("book_room", "find_room", "order_lunch", "print_badge")
    assert offered == {(), everything}


def test_what_is_pinned_is_in_even_where_all_do_not_fit() -> None:
    many = registry_of(*(tool(f"tool_{n:03}") for n in range(150)))
    both = (Variant("V1", tools="all"),)
    ids = select_for("Hello!", many, variants=both, pinned=("tool_149",)).ids
    assert (len(ids), "tool_149" in ids) == (100, True)


def test_to_pin_all_permits_nothing_more() -> None:
    pinned = ("*", "category:test")
    found = select_for("A room and a pizza, please", tools=("find_room",), pinned=pinned)
    assert found.ids == ("find_room",)


def test_a_user_always_gets_the_same_variant_and_each_gets_about_half() -> None:
    profile = replace(AGENT, variants=(Variant("V1", tools="all"), Variant("V2")))
    got = [profile.variant_for(f"u{n}") for n in range(1_000)]
    assert got == [profile.variant_for(f"u{n}") for n in range(1_000)]
    first = sum(variant is not None and variant.id == "V1" for variant in got)
    assert 400 < first < 600
    assert AGENT.variant_for("u") is None


def test_the_same_tools_come_in_the_same_order_whatever_the_message() -> None:
    first = select_for("a free room, and pizza", max_tools=4).ids
    assert first == tuple(sorted(first))
    assert select_for("pizza in a free room", max_tools=4).ids == first


def test_the_mask_of_a_user_is_of_their_role_tenant_and_client() -> None:
    rows = [
        AccessRow("all", "c", Role.USER.rank, True, None, False),
        AccessRow("north", "c", Role.USER.rank, True, frozenset({"north"}), False),
        AccessRow("admins", "c", Role.ADMIN.rank, True, None, False),
        AccessRow("off", "c", Role.USER.rank, False, None, False),
        AccessRow("client", "c", Role.USER.rank, True, None, True),
    ]
    ann, bob = User("ann", tenant="north"), User("bob", Role.ADMIN, "south")
    assert [*permission_mask(rows, ("*",), ann)] == [1, 1, 0, 0, 0]
    assert [*permission_mask(rows, ("*",), bob)] == [1, 0, 1, 0, 0]
    assert [*permission_mask(rows, ("all", "client"), ann)] == [1, 0, 0, 0, 0]
    client = frozenset({"client"})
    assert [*permission_mask(rows, ("category:c",), ann, client_tools=client)] == [1, 1, 0, 0, 1]
    assert [*permission_mask(rows, ("*",), ann, without=frozenset({"all"}))] == [0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    "tools",
    [(), ("*",), ("a1",), ("category:a",), ("category:",), ("a1", "category:b"), ("b1", "*")],
)
def test_the_mask_has_the_tools_that_a_profile_names(tools: tuple[str, ...]) -> None:
    rows = [
        AccessRow(f"{category}{number}", category, Role.USER.rank, True, None, False)
        for category in ("", "a", "b")
        for number in (1, 2)
    ]
    named = [is_named(row.id, row.category, frozenset(tools)) for row in rows]
    assert [*permission_mask(rows, tools, User("ann"))] == named


@pytest.mark.parametrize(
    "text", ["Hello!", "thank you very much", "good night", "מה נשמע?", "תודה רבה", "lol", "ביי"]
)
def test_greetings_thanks_and_laughter_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello! What is the voltage drop on circuit 14?",
        "When is the launch?",
        "yes, go ahead",
        "the second one",
        "תשלחי לדנה שאני מאחר",
        "כן, תעשה את זה",
        "thanks, and now send it to Ruth",
        "write thank you in the group",
        "What's new?",
        "help me",
        "נסה שוב",
        "מה חדש?",
    ],
)
def test_requests_are_not_however_politely_they_are_put(text: str) -> None:
    assert not is_small_talk(text)


def test_what_a_tool_answers_is_wanted_however_chatty_it_is() -> None:
    assert is_small_talk("how are you?")
    assert not is_small_talk("how are you?", fit=0.9)


@pytest.mark.parametrize("text", ["", "   ", "?!", "\u200f", "word " * (MAX_WORDS + 1)])
def test_nothing_and_much_are_no_small_talk(text: str) -> None:
    assert features(text) == []
    assert chattiness(text) == -math.inf
    assert not is_small_talk(text)


def test_a_very_long_word_costs_no_more_than_a_long_one() -> None:
    assert len(features("a" * 1000)) <= len(features("ab" * 15)) + 4


def test_the_stored_weights_are_what_the_phrases_give() -> None:
    weights = fit(small_talk(), requests())
    for text in [*small_talk()[::7], *requests()[::7]]:
        found = features(text)
        if found:
            assert weights.of(found) == pytest.approx(chattiness(text), abs=0.05)


def test_written_weights_read_back_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rollcall.registry import selection as module

    weights = fit(["hello", "thanks"], ["send it", "open the file"])
    path = tmp_path / "weights.json"
    write(weights, path)
    monkeypatch.setattr(module, "LEARNED", path)
    monkeypatch.setattr(module, "_learned", module._learned.__wrapped__)
    assert chattiness("hello") == pytest.approx(weights.of(features("hello")), abs=1e-3)
    assert chattiness("hello") > 0 > chattiness("open the file")
