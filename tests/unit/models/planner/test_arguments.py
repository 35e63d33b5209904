"""What the planner makes of numbers, units, names, dates and listed values."""

from typing import Any

import pytest

from rollcall.models.planner.arguments import fill
from rollcall.models.planner.mentions import cue, read_message
from tests.unit.models.planner.kit import (
    EDUCATION,
    ELECTRICAL,
    WORKSPACE,
    Talk,
    ask,
    number,
    spec,
    text,
)


def done(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"output": {"ok": True}}


def first_call(message: str, tools: Any) -> tuple[str, dict[str, Any]]:
    return ask(message, tools, done).calls[0][0]


def filled(message: str, properties: dict[str, Any], *required: str) -> dict[str, Any]:
    tool = spec("do_it", "Do it.", properties, *required)
    return fill(tool, read_message(message)).arguments


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        (
            "What's the voltage drop for 12 AWG at 20 amps over 200 ft?",
            {"lengthFt": 200, "loadAmps": 20, "conductorSize": "12"},
        ),
        ("voltage drop on circuit 14 in panel LP-1", {"circuitNumber": 14, "panelName": "LP-1"}),
        ("מה מפל המתח במעגל 14 בלוח LP-1?", {"circuitNumber": 14, "panelName": "LP-1"}),
        ("what is the worst voltage drop?", {"selector": "worst"}),
    ],
)
def test_units_and_labels_place_each_number(message: str, arguments: dict[str, Any]) -> None:
    assert first_call(message, ELECTRICAL) == ("calculate_voltage_drop", arguments)


def test_a_value_is_converted_to_the_unit_in_the_name() -> None:
    name, arguments = first_call(
        "Add a 3.6 kW circuit for the EV charger to panel LP-1", ELECTRICAL
    )
    assert name == "add_circuit"
    assert arguments == {"panelName": "LP-1", "description": "EV charger", "loadWatts": 3600}


@pytest.mark.parametrize(
    ("message", "name", "arguments"),
    [
        (
            "צרי לי דף עבודה על שברים לכיתה ד",
            "generate_static_content",
            {"contentType": "worksheet", "topic": "שברים", "grade": "ד"},
        ),
    ],
)
def test_teachers_requests_fill_topic_grade_and_kind(
    message: str, name: str, arguments: dict[str, Any]
) -> None:
    assert first_call(message, EDUCATION) == (name, arguments)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("read src/app.ts", ("read_file", {"path": "src/app.ts"})),
        ("run `npm test`", ("run_command", {"command": "npm test"})),
        ("list the files in src", ("list_directory", {"path": "src"})),
    ],
)
def test_files_and_commands_are_taken_as_written(
    message: str, call: tuple[str, dict[str, Any]]
) -> None:
    assert first_call(message, WORKSPACE) == call


def test_missing_arguments_are_asked_for_one_by_one() -> None:
    talk = Talk(ELECTRICAL, done)
    assert "load" in talk.say("check the wire size")
    assert "conductor size" in talk.say("30 amps")
    talk.say("10 AWG")
    wanted = {"loadAmps": 30, "conductorSize": "10"}
    assert talk.calls == [[("check_conductor_sizing", wanted)]]


def test_a_question_offers_the_listed_values() -> None:
    talk = Talk(EDUCATION, done)
    asked = talk.say("צרי פעילות על שברים")
    assert asked.endswith("?")
    assert talk.quick_replies == ("א", "ב", "ג", "ד", "ה", "ו")
    talk.say("לכיתה ד")
    assert talk.calls[0][0][1] == {"topic": "שברים", "grade": "ד"}


def test_a_short_follow_up_changes_the_last_call() -> None:
    talk = Talk(ELECTRICAL, done)
    talk.say("voltage drop for 12 AWG at 20 amps over 200 ft")
    talk.say("and over 300 ft?")
    wanted = {"lengthFt": 300, "loadAmps": 20, "conductorSize": "12"}
    assert talk.calls == [[("calculate_voltage_drop", wanted)]]


@pytest.mark.parametrize(
    ("said", "value", "unit"),
    [
        ("1.75m", 1.75, "m"),
        ("50k", 50_000, None),
        ("$1.5 million", 1_500_000, "$"),
        ("1,000 users", 1000, None),
        ("50mH", 50, "mH"),
        ("-2.5", -2.5, None),
        ("20 מטר", 20, "m"),
    ],
)
def test_numbers_are_read_with_their_units(said: str, value: float, unit: str | None) -> None:
    every = read_message(f"take {said} now").mentions
    found = next(mention for mention in every if mention.kind == "number")
    assert found.value == value
    assert (found.unit.symbol if found.unit else None) == unit


