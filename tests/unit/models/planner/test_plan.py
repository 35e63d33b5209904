"""Messages that lean on the answer before them."""

from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.models.base import ToolSpec
from tests.unit.models.planner.kit import (
    EDUCATION,
    ELECTRICAL,
    MESSAGING,
    WORKSPACE,
    Talk,
    ask,
    number,
    spec,
    text,
    unmarked,
)


def test_thanks_after_an_answer_calls_nothing() -> None:
    talk = Talk(MESSAGING)
    talk.say("When is the launch?")
    assert talk.say("thanks") == "You're welcome!"
    assert talk.calls == []


def test_more_of_nothing_is_no_call() -> None:
    talk = Talk(MESSAGING)
    talk.say("hello")
    talk.say("more")
    assert talk.calls == []


def test_a_question_about_the_last_meeting_is_no_place_in_a_list() -> None:
    talk = Talk(MESSAGING)
    talk.say("What decisions were made?")
    talk.say("who came to the last meeting?")
    assert talk.calls == []


@pytest.mark.parametrize(
    "message", ["thx, you're great", "thanks a lot man", "תודה רבה אלופה", "תודה, אתה גאון"]
)
def test_warm_thanks_are_thanks(message: str) -> None:
    assert Talk(MESSAGING).say(message) in ("You're welcome!", "בשמחה!")


@pytest.mark.parametrize("message", ["tell Dana to call me back", "תגידי לדנה להתקשר אליי"])
def test_what_somebody_else_is_to_be_told_is_not_searched_for(message: str) -> None:
    talk = Talk(MESSAGING)
    talk.say(message)
    assert talk.calls == []


def test_a_part_that_a_tool_answers_is_not_named() -> None:
    answer = Talk(MESSAGING).say("Show my priorities and tell me which decisions were made")
    assert "by itself" not in answer


@pytest.mark.parametrize("message", ["כתבי מערך שיעור על זוויות", "כתבי מכתב על שבוע הספר"])
def test_material_that_is_to_be_written_is_no_dictated_message(message: str) -> None:
    kinds = text("What", enum=["letter", "lesson_plan"])
    tool = spec(
        "generate_content",
        "Make material.",
        {"contentType": kinds, "topic": text("About what")},
        "contentType",
        "topic",
        writes=True,
        keywords=("lesson plan", "מכתב", "מערך שיעור", "צור"),
        aliases={"letter": ("מכתב",), "lesson_plan": ("מערך שיעור",), "topic": ("על",)},
    )
    publish = spec("send", "Publish.", {"contentId": text()}, "contentId", writes=True)
    talk = Talk((tool, publish), lambda *_: {"output": {"done": "made"}})
    talk.say(message)
    ((name, arguments),) = talk.calls[0]
    assert name == "generate_content"
    assert arguments["contentType"] == ("lesson_plan" if "מערך" in message else "letter")


def test_things_are_offered_by_name() -> None:
    found = {"projectId": "p-7", "name": "Maple Street house"}
    other = {"projectId": "p-8", "name": "Mill Lane workshop"}
    remove = spec("delete_project", "Delete a project.", {"projectId": text()}, "projectId")
    listing = spec("list_projects", "List the user's projects.", {})
    output = {"projects": [found, other]}
    talk = Talk((listing, replace(remove, writes=True)), lambda *_: {"output": output})
    assert "Maple Street house" in talk.say("Delete the project")
    talk.say("Maple Street house")
    assert talk.calls[-1] == [("delete_project", {"projectId": "p-7"})]


PROJECTS = (
    spec("list_projects", "List the user's projects.", {}),
    spec(
        "check_wiring",
        "Check the wiring of a project.",
        {"projectId": text("Left out for the one at hand"), "circuitNumber": number("Which")},
        keywords=("wiring",),
    ),
)


