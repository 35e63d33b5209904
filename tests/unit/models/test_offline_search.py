"""Questions that only a search of the user's own data can answer, and those that none can."""

from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.models._offline.choose import best
from rollcall.models._offline.typos import corrected
from tests.support.rules import for_every
from tests.unit.models.offline_kit import ELECTRICAL, MESSAGING, answer_of, ask, messaging


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
        ("liability clause", "liability clause"),
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


def test_a_discussion_is_searched_and_its_best_conversation_summarised() -> None:
    talk = ask("Summarize the discussion about the budget", MESSAGING)
    summary = {"conversationId": "conv_2", "focusArea": "budget"}
    assert talk.calls == [
        [("search_all_conversations", {"query": "budget"})],
        [("summarize_conversation", summary)],
    ]
    answer = answer_of(talk)
    assert answer.index("Talk about Finance") < answer.index("The budget is final")


def test_where_nothing_of_the_kind_is_found_what_was_said_is_told() -> None:
    def undecided(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        other = {"output": {"decisions": [{"decision": "Hire a designer"}], "totalFound": 1}}
        return other if name == "get_conversation_decisions" else messaging(name, arguments)

    answer = answer_of(ask("What decisions were made about the budget?", MESSAGING, undecided))
    assert "no decisions about “budget”" in answer
    assert "The budget is final" in answer
    assert "Hire a designer" not in answer


def test_a_conversation_is_found_by_who_takes_part() -> None:
    def people(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name != "get_user_conversations":
            return messaging(name, arguments)
        names = (("Victor Alonso", "Dana"), ("Maya", "Dana"))
        listed = [
            {"id": f"conv_{at}", "name": f"Room {at}", "participantNames": list(each)}
            for at, each in enumerate(names, 1)
        ]
        return {"output": {"conversations": listed}}

    for message in ("summarize the conversation with Victor", "סכם את השיחה עם ויקטור"):
        talk = ask(message, MESSAGING, people)
        assert talk.calls[-1] == [("summarize_conversation", {"conversationId": "conv_1"})]


@pytest.mark.parametrize("message", ["prioritys", "my priorites", "what desicions were made?"])
def test_a_slip_of_the_pen_is_understood(message: str) -> None:
    choice = best(message, MESSAGING)
    assert choice is not None
    assert choice.tool.name in ("get_priority_messages", "get_conversation_decisions")


@pytest.mark.parametrize("message", ["delete all my messages", "send Dan a message", "תשלח הודעה"])
def test_what_only_reads_is_not_called_to_send_or_delete(message: str) -> None:
    assert ask(message, MESSAGING).calls == []


def test_a_tool_that_cannot_be_told_of_the_topic_is_searched_beside() -> None:
    talk = ask("urgent messages about the budget", MESSAGING)
    names = [name for name, _ in talk.calls[0]]
    assert names == ["get_priority_messages", "search_all_conversations"]
    assert "no priority messages about “budget”" in answer_of(talk)
    assert "The budget is final" in answer_of(talk)


def test_with_whom_something_was_decided_is_searched_first() -> None:
    talk = ask("What decisions were made with Amir?", MESSAGING)
    assert talk.calls[0] == [("search_all_conversations", {"query": "Amir"})]


@pytest.mark.parametrize(
    ("message", "calls"),
    [
        ("Was the salary range approved?", ["search_all_conversations"]),
        ("Which decisions were approved this week?", ["get_conversation_decisions"]),
    ],
)
def test_words_that_a_tool_does_not_know_are_searched_first(message: str, calls: list[str]) -> None:
    decisions = replace(MESSAGING[3], keywords=("decisions", "approved"))
    talk = ask(message, (decisions, MESSAGING[5]))
    assert [name for name, _ in talk.calls[0]] == calls


@pytest.mark.parametrize("word", ["shipping", "finder", "stopping"])
def test_another_word_is_no_slip(word: str) -> None:
    tool = replace(MESSAGING[0], name="shopping_friend")
    assert corrected(word, (tool,)) == word