def test_a_percentage_is_a_fraction_where_no_percent_is_spoken_of() -> None:
    assert filled("at 5%", {"rate": number("Interest rate")}, "rate") == {"rate": 0.05}
    assert filled("at 5%", {"ratePercent": number()}, "ratePercent") == {"ratePercent": 5}


def test_a_measure_is_no_number_of_a_thing() -> None:
    message = "Which circuits are over 80% loaded?"
    assert (
        filled(message, {"circuitNumber": number("Which circuit"), "panel": text("Its panel")})
        == {}
    )


def test_a_number_beside_one_label_is_of_no_other() -> None:
    properties = {"topic": text(), "grade": text(), "questionCount": number("How many questions")}
    asked = "Make a worksheet on adding fractions for grade 5 with 12 questions"
    found = filled(asked, properties, "topic")
    assert (found["grade"], found["questionCount"]) == ("5", 12)


def test_a_temperature_is_no_capacitance() -> None:
    assert filled("Derate at 110 °F", {"ambientF": number("Around it")}) == {"ambientF": 110}


def test_what_only_a_switch_says_is_asked_about() -> None:
    switch = {"type": "boolean", "description": "Drafts too."}
    tool = spec("check", "Check what you made.", {"includeAll": switch}, keywords=("mistakes",))
    found = fill(tool, read_message("Check what I made for mistakes, drafts too"))
    assert "drafts" in found.unusable


def test_what_does_not_fit_the_schema_is_left_out() -> None:
    limit = {"limit": {"type": "integer", "maximum": 50}}
    assert filled("limit 500", limit) == {}
    assert filled("limit 20", {"limit": {**limit["limit"], "default": 20}}) == {}
    assert filled("code XYZ", {"code": text(pattern=r"^\d+$")}, "code") == {}


def test_an_id_is_never_made_of_a_name() -> None:
    assert filled("Summarize conversation Launch", {"conversationId": text()}) == {}


@pytest.mark.parametrize(
    ("message", "mine"),
    [
        ("What action items do I have?", True),
        ("Show my open tasks", True),
        ("מה המשימות שלי?", True),
        ("אילו משימות פתוחות יש לי?", True),
        ("Which tasks came up in my talk with Omer?", False),
        ("What are Omer's tasks?", False),
        ("List all tasks", False),
    ],
)
def test_the_users_own_things_are_asked_for_as_such(message: str, mine: bool) -> None:
    assignee = text('"me" for the user\'s own, or a name.')
    keywords = ("action items", "tasks", "משימות")
    tool = spec("list_tasks", "List tasks.", {"assignee": assignee}, keywords=keywords)
    arguments = fill(tool, read_message(message)).arguments
    assert (arguments.get("assignee") == "me") is mine


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("What does Omer owe me?", {"assignee": "Omer", "owedTo": "me"}),
        ("What do I owe Maya?", {"assignee": "me", "owedTo": "Maya"}),
        ("What do others owe me?", {"owedTo": "me"}),
        ("What do I owe money for?", {"assignee": "me"}),
        ("Who has promised Lior a ride?", {"owedTo": "Lior"}),
        ("What is Lior still waiting for me to send?", {"assignee": "me", "owedTo": "Lior"}),
        ("What is waiting for me?", {"assignee": "me"}),
        ("What does Lior need from me?", {"assignee": "me", "owedTo": "Lior"}),
        ("מה ליאור מצפה ממני?", {"assignee": "me", "owedTo": "ליאור"}),
        ("מה עומר חייב לי?", {"assignee": "עומר", "owedTo": "me"}),
        ("מה מאיה צריכה לעשות?", {"assignee": "מאיה"}),
        ("משימות של מאיה באיחור", {"assignee": "מאיה"}),
        ("משימות של מאיה כהן", {"assignee": "מאיה כהן"}),
        ("מה אני צריכה לעשות?", {"assignee": "me"}),
    ],
)
def test_who_owes_and_who_is_owed_are_told_apart(message: str, arguments: dict[str, str]) -> None:
    person = text('"me" or a name.')
    tool = spec("list_tasks", "List tasks.", {"assignee": person, "owedTo": person})
    assert fill(tool, read_message(message)).arguments == arguments


