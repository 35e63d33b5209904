"""The demo's questions, through the functions emulator, over the sample data."""

from __future__ import annotations

import io
import subprocess
from typing import Any

import pytest
from rich.console import Console

from dev import addresses, demo
from dev.bidi import reads_from_right
from dev.call import demo_functions
from dev.callable import CallError, Functions
from dev.conversation import Conversation
from dev.paths import PYTHON, ROOT
from dev.show import Screen

PRIORITIES = "get_priority_messages"
ACTIONS = "get_conversation_action_items"
SEARCH = "search_all_conversations"
DECISIONS = "get_conversation_decisions"
TOOLS = [[PRIORITIES], [PRIORITIES, ACTIONS], [SEARCH, DECISIONS], [SEARCH, DECISIONS], []]


@pytest.fixture(scope="module")
def functions() -> Functions:
    """The functions as the demo user calls them, with the sample data loaded."""
    subprocess.run([PYTHON, "-m", "seed"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return demo_functions(addresses.current())


def _ask(functions: Functions, question: str) -> tuple[dict[str, Any], str]:
    """The result of a question, and what the terminal showed."""
    screen = Screen(console=Console(file=io.StringIO(), width=80), env={})
    result = Conversation(functions, screen, agent="messaging").ask(question)
    shown = screen.console.file.getvalue()  # type: ignore[attr-defined]
    assert result is not None, shown
    return result, shown


@pytest.mark.parametrize(("question", "tools"), list(zip(demo.QUESTIONS, TOOLS, strict=True)))
def test_question_is_answered_with_the_tools_it_needs(
    functions: Functions, question: str, tools: list[str]
) -> None:
    result, shown = _ask(functions, question)
    assert [call["tool"] for call in result["toolCalls"]] == tools
    assert {call["status"] for call in result["toolCalls"]} <= {"done"}
    assert result["outcome"] == {"type": "success"}
    assert ("החלטות" in result["message"]) == reads_from_right(question)
    for tool in tools:
        assert f"✓ {tool}" in shown
    assert "offline planner" in shown


@pytest.mark.parametrize("question", demo.QUESTIONS[:4])
def test_answer_cites_conversation_and_message(functions: Functions, question: str) -> None:
    result, shown = _ask(functions, question)
    assert result["citations"]
    for citation in result["citations"]:
        assert citation["conversationId"]
        assert citation["messageId"]
        assert f"[{citation['n']}]" in result["message"]
    assert f"[{result['citations'][0]['n']}] " in shown


def test_follow_up_stays_in_the_thread_and_new_leaves_it(functions: Functions) -> None:
    screen = Screen(console=Console(file=io.StringIO()), env={})
    conversation = Conversation(functions, screen, agent="messaging")
    first, second = conversation.ask("Hello"), conversation.ask("Thanks")
    conversation.start_over()
    third = conversation.ask("Hello")
    assert first and second and third
    assert first["threadId"] == second["threadId"] != third["threadId"]


def test_unknown_agent_is_refused_in_plain_words(functions: Functions) -> None:
    with pytest.raises(CallError, match="no agent 'nobody'") as caught:
        functions.call("run_agent", {"agent": "nobody", "message": "Hello"})
    assert caught.value.code == "not-found"
    assert "messaging" in caught.value.hint
