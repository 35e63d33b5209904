"""Questions that only a search of the user's own data can answer, and those that none can."""

from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.models.base import ToolSpec
from tests.support.for_every import for_every
from tests.unit.models.planner.kit import (
    ELECTRICAL,
    MESSAGING,
    answer_of,
    ask,
    messaging,
    spec,
    text,
)


@for_every(
    ("message", "words"),
    [
        ("When is the launch?", "launch"),
        ("What did Dana say about the server?", "Dana server"),
        (
            "What did the Industrial Designer think of the batteries?",
            "Industrial Designer batteries",
        ),
        ("Why did Marketing disagree with the Designer?", "Marketing disagree Designer"),
        ("What did the group discuss about battery issues and flip tops?", "battery flip tops"),
        ("did anyone mention dark mode?", "dark mode"),
        ("מתי ההשקה?", "ההשקה"),
        ("מה יעל אמרה על הצבעים?", "יעל הצבעים"),
        ("למה התעכבה ההשקה?", "התעכבה ההשקה"),
    ],
)
def test_a_question_of_content_is_searched_with_its_words(message: str, words: str) -> None:
    talk = ask(message, MESSAGING)
    name, arguments = talk.calls[0][0]
    assert name == "search_all_conversations"
    assert set(words.split()) <= set(arguments["query"].split())
    assert "The budget is final" in answer_of(talk)


@for_every(
    "message",
    [
        "asdkjh qwe",
        "2+2",
        "what is 2 plus 2?",
        "book me a flight to Paris",
        "write a poem",
        "tell me a joke",
        "what's the weather in Paris?",
        "What is the capital of France?",
        "are you happy?",
        "ok",
        "never mind, forget it",
        "תזמין לי טיסה לפריז",
        "כתוב לי שיר",
        "מה מזג האוויר?",
    ],
)
def test_what_is_in_nobodys_data_is_not_searched(message: str) -> None:
    assert ask(message, MESSAGING).calls == []


def test_without_a_search_of_own_data_nothing_is_searched() -> None:
    assert ask("When is the launch?", ELECTRICAL).calls == []


def test_which_conversation_a_discussion_was_in_is_asked() -> None:
    talk = ask("Summarize the discussion about the budget", MESSAGING)
    assert talk.calls == [[("get_user_conversations", {})]]
    assert talk.quick_replies == ("Launch room", "Finance", "Design", "Lunch")


def test_a_conversation_of_somebody_is_offered_and_not_guessed() -> None:
    def people(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name != "get_user_conversations":
            return messaging(name, arguments)
        names = (("Victor Alonso", "Dana"), ("Maya", "Dana"))
        listed = [
            {"id": f"conv_{at}", "name": f"Room {at}", "participantNames": list(each)}
            for at, each in enumerate(names, 1)
        ]
        return {"output": {"conversations": listed}}

    talk = ask("summarize the conversation with Victor", MESSAGING, people)
    assert talk.calls == [[("get_user_conversations", {})]]
    assert talk.quick_replies == ("Room 1", "Room 2")


def nothing_found(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"output": {"results": []}}


@pytest.mark.parametrize("message", ["delete all my messages", "send Dan a message", "תשלח הודעה"])
def test_what_only_reads_is_not_called_to_send_or_delete(message: str) -> None:
    assert ask(message, MESSAGING).calls == []


MATERIAL = (
    spec(
        "search_material",
        "Search the material that was made before: worksheets and tests.",
        {
            "query": text('What to look for; "" for all of it.'),
            "kind": text("Its kind", enum=["worksheet", "test"]),
        },
        "query",
        keywords=("my material", "what I made"),
        examples=({"parameters": {"kind": "worksheet"}},),
    ),
)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("Show my worksheets", {"query": "", "kind": "worksheet"}),
        ("Show my worksheets about fractions", {"query": "fractions", "kind": "worksheet"}),
    ],
)
def test_a_search_for_nothing_lists_all_where_its_tool_says_so(
    message: str, arguments: dict[str, str]
) -> None:
    assert ask(message, MATERIAL, nothing_found).calls == [[("search_material", arguments)]]


def test_words_that_only_ask_for_a_search_are_not_searched_for() -> None:
    files = spec(
        "search_files",
        "Search the files.",
        {"query": text()},
        "query",
        keywords=("where is the function defined", "where is"),
    )
    for message in ("Where is the function defined parse_date?", "Where is parse_date defined?"):
        [[call]] = ask(message, (files,), nothing_found).calls
        assert call == ("search_files", {"query": "parse_date"})


@for_every(
    "message",
    [
        "what are Dan and Gadi saying in the Board preparation chat?",
        "What did Dana say about the budget in the Finance conversation?",
        "מה דן וגדי אומרים בשיחה הכנה לדירקטוריון?",
        "מה דנה אמרה על התקציב בקבוצת הכספים?",
    ],
)
def test_a_search_does_not_look_in_one_chat(message: str) -> None:
    talk = ask(message, MESSAGING)
    assert talk.calls == []
    assert "rules" in answer_of(talk) or "כללים" in answer_of(talk)


def test_no_request_is_offered_that_the_planner_could_not_begin() -> None:
    def tool(name: str, *examples: str) -> ToolSpec:
        shown = tuple({"userRequest": each} for each in examples)
        return replace(spec(name, "Files.", {"path": text("The file")}, "path"), examples=shown)

    tools = (
        tool("read_file", "Read the file notes.md"),
        tool("edit_file", "In app.py replace 8080 by 9090"),
    )
    talk = ask("Sing me a song", tools, lambda name, arguments: {})
    assert talk.quick_replies == ("Read the file notes.md",)
