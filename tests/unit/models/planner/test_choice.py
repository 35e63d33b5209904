"""What is said in other words, or in passing."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.models.planner.kit import (
    EDUCATION,
    MESSAGING,
    Talk,
    answer_of,
    ask,
    messaging,
    spec,
    text,
)

LIST = replace(
    MESSAGING[0], keywords=("groups", "באילו קבוצות אני", "עם מי אני מתכתב", "שיחות", "קבוצות")
)
PRIORITIES = replace(MESSAGING[1], keywords=("priorities", "עדיפויות"))
TASKS = replace(MESSAGING[2], keywords=("action items", "tasks", "משימות"))
DECISIONS = replace(MESSAGING[3], keywords=("decisions", "החלטות"))
TOOLS = (LIST, PRIORITIES, TASKS, DECISIONS, *MESSAGING[4:])


def names(message: str) -> list[str]:
    return [name for step in ask(message, TOOLS).calls for name, _ in step]


@pytest.mark.parametrize(
    "message",
    [
        "Good morning, how's it going?",
        "Hey there, how's everything?",
        "How do you say good night in Spanish?",
        "איך אומרים לילה טוב בספרדית?",
    ],
)
def test_a_greeting_and_a_translation_are_not_searched(message: str) -> None:
    assert names(message) == []


@pytest.mark.parametrize(
    "message", ["Good morning, what are my priorities?", "How do I say no in the vendor meeting?"]
)
def test_what_comes_with_a_greeting_is_still_asked(message: str) -> None:
    assert names(message) != []


@pytest.mark.parametrize("message", ["באילו קבוצות אני נמצאת?", "עם מי אני מתכתבת?"])
def test_a_list_asked_for_in_its_keywords_is_not_searched(message: str) -> None:
    assert names(message) == ["get_user_conversations"]


@pytest.mark.parametrize(
    "message",
    [
        "Give me a list of my conversations and my tasks",
        "Show me my tasks and conversations",
        "תן לי רשימה של השיחות שלי ושל המשימות שלי",
        "תראה לי את המשימות והשיחות",
    ],
)
def test_of_two_lists_none_is_told_alone(message: str) -> None:
    assert names(message) == []


@pytest.mark.parametrize(
    "message", ["Show me the tasks of my conversations", "תראה לי את המשימות של השיחות שלי"]
)
def test_what_a_list_is_of_is_no_other_list(message: str) -> None:
    assert names(message)[-1:] == ["get_conversation_action_items"]


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (
            "Dana: The server is down\nNoa: On it [7]",
            "Dana: The server is down\nNoa: On it (7) [1] [2]",
        ),
        ("Nobody could work.", "Nobody could work. [1] [2]"),
    ],
)
def test_a_summary_marks_the_messages_it_rests_on(summary: str, told: str) -> None:
    def run(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name != "summarize_conversation":
            return messaging(name, arguments)
        quotes = ("The server is down", "On it [7]")
        sources = [
            {"n": at, "conversationId": "conv_1", "messageId": f"m{at}", "quote": quote}
            for at, quote in enumerate(quotes, 1)
        ]
        return {
            "output": {"summary": summary, "conversationName": "Launch room"},
            "citations": sources,
        }

    assert told in answer_of(ask("Summarize the Launch room", TOOLS, run))


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("אני רוצה לראות את המשימות", "get_conversation_action_items"),
        ("תוכלי להראות לי את ההחלטות?", "get_conversation_decisions"),
    ],
)
def test_a_polite_beginning_in_hebrew_hides_no_request(message: str, name: str) -> None:
    talk = ask(message, MESSAGING)
    assert talk.calls == [[(name, {})]]


def test_a_polite_question_in_hebrew_asks_for_a_write() -> None:
    tool = replace(EDUCATION[0], writes=True)
    talk = Talk((tool,), lambda name, given: {"output": {"done": "All right."}})
    talk.say("תוכלי להכין דף עבודה על שברים לכיתה ד?")
    ((made, arguments),) = talk.calls[0]
    assert (made, arguments["topic"]) == ("generate_static_content", "שברים")


EXPORT = spec(
    "export_project",
    "Export a whole project as JSON.",
    {"projectId": text("The project")},
    keywords=("project as a file", "ייצא את הפרויקט"),
)


def exported(message: str) -> list[str]:
    talk = ask(message, (EXPORT,), lambda name, arguments: {"output": {"projectId": "workshop"}})
    return [name for step in talk.calls for name, _ in step]


@pytest.mark.parametrize("message", ["The workshop project - what is in it?", "תבדוק את הפרויקט"])
def test_an_export_is_made_only_where_its_verb_is_said(message: str) -> None:
    assert exported(message) == []


@pytest.mark.parametrize(
    "message", ["Export the project", "Give me the project as a file", "ייצא את הפרויקט"]
)
def test_an_export_that_is_asked_for_is_made(message: str) -> None:
    assert exported(message) == [EXPORT.name]


@pytest.mark.parametrize("message", ["Show the summary", "הראה סיכום"])
def test_a_write_that_shows_something_is_asked_for_by_its_keyword(message: str) -> None:
    keywords = ("show the summary", "הראה סיכום")
    points = {"strengths": text("What went well")}
    summary = spec(
        "show_session_summary", "Show how it went.", points, "strengths", keywords=keywords
    )
    assert answer_of(ask(message, (replace(summary, writes=True),))).endswith("?")


@pytest.mark.parametrize("asked", ["What decisions did we make", "Which decisions were made"])
def test_a_list_of_what_is_asked_for_comes_before_a_search_for_it(asked: str) -> None:
    (first, *_), *_ = ask(f"{asked} about the budget?", MESSAGING).calls
    assert first[0] == "search_all_conversations"
    assert names(f"{asked} about the budget?")[-1] == "get_conversation_decisions"


@pytest.mark.parametrize(
    "message",
    ["Delete the worksheet", "Print my worksheet", "מחק את דף העבודה", "תדפיסי לי את דף העבודה"],
)
def test_a_command_with_another_verb_makes_nothing(message: str) -> None:
    keywords = ("make a worksheet", "worksheet", "דף עבודה")
    tool = replace(EDUCATION[0], writes=True, keywords=keywords)
    assert ask(message, (tool,)).calls == []


def test_a_keyword_makes_no_verb_of_its_kind_a_request() -> None:
    keywords = ("drop a message", "post", "כתבי הודעה")
    send = spec(
        "send_message",
        "Send a message.",
        {"conversationId": text(), "content": text("The words")},
        "conversationId",
        "content",
        writes=True,
        keywords=keywords,
    )
    for message in ("Delete the message", "Create a message group", "תמחק את ההודעה"):
        assert ask(message, (send,)).calls == []


def test_a_thing_is_named_in_quotes() -> None:
    complete = spec(
        "complete_task",
        "Mark a task as done.",
        {"decisionId": text("The decision")},
        "decisionId",
        writes=True,
        keywords=("mark as done", "סמן כבוצע"),
    )
    hired = {"output": {"decisions": [{"id": "d1", "decision": "Hire a designer"}]}}
    tools = (complete, *MESSAGING)
    for message in ('Mark "Hire a designer" as done', 'סמן כבוצע את "Hire a designer"'):
        talk = ask(message, tools, lambda name, arguments: hired)
        assert talk.calls[-1] == [("complete_task", {"decisionId": "d1"})]


@pytest.mark.parametrize("message", ["סכם את השיחה עם מאיה", "Summarize the chat with רינה"])
def test_a_thing_is_named_in_the_other_script(message: str) -> None:
    chats = [{"id": "c1", "name": "Maya Cohen"}, {"id": "c2", "name": "רינה חדד"}]
    chats.append({"id": "c3", "name": "Launch"})
    lists = spec("list_chats", "List your chats.", {}, keywords=("chats",))
    summarize = spec(
        "summarize_chat",
        "Summarize a chat.",
        {"chatId": text("The chat, from list_chats.")},
        "chatId",
        keywords=("summarize", "סכם", "שיחה"),
    )
    talk = ask(message, (summarize, lists), lambda name, arguments: {"output": {"chats": chats}})
    wanted = "c1" if "מאיה" in message else "c2"
    assert talk.calls[-1] == [("summarize_chat", {"chatId": wanted})]


@pytest.mark.parametrize(
    "message", ["how are you?", "How's it going today?", "מה שלומך?", "מה המצב"]
)
def test_how_the_planner_is_is_small_talk(message: str) -> None:
    assert ask(message, MESSAGING).calls == []
    assert answer_of(ask(message, MESSAGING)).startswith(("Hello", "שלום"))


@pytest.mark.parametrize(
    "message", ["how much is it?", "how is that?", "how much more do you have?"]
)
def test_a_question_of_words_of_small_talk_is_no_greeting(message: str) -> None:
    assert not answer_of(ask(message, MESSAGING)).startswith("Hello")


def test_a_tool_does_not_give_what_its_things_are_of() -> None:
    properties = {"timeRange": text("How far back.")}
    about = "Show how the pupils of the teacher's own courses are doing."
    tool = spec("get_analytics", about, properties, keywords=("results", "statistics"))
    assert ask("Which courses am I teaching?", (tool,)).calls == []
    assert ask("Which pupils do well?", (tool,), done).calls == [[("get_analytics", {})]]
    about = "Read a file of the workspace, whole or some of its lines."
    read = spec("read_file", about, {"path": text("The file")}, "path", keywords=("read",))
    assert ask("What lines are in app.py?", (read,), done).calls == [
        [("read_file", {"path": "app.py"})]
    ]


def test_only_what_was_asked_is_dropped() -> None:
    assert answer_of(ask("Cancel that, please", MESSAGING)).startswith("All right")
    assert "dropped" not in answer_of(ask("Cancel the meeting", MESSAGING))


def test_a_list_does_not_tell_whether_one_is_right() -> None:
    query = text('Words of it; "" for all.')
    tool = spec("search_content", "Search the user's content.", {"query": query}, "query")
    tool = replace(tool, keywords=("worksheet", "worksheets"))
    assert ask("Show my worksheets", (tool,), done).calls == [[("search_content", {"query": ""})]]
    assert ask("Is this worksheet correct?", (tool,)).calls == []


def test_a_comparison_is_not_searched() -> None:
    assert names("Is Omer more stressed than he was in the summer?") == []


def test_what_a_thing_is_of_is_not_listed_instead() -> None:
    project = spec("get_project", "Show the project.", {"name": text()}, keywords=("project",))
    inspection = spec("check_rules", "Make an inspection of all rules of the project.", {})
    talk = ask("Run an inspection of the project", (project, inspection), done)
    assert talk.calls == [[("check_rules", {})]]


def done(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"output": {"done": "All right."}}