def test_a_hebrew_name_ends_before_what_the_tool_knows() -> None:
    properties = {"assignee": text('"me" or a name.')}
    tool = spec("list_tasks", "List tasks.", properties, keywords=("משימות פתוחות",))
    asked = read_message("אילו מהמשימות של עומר פתוחות?")
    assert fill(tool, asked).arguments == {"assignee": "עומר"}


def test_who_does_the_most_is_not_what_a_list_of_at_most_so_many_tells() -> None:
    most = {"type": "integer", "minimum": 1, "description": "Most messages to return."}
    tool = spec("list_messages", "List messages.", {"limit": most}, keywords=("messages",))
    assert fill(tool, read_message("Who writes the most messages?")).unusable == ["most"]


@pytest.mark.parametrize(
    ("message", "grade"),
    [("a plan for 7th grade", "7th"), ("a plan for grade 7", "7"), ("a plan for kids", None)],
)
def test_an_ordinal_stands_before_what_it_numbers(message: str, grade: str | None) -> None:
    found = filled(f"Do {message}", {"grade": text()}).get("grade")
    assert found == grade


def test_a_write_goes_ahead_on_a_default_that_is_said_and_asks_where_nothing_is() -> None:
    form = {"type": "string", "enum": ["xlsx", "csv"], "default": "xlsx"}
    tool = spec(
        "export_data",
        "Export the results.",
        {"courseId": text(), "format": form},
        writes=True,
        keywords=("export results", "ייצוא תוצאות"),
        aliases={"xlsx": ("Excel", "אקסל")},
    )
    for said in ("Export the results to Excel", "ייצאי את התוצאות לאקסל", "ייצא תוצאות לאקסל"):
        assert ask(said, (tool,), done).calls[0] == [("export_data", {})], said
    assert ask("Export the results", (tool,), done).calls == []


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("on adding fractions", "adding fractions"),
        ("about adding and subtracting fractions", "adding and subtracting fractions"),
        ("on the fractions", "fractions"),
        ("for grade 5 on fractions", "fractions"),
        ("on fractions please", "fractions"),
        ("about fractions and grades", "fractions and grades"),
        ("על הטיול השנתי", "הטיול השנתי"),
    ],
)
def test_a_topic_begins_where_it_is_said_whatever_words_the_tool_has(said: str, topic: str) -> None:
    tool = spec(
        "add_worksheet",
        "Add a worksheet.",
        {"topic": text(), "grade": text()},
        "topic",
        writes=True,
        aliases={"topic": ("about", "on", "על")},
    )
    assert fill(tool, read_message(f"Make a worksheet {said}")).arguments["topic"] == topic


@pytest.mark.parametrize(
    ("message", "are_several"),
    [("heaters of 12 W", True), ("conductors of 12 AWG", False), ("conductors of 1/0", False)],
)
def test_things_of_so_many_watts_are_several_and_conductors_of_a_size_are_one(
    message: str, *, are_several: bool
) -> None:
    assert bool(cue("each").search(message)) is are_several


SHIPMENT = {
    "parcels": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "description": text('What it is, such as "lamp".'),
                "weightKg": number("kg"),
            },
            "required": ["description", "weightKg"],
        },
    },
    "totalKg": number("Of all of them, kg"),
}


def test_a_word_that_says_what_a_name_is_is_no_value() -> None:
    rules = {"type": "string", "enum": ["panels", "circuits", "grounding", "feeders", "labels"]}
    shown = ({"parameters": {"category": "panels"}},)
    properties = {"panelName": text(), "category": rules}
    tool = spec("inspect", "Inspect it.", properties, examples=shown)
    message = read_message("Inspect panel LP-2")
    assert fill(tool, message, {"panelName": ["LP-2"]}).arguments == {"panelName": "LP-2"}
    assert fill(tool, read_message("Inspect the panels")).arguments == {"category": "panels"}


@pytest.mark.parametrize(
    "message",
    [
        'Edit app.ini so that "off" replaces "on"',
        'In app.ini replace with "off" the text "on"',
        'In app.ini use "off" rather than "on"',
        'Change app.ini to "off" from "on"',
        'ערוך את app.ini: "off" במקום "on"',
    ],
)
def test_a_replacement_that_is_said_in_another_order_is_not_guessed(message: str) -> None:
    properties = {"oldText": text(), "newText": text(), "path": text("The file")}
    assert filled(message, properties, "oldText", "newText", "path") == {"path": "app.ini"}


