"""The demo's questions and requests, through the functions emulator, over the sample data."""

from __future__ import annotations

import io
from typing import Any

import pytest
from google.cloud.firestore import FieldFilter
from rich.console import Console

from dev import demo
from dev.demo import demo_user, deployment_of
from dev.emulators import current_addresses
from rollcall.store.client import database
from rollcall_cli.bidi import reads_from_right
from rollcall_cli.dialogue_view import DialogueView
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.screen import Screen
from rollcall_cli.store import Store
from rollcall_cli.wording import language_of, texts
from tests.support.sample import load_sample

PRIORITIES = "get_priority_messages"
ACTIONS = "get_conversation_action_items"
SEARCH = "search_all_conversations"
DECISIONS = "get_conversation_decisions"
TOOLS = [[PRIORITIES], [PRIORITIES, ACTIONS], [SEARCH, DECISIONS], [SEARCH, DECISIONS], []]


@pytest.fixture(scope="module")
def user() -> User:
    """The demo user, with the sample data loaded, who may ask faster than people do."""
    load_sample()
    return demo_user(current_addresses())


@pytest.fixture(scope="module")
def functions(user: User) -> Functions:
    """The functions as the demo user calls them."""
    return Functions(current_addresses().functions_url, token=user.token)


def _view(functions: Functions) -> tuple[DialogueView, Screen]:
    screen = Screen(console=Console(file=io.StringIO(), width=80), env={})
    return DialogueView(functions, screen, agent="messaging", uid="demo"), screen


def _output(screen: Screen) -> str:
    return screen.console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def _ask(functions: Functions, question: str) -> tuple[dict[str, Any], str]:
    """The result of a question, and what the terminal showed."""
    view, screen = _view(functions)
    result = view.ask(question)
    assert result is not None, _output(screen)
    return result, _output(screen)


@pytest.mark.parametrize(("question", "tools"), list(zip(demo.QUESTIONS, TOOLS, strict=True)))
def test_question_is_answered_with_the_tools_it_needs_and_cites_conversation_and_message(
    functions: Functions, question: str, tools: list[str]
) -> None:
    result, shown = _ask(functions, question)
    assert [call["tool"] for call in result["toolCalls"]] == tools
    assert {call["status"] for call in result["toolCalls"]} <= {"done"}
    assert result["outcome"] == {"type": "success"}
    assert ("החלטות" in result["message"]) == reads_from_right(question)
    for tool in tools:
        assert f"✓ {tool}" in shown
    assert texts(language_of(question))["offline"] in shown
    assert bool(result["citations"]) == bool(tools)
    for citation in result["citations"]:
        assert citation["conversationId"]
        assert citation["messageId"]
        assert f"[{citation['n']}]" in result["message"]
    if tools:
        assert f"[{result['citations'][0]['n']}] " in shown


def test_follow_up_stays_in_the_thread_and_new_leaves_it(functions: Functions) -> None:
    view, _ = _view(functions)
    first, second = view.ask("Hello"), view.ask("Thanks")
    view.start_over()
    third = view.ask("Hello")
    assert first and second and third
    assert first["threadId"] == second["threadId"] != third["threadId"]


def test_requests_ask_first_and_are_answered_here_and_on_another_device(
    functions: Functions, user: User
) -> None:
    device = Store(deployment_of(current_addresses()), user)
    view, screen = _view(functions)
    for request in demo.REQUESTS:
        assert demo._make_request(screen, view, request, device), _output(screen)
    shown = _output(screen)
    _withdraw_sent(functions)
    assert shown.count("? send_message") == 2
    assert shown.count("decides: you · until") == shown.count("ההחלטה: שלך · עד") == 1
    assert "The demo answers for the person: “yes”" in shown
    assert "Sent to Maya Cohen: “I will be late”" in shown
    assert "send_message can be taken back by withdraw_message" in shown
    assert "✗ send_message" in shown
    assert shown.count(str(demo.REQUESTS[1].answer.reason)) >= 2


def _withdraw_sent(functions: Functions) -> None:
    """Leave the sample conversations as they were."""
    by_agent = FieldFilter("sentBy", "==", "agent")
    for message in database().collection("messages").where(filter=by_agent).stream():
        functions.call("withdraw_message", {"arguments": {"messageId": message.id}})


def test_device_may_decide_only_what_is_there_and_its_own(user: User) -> None:
    device = Store(deployment_of(current_addresses()), user)
    with pytest.raises(CallError) as caught:
        device.decide("0" * 32, approved=True)
    assert caught.value.code == "permission-denied"


def test_unknown_agent_is_refused_in_plain_words(functions: Functions) -> None:
    with pytest.raises(CallError, match="no agent 'nobody'") as caught:
        functions.call("run_agent", {"agent": "nobody", "message": "Hello"})
    assert caught.value.code == "not-found"
    assert "messaging" in caught.value.hint
