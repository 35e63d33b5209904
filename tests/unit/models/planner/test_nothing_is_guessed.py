"""What a message says goes to the argument that it is for, or is asked about; never elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.core.messages import UserMessage
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.offline import Model
from rollcall.models.planner.arguments import fill
from rollcall.models.planner.mentions import read_message
from tests.unit.models.planner.kit import (
    EDUCATION,
    ELECTRICAL,
    MESSAGING,
    SIZES,
    WORKSPACE,
    Talk,
    answer_of,
    ask,
    message_of,
    number,
    spec,
    text,
)

NAMES = {"panelName": ("Main Panel", "Garage Subpanel", "LP1"), "circuitDescription": ("Oven",)}


def done(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"output": {"ok": True}}


def calls(
    message: str, tools: tuple[ToolSpec, ...] = ELECTRICAL
) -> list[tuple[str, dict[str, Any]]]:
    request = ModelRequest("", (UserMessage.of(message),), tools, names=NAMES)
    made = message_of(list(Model().stream(request)))
    return [(call.name, call.arguments or {}) for call in made.tool_calls]


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("add a line of 100 ft for the oven", {"number": 100}),
        ("add three lamps for the oven", {"watts": 3}),
    ],
)
def test_a_number_without_its_unit_takes_no_place(message: str, arguments: dict[str, Any]) -> None:
    properties = {
        "number": {"type": "integer", "description": "Its number"},
        "watts": number("Load, W"),
    }
    tool = spec("add_line", "Add a line.", properties, "watts")
    found = fill(tool, read_message(message))
    assert not arguments.items() & found.arguments.items()
    assert found.unusable


@pytest.mark.parametrize(
    "message",
    [
        "Read the first 20 lines of app.py",
        "List the src folder two levels deep",
    ],
)
def test_a_count_is_no_place_and_no_path(message: str) -> None:
    lines = spec(
        "read_file",
        "Read a file of the workspace.",
        {"path": text("The file"), "startLine": {"type": "integer", "description": "First line"}},
        "path",
    )
    made = calls(message, (lines, WORKSPACE[2]))
    assert not any({"two", 20, 2} & set(arguments.values()) for _, arguments in made)


@pytest.mark.parametrize(
    "message",
    [
        "voltage drop of the circuits longer than 100 ft",
        "voltage drop of the circuits above 20 A",
        "What's the voltage drop of circuit 5 mine",
    ],
)
def test_a_comparison_or_an_owner_is_no_argument(message: str) -> None:
    assert calls(message) == []


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("מעגלים 3 ו-5", [3, 5]),
        ("שנה את מעגל 5 ל-16 אמפר", [5, 16]),
        ("6 people, 2 hours", [6, 2]),
        ("a part of 7-1/2 hp", []),
        ("between 3/4 and 5", [5]),
    ],
)
def test_every_number_is_read(message: str, numbers: list[int]) -> None:
    mentions = read_message(message).mentions
    assert [each.value for each in mentions if each.kind == "number"] == numbers


def test_hours_are_no_henries() -> None:
    (mention,) = read_message("2 hours").mentions
    assert mention.unit is not None
    assert (mention.unit.symbol, mention.unit.dimension) == ("h", "duration")


@pytest.mark.parametrize(
    ("message", "panel"),
    [
        ("voltage drop of circuit 3 in the garage subpanel", "Garage Subpanel"),
        ("voltage drop of circuit 3 in the garage panel", "garage"),
        ("voltage drop of circuit 3 of LP1", "LP1"),
    ],
)
def test_a_name_is_passed_on_as_it_is_listed_or_as_it_was_said(message: str, panel: str) -> None:
    arguments = {"circuitNumber": 3, "panelName": panel}
    assert calls(message) == [("calculate_voltage_drop", arguments)]


def test_a_name_in_a_code_is_another_thing() -> None:
    assert calls("voltage drop LP1-19") == []


def test_a_name_that_the_tool_has_no_use_for_is_asked_about() -> None:
    listing = spec("get_project", "Show what is in a project.", {"panelName": text()})
    made = calls("Which breaker feeds the oven in the project?", (listing,))
    assert made == []


@pytest.mark.parametrize("verb", ["set", "make", "change", "edit"])
def test_verbs_of_one_kind_ask_for_the_same_change(verb: str) -> None:
    change = spec(
        "update_circuit",
        "Change fields of one circuit.",
        {"panelName": text(), "circuitNumber": {"type": "integer"}, "loadWatts": number("W")},
        "circuitNumber",
        writes=True,
    )
    made = calls(f"{verb} circuit 9 of LP1 to 1800 watts", (*ELECTRICAL[:2], change))
    arguments = {"panelName": "LP1", "circuitNumber": 9, "loadWatts": 1800}
    assert made == [("update_circuit", arguments)]


def test_a_part_that_asks_for_nothing_stays_with_the_part_before() -> None:
    made = calls("What is the voltage drop of circuit 3 at 20 amps and 10 AWG?")
    arguments = {"circuitNumber": 3, "loadAmps": 20, "conductorSize": "10"}
    assert made == [("calculate_voltage_drop", arguments)]


def test_there_is_no_place_of_its_own() -> None:
    fault = spec(
        "calculate_short_circuit",
        "Calculate the available fault current at a panel.",
        {"panelName": text("Panel")},
        keywords=("fault current",),
        aliases={"panelName": ("panel",)},
    )
    talk = Talk((*ELECTRICAL, fault), done)
    talk.say("What is the voltage drop of circuit 3 in panel LP-1?")
    talk.say("and what is the fault current there?")
    assert talk.calls == []


@pytest.mark.parametrize(
    "message", ["Show me the decisions from October", "Which decisions were made today?"]
)
def test_days_that_no_tool_takes_are_said_not_to_be_used(message: str) -> None:
    talk = ask(message, MESSAGING)
    assert (talk.calls, "can't tell" in answer_of(talk)) == ([], True)


def test_a_search_whose_results_lack_the_words_says_so() -> None:
    def searched(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        found = {"messageId": "m7", "content": "Dan is on a plane", "relevance": 1}
        return {"output": {"results": [found], "totalFound": 1}}

    said = answer_of(ask("Is the garden waterproof in winter?", MESSAGING, searched))
    assert said.startswith("I could not find any results")


@pytest.mark.parametrize("who", ["Finance and Sales", "Sales and Finance"])
def test_one_of_two_that_are_joined_is_not_taken_alone(who: str) -> None:
    talk = ask(f"Summarize my chats {who}", MESSAGING)
    assert "summarize_conversation" not in [name for step in talk.calls for name, _ in step]
    assert "“Sales”" in answer_of(talk)


def test_a_command_that_no_tool_obeys_is_not_searched_for() -> None:
    assert ask("Ask Rina when the budget closes", MESSAGING).calls == []


@pytest.mark.parametrize(
    "message",
    [
        "Who has not answered Dana's question yet?",
        "What do the three offers add up to?",
        "How many people work here?",
        "How often does Dana write?",
        "מי עוד לא אישר הגעה?",
        "כמה כסף הוצאנו בסך הכול?",
    ],
)
def test_a_negation_a_sum_and_a_count_are_not_looked_for(message: str) -> None:
    assert not ask(message, MESSAGING).calls


@pytest.mark.parametrize("message", ["Is 10 gauge ok for the oven?", "10 AWG מתאים לתנור?"])
def test_a_tool_that_cannot_take_a_number_is_not_called(message: str) -> None:
    oven = "Calculate the neutral load of an oven."
    load = spec("calculate_neutral_load", oven, {"loadAmps": number("Load, A")}, "loadAmps")
    load = replace(load, keywords=("oven", "תנור"))
    properties = {"conductorSize": text("AWG size as printed"), "circuitDescription": text()}
    size = spec("check_conductor_sizing", "Verify a conductor.", properties, "conductorSize")
    request = ModelRequest(
        "",
        (UserMessage.of(message),),
        (load, size),
        names={"circuitDescription": ("Oven", "תנור")},
    )
    made = message_of(list(Model().stream(request))).tool_calls
    assert "calculate_neutral_load" not in [call.name for call in made]


@pytest.mark.parametrize(
    "message",
    [
        "Which tasks do I have there?",
        "אילו משימות יש לי שם?",
        "How much is 15% of 240?",
        "כמה זה 15% מ-240?",
    ],
)
def test_a_place_that_nothing_named_and_a_sum_are_not_looked_for(message: str) -> None:
    assert not ask(message, MESSAGING).calls


def test_that_which_nothing_before_said_is_asked_about() -> None:
    assert calls("What voltage drop is that?") == []


@pytest.mark.parametrize(
    "message", ["transcribe talk.mp4, it's in English", "תמלל talk.mp4 באנגלית"]
)
def test_a_word_is_no_id(message: str) -> None:
    properties = {"fileId": text("The same as a file"), "path": text("The file")}
    tool = spec("transcribe", "Transcribe a file.", properties, keywords=("תמלל",))
    assert "fileId" not in fill(tool, read_message(message)).arguments


@pytest.mark.parametrize(
    "message",
    [
        "Add circuit for a freezer in the garage, 800 W, panel LP-1",
    ],
)
def test_what_is_added_is_not_where_it_stands(message: str) -> None:
    found = fill(ELECTRICAL[2], read_message(message))
    assert found.arguments.get("description") == "freezer"
    assert [*found.left] == ["garage"]


@pytest.mark.parametrize("message", ["Summarize it in at most 80 words", "סכם עד 80 מילים"])
def test_a_most_with_a_unit_is_a_value(message: str) -> None:
    most = {"type": "integer", "description": "Most words of the summary"}
    tool = spec("summarize", "Summarize a chat.", {"maxLength": most}, keywords=("סכם",))
    assert fill(tool, read_message(message)).arguments == {"maxLength": 80}


@pytest.mark.parametrize(
    "message",
    [
        "Add circuit to panel LP-1: description dishwasher, 1200 W, but keep the breaker",
        "Add circuit to panel LP-1: description dishwasher, 1200 W אבל להשאיר את המפסק",
        "Who calculated circuit 3?",
        "voltage drop of circuit 3 without ground",
    ],
)
def test_what_is_said_after_but_and_who_did_it_is_not_passed_over(message: str) -> None:
    assert calls(message) == []


@pytest.mark.parametrize("message", ["Which chats have I not read?", "אילו שיחות לא קראתי?"])
def test_a_negation_is_no_word_of_a_tool_that_says_not(message: str) -> None:
    search = replace(MESSAGING[5], description=f"{MESSAGING[5].description} Not for files. לא")
    assert not ask(message, (*MESSAGING[:5], search)).calls


@pytest.mark.parametrize(
    "message",
    [
        "Don't add a circuit, just tell me the voltage drop of circuit 3",
        "אל תוסיף מעגל, רק תגיד לי מה מפל המתח במעגל 3",
    ],
)
def test_what_is_not_to_be_done_is_not_done(message: str) -> None:
    assert calls(message) == []


@pytest.mark.parametrize("message", ["How was my class last month?", "איך הכיתה בחודש האחרון?"])
def test_a_month_is_a_value_where_months_are_listed(message: str) -> None:
    tool = spec(
        "get_analytics",
        "Tell how a class is doing.",
        {"timeRange": text("Of when", enum=["week", "month"])},
        aliases={"month": ("החודש",)},
        keywords=("class", "איך הכיתה"),
    )
    found = fill(tool, read_message(message))
    assert (found.arguments, found.unusable) == ({"timeRange": "month"}, [])


SEND = spec(
    "send_message",
    "Send a message.",
    {"to": text("Who"), "content": text("The words")},
    "content",
    writes=True,
    keywords=("send", "tell", "שלח"),
    aliases={"to": ("Dana", "דנה")},
)


@pytest.mark.parametrize(
    ("message", "content"),
    [("Tell Dana that I'm late", "I'm late"), ("שלח לדנה שאני לא מגיע", "אני לא מגיע")],
)
def test_a_negation_in_what_is_to_be_sent_is_part_of_it(message: str, content: str) -> None:
    ((name, arguments),) = calls(message, (SEND,))
    assert (name, arguments["content"]) == ("send_message", content)


@pytest.mark.parametrize("message", ["שלח לדנה שאלה על התקציב", "שלח לדנה שתי תמונות"])
def test_a_hebrew_noun_is_not_cut_where_it_begins_as_that_does(message: str) -> None:
    assert not calls(message, (SEND,))


@pytest.mark.parametrize(
    "message",
    [
        "Show me messages that are not urgent",
        "הראה הודעות לא דחוף",
        "Do I have no tasks?",
    ],
)
def test_a_negation_beside_a_keyword_is_not_passed_over(message: str) -> None:
    assert not ask(message, MESSAGING).calls


def test_a_negation_beside_a_value_is_not_passed_over() -> None:
    assert calls("Check the wire size, not 12 AWG, 20 A") == []
    assert "“not”" in answer_of(ask("voltage drop but not LP1", ELECTRICAL, done))


@pytest.mark.parametrize("message", ["Search for 2024", "חפש 2024"])
def test_a_number_that_is_to_be_searched_for_is_a_topic(message: str) -> None:
    assert ask(message, MESSAGING).calls == [[("search_all_conversations", {"query": "2024"})]]


@pytest.mark.parametrize(
    "message",
    [
        "Search for red but cheap paint",
        "חפש צבע אדום אבל זול",
        "No, show my decisions",
        "לא, תראה לי החלטות",
    ],
)
def test_what_is_searched_for_and_a_first_no_are_not_asked_about(message: str) -> None:
    assert ask(message, MESSAGING).calls


def test_a_number_alone_chooses_no_tool() -> None:
    assert calls("What is the difference between 12 AWG and 10 AWG?") == []


@pytest.mark.parametrize("message", ["inspect everything except grounding", "בדוק הכול חוץ מהארקה"])
def test_what_is_left_out_is_not_what_is_wanted(message: str) -> None:
    category = text("Which rules", enum=["grounding", "panels"])
    inspect = spec("run_inspection", "Inspect a project.", {"category": category})
    aliases = {"grounding": ("הארקה",)}
    inspect = replace(inspect, keywords=("inspect", "בדוק הכול"), aliases=aliases)
    assert calls(message, (inspect,)) == []


INSPECTION = spec(
    "run_inspection",
    "Inspect the project.",
    {"category": text("Of what", enum=["all", "grounding", "panels"], default="all")},
    keywords=("inspect", "violations", "ביקורת"),
    aliases={"grounding": ("הארקה",), "panels": ("לוחות",)},
)


@pytest.mark.parametrize(
    "message",
    [
        "Look for violations in everything but the panels",
        "Inspect all of it other than grounding",
        "Inspect the project apart from panels",
        "Inspect the project, leaving the panels out",
        "Inspect and skip grounding",
        "ביקורת על הכול פרט ללוחות",
        "תעשה ביקורת, תדלג על לוחות",
    ],
)
def test_an_exception_is_never_taken_for_what_is_wanted(message: str) -> None:
    assert not calls(message, (INSPECTION,))


@pytest.mark.parametrize("message", ["Inspect the panels", "תעשה ביקורת על לוחות"])
def test_without_an_exception_it_is_wanted(message: str) -> None:
    assert calls(message, (INSPECTION,)) == [("run_inspection", {"category": "panels"})]


@pytest.mark.parametrize("message", ["Show the urgent ones, not the high", "urgent, without high"])
def test_of_two_values_neither_is_taken_for_the_other(message: str) -> None:
    levels = text(enum=["urgent", "high"])
    tool = spec("show_messages", "Show messages.", {"level": levels}, keywords=("ones",))
    found = fill(tool, read_message(message))
    assert found.arguments == {}
    assert {"urgent", "high"} <= {*found.unusable}


@pytest.mark.parametrize(
    "message",
    [
        "run make build four times",
        "run make build and then run make test",
        "execute make build unless it is Friday",
        "תריץ make build שלוש פעמים",
    ],
)
def test_what_is_said_after_a_command_is_no_part_of_it(message: str) -> None:
    tools = (replace(WORKSPACE[1], writes=True, keywords=("תריץ",)),)
    assert not calls(message, tools)


@pytest.mark.parametrize("message", ["What decisions did he take?", "אילו החלטות היו לו?"])
def test_somebody_whom_nothing_names_is_asked_about(message: str) -> None:
    assert not calls(message, MESSAGING)


def test_a_word_for_somebody_who_is_named_is_no_hindrance() -> None:
    assert calls("Search for what Dana said about her budget", MESSAGING)


def test_several_sentences_are_not_searched_for_as_one_topic() -> None:
    assert not calls("I was out all week. Where is the party, and who pays?", MESSAGING)


def test_of_a_remark_nothing_is_made() -> None:
    tool = replace(EDUCATION[0], writes=True)
    assert calls("דף עבודה על שברים לכיתה ד", (tool,))
    assert not calls("דף העבודה על שברים לכיתה ד היה ארוך", (tool,))


def test_a_remark_is_no_request_whatever_the_keywords_say() -> None:
    keywords = ("the task is done",)
    tool = spec("close", "Close.", {"name": text()}, "name", writes=True, keywords=keywords)
    assert calls('Close the task: "Press kit"', (tool,)) == [("close", {"name": "Press kit"})]
    assert not calls('The task is done: "Press kit"', (tool,))


@pytest.mark.parametrize("message", ["40 ft longer", "מה מפל המתח ב-12 מטר יותר?"])
def test_by_how_much_something_is_longer_is_not_its_length(message: str) -> None:
    found = fill(ELECTRICAL[0], read_message(message))
    assert "lengthFt" not in found.arguments
    assert found.unusable


@pytest.mark.parametrize(
    ("message", "arguments"),
    [("Drop of circuit 2?", {"circuitNumber": 2}), ("Drop of two circuits?", {})],
)
def test_how_many_there_are_is_not_which_one(message: str, arguments: dict[str, int]) -> None:
    assert fill(ELECTRICAL[0], read_message(message)).arguments == arguments


def test_another_one_is_no_value() -> None:
    kinds = text("Of what kind", enum=["lighting", "other"])
    tool = spec("check_load", "Check a load.", {"loadType": kinds}, keywords=("how full",))
    assert fill(tool, read_message("and the other one?")).arguments == {}
    typed = fill(tool, read_message("load: other"))
    assert typed.arguments == {"loadType": "other"}


@pytest.mark.parametrize(
    ("message", "is_asked"),
    [
        ("What does the table give for 12 AWG at 60 or 75 °C?", True),
        ("What does the table give for 12 AWG at 75 °C?", False),
    ],
)
def test_of_two_values_for_one_place_none_is_dropped(message: str, is_asked: bool) -> None:
    properties = {
        "temperatureC": number("Rating, °C", enum=[60, 75]),
        "conductorSize": text("AWG size", enum=SIZES),
        "query": text("The question as it was asked"),
    }
    tool = spec("look_up", "Look up a table.", properties, keywords=("table",))
    assert (not calls(message, (tool,))) is is_asked


def test_a_number_is_not_excused_by_a_keyword_that_it_is() -> None:
    tool = spec("change", "Change it.", {"breakerAmps": number("A")}, keywords=("שני", "two pole"))
    assert fill(tool, read_message("שני מפסקים")).unusable == ["שני"]
    assert not fill(tool, read_message("a two pole breaker")).unusable


FILES = spec(
    "search_files",
    "Search the files of the user's workspace.",
    {
        "query": text("What to find"),
        "glob": text("Only files of this form"),
        "path": text("Only in this folder"),
        "caseSensitive": {"type": "boolean", "default": False},
    },
    "query",
    keywords=("grep",),
    aliases={"path": ("folder", "files")},
)


@pytest.mark.parametrize(
    "message",
    [
        'find "color" in the *.css files and sort them backwards',
        "Where is the palette? Two lines of context",
    ],
)
def test_what_a_search_is_not_given_is_asked_about(message: str) -> None:
    assert not calls(message, (FILES,))


def test_the_topic_of_a_search_is_what_it_is_for() -> None:
    message = "Search my old notes for the palm tree, please"
    assert fill(FILES, read_message(message)).arguments == {"query": "palm tree"}


@pytest.mark.parametrize("message", ["תגידי לי אם היא הבטיחה לי משהו", "מה הוא חייב לי?"])
def test_she_and_he_who_are_not_named_are_asked_about(message: str) -> None:
    person = text('"me" or a name.')
    keywords = ("הבטיחה", "חייב")
    tool = spec("list_tasks", "List tasks.", {"owedTo": person}, keywords=keywords)
    assert not calls(message, (tool,))


@pytest.mark.parametrize(
    ("message", "is_called"),
    [
        ("Close the gate", True),
        ("Close the gate if anyone is there", False),
        ("If anyone is there, close the gate", False),
        ("Close the gate once everyone is there", False),
        ("סגור את השער", True),
        ("סגור את השער אם יש משהו", False),
    ],
)
def test_a_change_under_a_condition_is_not_made(message: str, is_called: bool) -> None:
    keywords = ("close the gate", "סגור את השער")
    tool = spec("close_gate", "Close the gate.", {}, writes=True, keywords=keywords)
    assert bool(calls(message, (tool,))) is is_called


def test_a_condition_holds_for_all_that_follows_it() -> None:
    tools = (spec("check_load", "Check a load.", {}, keywords=("load",)), ELECTRICAL[2])
    message = "If the load is low, then add a circuit for a lamp of 60 W to panel LP-1"
    assert "add_circuit" not in [name for name, _ in calls(message, tools)]


def test_a_condition_inside_a_message_to_somebody_is_sent_with_it() -> None:
    ((_, arguments),) = calls("Tell Dana that we start if Tom comes", (SEND,))
    assert arguments["content"] == "we start if Tom comes"


@pytest.mark.parametrize("message", ["check everything except panels", "בדוק הכול מלבד לוחות"])
def test_a_word_that_leaves_something_out_is_no_name(message: str) -> None:
    keywords = ("check", "בדוק")
    aliases = {"panelName": ("panels", "לוחות")}
    tool = spec("check", "Check panels.", {"panelName": text()}, keywords=keywords, aliases=aliases)
    assert not fill(tool, read_message(message)).arguments
    assert not calls(message, (tool,))


@pytest.mark.parametrize(
    ("message", "is_called"),
    [("What lines are in app.py?", True), ("How many lines are in app.py?", False)],
)
def test_what_is_only_read_is_not_counted(message: str, is_called: bool) -> None:
    described = "Read a file, whole or some of its lines."
    tool = spec("read_file", described, {"path": text("The file")}, "path", keywords=("read",))
    assert bool(calls(message, (tool,))) is is_called


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("What do I owe Dana?", {"assignee": "me", "owedTo": "Dana"}),
        ("What do I still owe Dana?", {"assignee": "me", "owedTo": "Dana"}),
        ("What have I promised Dana?", {"assignee": "me", "owedTo": "Dana"}),
        ("What does Dana owe me?", {"assignee": "Dana", "owedTo": "me"}),
        ("מה אני עדיין חייבת?", {"assignee": "me"}),
    ],
)
def test_what_somebody_owes_is_theirs_to_do(message: str, arguments: dict[str, str]) -> None:
    person = text('"me" or a name.')
    properties = {"assignee": person, "owedTo": person}
    tool = spec("list_tasks", "List tasks.", properties, keywords=("owe", "promised", "חייבת"))
    assert fill(tool, read_message(message)).arguments == arguments


@pytest.mark.parametrize(
    "message",
    ["Which decisions came of hiring a new cook?", "אילו החלטות התקבלו בפגישת צוות התכנון"],
)
def test_what_a_list_has_is_not_sought_by_its_words(message: str) -> None:
    assert "search_all_conversations" not in [name for name, _ in calls(message, MESSAGING)]


PEOPLE = replace(
    spec(
        "send_message",
        "Send it.",
        {"to": text("Who", enum=["Dana", "Noa"]), "content": text("The words")},
        "to",
        "content",
        keywords=("send", "tell", "write", "תכתבי"),
        aliases={"Dana": ("דנה",), "Noa": ("נועה",)},
    ),
    writes=True,
)


@pytest.mark.parametrize(
    "message",
    [
        "Write to Dana that the room is booked and to Noa that lunch is late",
        "Tell Dana that I'm on my way and tell Noa that we start at nine",
        "Write to Dana: it is done, and to Noa: well done",
        "תכתבי לדנה שהחדר מוכן ולנועה שהארוחה מאחרת",
    ],
)
def test_what_two_people_are_told_is_not_sent_to_one(message: str) -> None:
    assert not calls(message, (PEOPLE,))


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("Tell Dana that Noa and Tom are late", "Noa and Tom are late"),
    ],
)
def test_people_in_what_somebody_is_told_are_told_nothing(message: str, content: str) -> None:
    assert calls(message, (PEOPLE,)) == [("send_message", {"to": "Dana", "content": content})]


@pytest.mark.parametrize(
    "message",
    [
        "What is the voltage drop of circuit 3, and which circuit is the longest?",
        "What is the voltage drop of circuit 3? What of circuit 5?",
        "מה מפל המתח במעגל 3? ומה במעגל 5?",
    ],
)
def test_of_two_requests_none_is_dropped(message: str) -> None:
    assert calls(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "What is the voltage drop of the second circuit on LP1?",
        "What is the voltage drop of the last one?",
        "מה מפל המתח במעגל השני?",
    ],
)
def test_a_place_in_a_list_is_no_name(message: str) -> None:
    assert calls(message) == []


def test_of_two_people_one_is_not_told_of_alone() -> None:
    person = text('"me" or a name.')
    tool = spec("list_tasks", "List tasks.", {"assignee": person}, keywords=("tasks",))
    assert calls("Show my tasks", (tool,)) == [("list_tasks", {"assignee": "me"})]
    assert calls("Show me my tasks and Dan's", (tool,)) == []
    decisions = spec("list_decisions", "List decisions.", {}, keywords=("decisions",))
    assert calls("Show the decisions of Sarah and Dan", (decisions,)) == []


@pytest.mark.parametrize("message", ["דף עבודה על שברים לכיתות ד ו-ה", "צרי דף עבודה לכיתה ד או ה"])
def test_of_two_values_beside_one_name_none_is_taken(message: str) -> None:
    assert calls("דף עבודה על שברים לכיתה ד", EDUCATION)
    assert calls(message, EDUCATION) == []


def test_the_most_of_something_is_not_what_it_is() -> None:
    tool = spec("check_panel", "Check a panel.", {"description": text("The new load")})
    assert fill(tool, read_message("Check it for a heater")).arguments
    found = fill(tool, read_message("Check it for the largest"))
    assert (found.arguments, found.unusable[0]) == ({}, "largest")


def test_a_file_is_no_folder() -> None:
    folders = spec(
        "list_directory", "List a folder.", {"path": text("The folder"), "limit": number("Most")}
    )
    files = spec("read_file", "Read a file.", {"path": text("The file")}, "path")
    assert calls("Show me src/app.py", (folders, files)) == [("read_file", {"path": "src/app.py"})]
    assert calls("Show me src/", (folders, files)) == [("list_directory", {"path": "src/"})]


def test_a_part_that_narrows_may_be_of_the_thing_that_another_names() -> None:
    panel = {"panelName": text("The panel")}
    load = spec("check_load", "Check the load.", panel, keywords=("check the load",))
    faults = spec("list_faults", "List the faults.", panel, keywords=("list the faults", "faults"))
    assert calls("Check the load of LP1, and list only the faults", (load, faults)) == []
    both = calls("Check the load of LP1, and list the faults of LP1", (load, faults))
    assert {name for name, _ in both} == {"check_load", "list_faults"}


def test_a_tool_that_takes_all_of_a_message_fits_it() -> None:
    properties = {
        "panelName": text("The panel"),
        "watts": number("New load, W"),
        "what": text("It"),
    }
    tool = spec("check_capacity", "Tell whether a panel has room.", properties, "panelName")
    wanted = {"panelName": "LP1", "watts": 5000}
    assert calls("Can LP1 take 5 kW?", (tool,)) == [("check_capacity", wanted)]
    assert calls("Can LP1 take 5 kW on Friday?", (tool,)) == []