def test_two_quotes_for_two_texts_are_not_given_out_by_their_order() -> None:
    properties = {"title": text(), "subtitle": text()}
    assert filled('Do it with "a" and "b"', properties, "title", "subtitle") == {}


def test_a_topic_goes_on_over_its_places_and_days() -> None:
    topic = {"topic": text("What it is about"), "grade": text()}
    tool = spec("do_it", "Do it.", topic, "topic", aliases={"topic": ("about",)})
    said = "Do it about the trip to Haifa on June 3 for grade 4"
    got = fill(tool, read_message(said)).arguments
    assert got == {"topic": "trip to Haifa on June 3", "grade": "4"}


def test_a_label_between_two_numbers_belongs_to_the_one_after_it() -> None:
    volts = {"sourceVoltage": number("V"), "loadVoltage": number("V")}
    aliases = {"sourceVoltage": ("from",), "loadVoltage": ("to",)}
    tool = spec("compare", "Compare.", volts, "sourceVoltage", "loadVoltage", aliases=aliases)
    got = fill(tool, read_message("It goes from 240 to 229 V")).arguments
    assert got == {"sourceVoltage": 240, "loadVoltage": 229}


UPDATE = {
    "circuitDescription": text("What it feeds"),
    "description": text("The new description"),
    "breakerAmps": number("Breaker, A"),
    "lengthM": number("Length, m"),
    "conductorSize": text("AWG size", enum=["14", "12", "10"]),
}


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("Change the circuit: 15 A", {"breakerAmps": 15}),
        ("תשנה את המעגל ל15 אמפר", {"breakerAmps": 15}),
        ("תשנה את האורך ל30 מטר", {"lengthM": 30}),
        ("Derate 12 AWG NM-B", {"conductorSize": "12"}),
        ("Derate 2.5 mm2", {}),
        ("Derate 2.5 mm² of cable", {}),
        ('תשנה ל2.5 ממ"ר', {}),
    ],
)
def test_a_quantity_is_no_text(message: str, arguments: dict[str, Any]) -> None:
    found = filled(message, UPDATE)
    texts = [found.pop(each, "") for each in ("circuitDescription", "description")]
    assert found == arguments
    assert not any(map(str.isdigit, "".join(texts)))
    assert "NM-B" not in texts


@pytest.mark.parametrize("message", ["voltage drop of 2.5 mm2", 'מפל מתח של 2.5 ממ"ר'])
def test_a_size_that_no_parameter_takes_is_asked_about(message: str) -> None:
    found = fill(ELECTRICAL[0], read_message(message))
    assert found.arguments == {}
    assert any("2.5" in each for each in found.unusable)


PATHS = {"path": text("The folder")}


def paths_of(message: str) -> dict[str, Any]:
    folder = spec(
        "list_directory", "List files.", PATHS, "path", aliases={"path": ("file", "folder", "קובץ")}
    )
    return fill(folder, read_message(message)).arguments


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("list the docs folder", "docs"),
        ("list in docs", "docs"),
        ("מה יש בתיקיית docs", "docs"),
        ("list src/app", "src/app"),
    ],
)
def test_a_path_is_one_word(message: str, path: str) -> None:
    assert paths_of(message) == {"path": path}


@pytest.mark.parametrize(
    "message",
    [
        "list teh docs folder",
        "list in the python files",
        "list the rust files",
        "תראה בקבצי python",
    ],
)
def test_two_words_and_the_files_of_a_kind_are_no_path(message: str) -> None:
    assert paths_of(message) == {}


@pytest.mark.parametrize("message", ["read quarterly report.md", "קרא את quarterly report.md"])
def test_a_path_is_not_the_end_of_a_name_with_a_space(message: str) -> None:
    talk = ask(message, WORKSPACE, done)
    assert talk.calls == []


@pytest.mark.parametrize("message", ["infographic על השמש", "infographic about the sun"])
def test_a_topic_is_no_grade(message: str) -> None:
    assert "gradeLevel" not in filled(
        message, {"gradeLevel": text("The grade"), "topic": text("What it is about")}, "gradeLevel"
    )


@pytest.mark.parametrize("message", ["Mark task-1 as complete", "סמן את task-1 כהושלם"])
def test_of_two_texts_neither_is_taken_for_the_other(message: str) -> None:
    texts = {"original": text("What was said"), "correction": text("What is right")}
    assert filled(message, texts, "original", "correction") == {}