def wiring(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if name == "list_projects":
        named = {"p-7": "Maple Street house", "p-8": "Mill Lane workshop"}
        return {"output": {"projects": [{"projectId": k, "name": v} for k, v in named.items()]}}
    if "projectId" in arguments:
        return {"output": {"answer": f"{arguments['projectId']} is fine"}}
    return {
        "error": {"code": "invalid-argument", "message": "which project?", "field": "projectId"}
    }


def test_a_thing_that_the_user_may_not_see_is_not_asked_for() -> None:
    denied = {"error": {"code": "permission-denied", "message": "no", "field": "projectId"}}
    talk = Talk(PROJECTS, lambda *_: denied)
    assert talk.say("Check the wiring").startswith("This did not work (check wiring): no")
    assert talk.calls == [[("check_wiring", {})]]


def done(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"output": {"done": "Done."}}


def test_a_short_follow_up_makes_the_same_once_more_with_what_it_changes() -> None:
    talk = Talk(EDUCATION, done)
    talk.say("צרי דף עבודה על שברים לכיתה ד")
    talk.say("ועכשיו לכיתה ה")
    made = {"contentType": "worksheet", "topic": "שברים", "grade": "ה"}
    assert talk.calls == [[("generate_static_content", made)]]


@pytest.mark.parametrize(
    "message",
    [
        "and is 1500 W enough?",
        "but LP-2 is full",
        "and keep LP-2",
        "and how loaded is LP-2 then",
        "or LP-2?",
        "ועכשיו לא ללוח LP-2",
        "but MDP stays",
        "ועכשיו LP-2 מלא",
    ],
)
def test_a_question_or_a_remark_does_not_make_the_same_once_more(message: str) -> None:
    talk = Talk(ELECTRICAL, done)
    talk.say("Add circuit to panel LP-1: description dishwasher, 1200 W")
    assert [name for name, _ in talk.calls[0]] == ["add_circuit"]
    talk.say(message)
    assert "add_circuit" not in {name for step in talk.calls for name, _ in step}


def test_two_of_a_kind_for_a_tool_that_takes_one_are_offered() -> None:
    talk = Talk(MESSAGING)
    talk.say("Summarize the Launch room and the Finance conversation")
    assert talk.calls == [[("get_user_conversations", {})]]
    assert talk.quick_replies == ("Launch room", "Finance")


def test_what_belongs_to_a_thing_is_no_second_thing() -> None:
    talk = Talk(MESSAGING)
    said = talk.say("Summarize the Launch room and its tasks")
    assert "“tasks”" in unmarked(said)


TASKS = spec(
    "list_tasks",
    "List tasks.",
    {"assignee": text('"me" or a name.'), "owedTo": text('"me" or a name.')},
    keywords=("tasks", "by when", "needs from me", "need to do", "promise", "צריך לעשות", "הבטיחו"),
)


def calls_of(message: str, tools: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    talk = Talk(tools, lambda name, arguments: {"output": {"done": "All right."}})
    talk.say(message)
    return [arguments for step in talk.calls for _, arguments in step]


def test_a_question_word_alone_is_no_question_of_its_own() -> None:
    (arguments,) = calls_of("What does Noa need from me and by when?", (TASKS,))
    assert arguments == {"assignee": "me", "owedTo": "Noa"}


def test_what_is_given_before_a_question_belongs_to_it() -> None:
    tools = (spec("tell_drop", "Tell the drop.", {}, keywords=("drop",)), ELECTRICAL[0])
    message = "100 ft of 10 AWG for a load current of 12 A. What is the drop?"
    given = {"lengthFt": 100, "conductorSize": "10", "loadAmps": 12}
    assert calls_of(message, tools) == [given]


def test_what_a_look_up_returned_is_no_answer_beside_a_remark() -> None:
    talk = Talk(MESSAGING)
    said = talk.say("What are the tasks in the gardening conversation?")
    assert [name for ((name, _),) in talk.calls] == ["get_user_conversations"]
    assert "gardening" in said
    assert "Finance" not in said


@pytest.mark.parametrize("then", ["only the first four, please", "just the first four"])
def test_fewer_of_the_same_are_the_same_search(then: str) -> None:
    talk = Talk(MESSAGING)
    talk.say("Search for messages about the budget")
    talk.say(then)
    assert talk.calls == [[("search_all_conversations", {"query": "budget", "limit": 4})]]


def test_a_wish_in_a_sentence_of_its_own_is_no_word_of_a_search() -> None:
    talk = Talk(MESSAGING)
    said = talk.say("Find messages about the budget. I'd also like a poster of it.")
    assert talk.calls == []
    assert "poster" in said


@pytest.mark.parametrize("then", ["only the urgent ones", "רק הדחופות"])
def test_some_of_a_list_are_not_those_of_another_tool(then: str) -> None:
    talk = Talk(MESSAGING)
    talk.say("What decisions were made?")
    talk.say(then)
    assert not talk.calls


def test_a_kind_that_is_changed_leaves_what_was_sought() -> None:
    words = text('What about; "" for all.')
    kinds = text("The kind", enum=["poem", "song"])
    tool = spec(
        "find_texts",
        "Find texts.",
        {"query": words, "kind": kinds},
        "query",
        keywords=("poems", "songs"),
        aliases={"poem": ("poems",), "song": ("songs",)},
    )
    talk = Talk((tool,), lambda name, arguments: {"output": {"texts": []}})
    talk.say("Find poems about rain")
    talk.say("and songs?")
    assert talk.calls == [[("find_texts", {"kind": "song", "query": "rain"})]]


@pytest.mark.parametrize(
    ("then", "calls"),
    [
        ("open shapes.py", []),
        ("open other/shapes.py", [[("read_file", {"path": "other/shapes.py"})]]),
    ],
)
def test_a_file_that_may_be_in_the_folder_that_was_listed_is_asked_about(
    then: str, calls: list[Any]
) -> None:
    reads = replace(WORKSPACE[0], keywords=("open",))
    talk = Talk((reads, WORKSPACE[2]), lambda name, arguments: {"output": {"files": ["shapes.py"]}})
    talk.say("List the files in the paint directory")
    talk.say(then)
    assert talk.calls == calls


@pytest.mark.parametrize(
    "then",
    ["and the second one?", "who made the second one?", "ומה עם השנייה?", "ומי החליט את השנייה?"],
)
def test_one_of_a_list_is_not_guessed_by_its_place(then: str) -> None:
    talk = Talk(MESSAGING)
    talk.say("What decisions were made?")
    talk.say(then)
    assert talk.calls == []


def _decisions(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"output": {"decisions": [{"decision": f"Choice {n}"} for n in range(1, 9)]}}


@pytest.mark.parametrize("then", ["show me the rest", "more", "תראה לי עוד", "תראי את השאר"])
def test_the_rest_of_a_list_is_what_was_not_told(then: str) -> None:
    talk = Talk(MESSAGING, _decisions)
    assert "Choice 6" in talk.say("What decisions were made?")
    first = talk.calls
    said = talk.say(then)
    assert talk.calls == first
    assert "Choice 8" in said
    assert "Choice 6" not in said
    assert "8)" in said.splitlines()[0]


def test_after_the_rest_there_is_no_more() -> None:
    talk = Talk(MESSAGING, _decisions)
    for message in ("What decisions were made?", "show the rest", "more"):
        talk.say(message)
    assert talk.calls == []


@pytest.mark.parametrize("then", ["show me the rest", "תראי את השאר"])
def test_a_list_that_was_told_whole_has_no_rest(then: str) -> None:
    talk = Talk(MESSAGING)
    assert "Hire a designer" in talk.say("What decisions were made?")
    assert talk.say(then) in ("There are no more decisions.", "אין עוד החלטות.")


def test_the_rest_of_a_write_is_not_written_again() -> None:
    send = spec("send_note", "Send a note.", {"content": text("The words")}, "content", writes=True)
    talk = Talk((send,), lambda name, arguments: {"output": {"done": "Sent."}})
    talk.say("Send a note that I'm late")
    assert talk.calls == [[("send_note", {"content": "I'm late"})]]
    talk.say("more")
    assert talk.calls == []


@pytest.mark.parametrize(
    "message",
    [
        "Summarize the Launch room and tell me who baked it",
        "Show my priorities and tell me who wrote them",
    ],
)
def test_of_two_requests_none_is_carried_out_alone(message: str) -> None:
    assert Talk(MESSAGING).say(message)
    talk = Talk(MESSAGING)
    talk.say(message)
    assert talk.calls == []


@pytest.mark.parametrize(
    "message",
    [
        "What does Noa need to do, and what did others promise me?",
        "מה דנה צריכה לעשות ומה הבטיחו לי?",
    ],
)
def test_two_questions_for_one_tool_are_not_one(message: str) -> None:
    assert calls_of(message, (TASKS,)) == []


@pytest.mark.parametrize("then", ["and in the design one?", "and what about design?"])
def test_another_thing_is_asked_for_by_its_name(then: str) -> None:
    talk = Talk(MESSAGING)
    talk.say("Summarize the finance conversation")
    talk.say(then)
    assert "summarize_conversation" not in {name for step in talk.calls for name, _ in step}


def test_what_a_tool_refused_for_is_told() -> None:
    said = Talk(PROJECTS, wiring).say("Check the wiring")
    assert said == "This did not work (check wiring): which project?."


@pytest.mark.parametrize("then", ["only the decisions please", "רק ההחלטות בבקשה"])
def test_a_part_of_what_was_told_is_not_all_of_its_kind(then: str) -> None:
    talk = Talk(MESSAGING)
    talk.say("Summarize the Finance conversation")
    talk.say(then)
    assert talk.calls == []


@pytest.mark.parametrize(
    "message", ["Show my priorities and tell me which decisions were made", "מה דחוף ומה הוחלט?"]
)
def test_two_plain_questions_are_both_answered(message: str) -> None:
    talk = Talk(MESSAGING)
    said = talk.say(message)
    ((first, second),) = talk.calls
    assert {first[0], second[0]} == {"get_priority_messages", "get_conversation_decisions"}
    assert "The server is down" in said
    assert "Hire a designer" in said


def test_words_of_one_part_are_no_query_of_another() -> None:
    table = spec(
        "lookup_nec_table",
        "Look up a table.",
        {"query": text("What to look up")},
        keywords=("which conductors",),
    )
    motor = spec(
        "size_motor_circuit",
        "Size a motor's circuit.",
        {"hp": number("Power, hp")},
        keywords=("which breaker", "breaker for a motor"),
    )
    said = "Which conductors, and which breaker for a motor of 15 hp?"
    talk = ask(said, (table, motor), lambda name, arguments: {"output": {}})
    assert "lookup_nec_table" not in [name for step in talk.calls for name, _ in step]
