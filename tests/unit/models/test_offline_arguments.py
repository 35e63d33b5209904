"""What the planner makes of numbers, units, names, dates and listed values."""

from typing import Any

import pytest

from rollcall.models._offline.fill import Source, fill
from rollcall.models._offline.mentions import mentions
from tests.unit.models.offline_kit import (
    EDUCATION,
    ELECTRICAL,
    NOW,
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
    return fill(tool, Source(message, NOW)).arguments


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


LOAD = {
    "type": "object",
    "properties": {"description": text("What it is."), "watts": number("Its load, W.")},
    "required": ["description", "watts"],
}
SERVICE = spec(
    "check_service",
    "Check whether the service can take proposed loads.",
    {
        "proposedLoads": {"type": "array", "items": LOAD, "description": "The new loads."},
        "totalAdditionalWatts": number("All new loads together, W."),
        "serviceAmps": number("Of the service, A."),
    },
    keywords=("service", "take loads", "החיבור", "האם החיבור מספיק"),
)


def service(message: str) -> dict[str, Any]:
    return fill(SERVICE, Source(message, NOW)).arguments


@pytest.mark.parametrize(
    ("message", "loads"),
    [
        (
            "Can the service take a 7.2 kW water heater and a 4 kW sauna?",
            [("water heater", 7200), ("sauna", 4000)],
        ),
        (
            "Can the service take a 7.2 kW water heater, a 4 kW sauna and a 1500 W pool pump?",
            [("water heater", 7200), ("sauna", 4000), ("pool pump", 1500)],
        ),
        (
            "האם החיבור מספיק למטען 7.2 קילוואט וסאונה 4000 וואט?",
            [("מטען", 7200), ("סאונה", 4000)],
        ),
    ],
)
def test_a_list_of_measured_things_fills_an_object_for_each(
    message: str, loads: list[tuple[str, int]]
) -> None:
    expected = [{"description": what, "watts": watts} for what, watts in loads]
    assert service(message) == {"proposedLoads": expected}


def test_a_number_beside_a_list_of_measured_things_keeps_its_own_parameter() -> None:
    found = service("Can a 200 A service take a 7.2 kW water heater and a 4 kW sauna?")
    assert found["serviceAmps"] == 200
    assert [load["watts"] for load in found["proposedLoads"]] == [7200, 4000]


def test_one_measured_thing_among_others_is_one_object() -> None:
    found = service("Can a 200 A service take a 7.2 kW water heater and a sauna?")
    assert [load["watts"] for load in found["proposedLoads"]] == [7200]


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
        (
            "צרי פעילות על מערכת השמש לכיתה ה",
            "generate_interactive_activity",
            {"topic": "מערכת השמש", "grade": "ה"},
        ),
        (
            "Create a worksheet about fractions for grade 4",
            "generate_static_content",
            {"contentType": "worksheet", "topic": "fractions", "grade": "4"},
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
    talk.say("כיתה ד")
    assert talk.calls[0][0][1] == {"topic": "שברים", "grade": "ד"}


def test_a_short_follow_up_changes_the_last_call() -> None:
    talk = Talk(ELECTRICAL, done)
    talk.say("voltage drop for 12 AWG at 20 amps over 200 ft")
    talk.say("and over 300 ft?")
    wanted = {"lengthFt": 300, "loadAmps": 20, "conductorSize": "12"}
    assert talk.calls == [[("calculate_voltage_drop", wanted)]]


def test_a_list_of_values_for_one_parameter_is_a_call_each() -> None:
    weather = spec("get_weather", "Get the weather of a city.", {"city": text("City")}, "city")
    calls = ask("What's the weather in Paris and Rome?", (weather,), done).calls
    assert calls == [[("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]]


def test_a_request_repeated_with_another_number_is_a_call_each() -> None:
    area = spec(
        "circle_area", "Calculate the area of a circle.", {"radius": number("Radius")}, "radius"
    )
    message = "the area of a circle with a radius of 5, and another with a radius of 10"
    calls = ask(message, (area,), done).calls
    assert calls == [[("circle_area", {"radius": 5}), ("circle_area", {"radius": 10})]]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("on 2025-12-01", "2025-12-01"),
        ("tomorrow", "2025-11-06"),
        ("next Friday", "2025-11-07"),
        ("on March 10th, 2026", "2026-03-10"),
        ("ב-3 בנובמבר", "2025-11-03"),
        ("מחר", "2025-11-06"),
        ("3.12.2025", "2025-12-03"),
    ],
)
def test_dates_are_read_by_the_users_clock(said: str, day: str) -> None:
    assert filled(f"move it {said}", {"date": text(format="date")}) == {"date": day}


@pytest.mark.parametrize(
    ("said", "value", "unit"),
    [
        ("1.75m", 1.75, "m"),
        ("50k", 50_000, None),
        ("$1.5 million", 1_500_000, "usd"),
        ("1,000 users", 1000, None),
        ("50mH", 50, "mH"),
        ("-2.5", -2.5, None),
        ("20 מטר", 20, "m"),
    ],
)
def test_numbers_are_read_with_their_units(said: str, value: float, unit: str | None) -> None:
    found = next(mention for mention in mentions(f"take {said} now") if mention.kind == "number")
    assert found.value == value
    assert (found.unit.name if found.unit else None) == unit


def test_a_percentage_is_a_fraction_where_no_percent_is_spoken_of() -> None:
    assert filled("at 5%", {"rate": number("Interest rate")}, "rate") == {"rate": 0.05}
    assert filled("at 5%", {"ratePercent": number()}, "ratePercent") == {"ratePercent": 5}


def test_what_does_not_fit_the_schema_is_left_out() -> None:
    limit = {"limit": {"type": "integer", "maximum": 50}}
    assert filled("limit 500", limit) == {}
    assert filled("limit 20", {"limit": {**limit["limit"], "default": 20}}) == {}
    assert filled("code XYZ", {"code": text(pattern=r"^\d+$")}, "code") == {}


def test_flags_are_set_only_when_spoken_of() -> None:
    flag = {"includeTax": {"type": "boolean"}}
    assert filled("the total with tax", flag) == {"includeTax": True}
    assert filled("the total without tax", flag) == {"includeTax": False}
    assert filled("the total", flag) == {}


def test_an_id_is_never_made_of_a_name() -> None:
    assert filled("Summarize conversation Launch", {"conversationId": text()}) == {}


@pytest.mark.parametrize("depth", [3, 40])
def test_schemas_with_references_are_followed_and_loops_end(depth: int) -> None:
    schema = {
        "type": "object",
        "properties": {"size": {"$ref": "#/$defs/Size"}, "self": {"$ref": "#/$defs/Loop"}},
        "required": ["size"],
        "$defs": {
            "Size": {"type": "string", "enum": ["small", "large"]},
            "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, {"type": "null"}]},
        },
    }
    tool = spec("pick", "Pick a size.", {})
    picked = fill(type(tool)("pick", "Pick.", schema), Source("a large one " * depth, NOW))
    assert picked.arguments == {"size": "large"}


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
    arguments = fill(tool, Source(message, NOW)).arguments
    assert (arguments.get("assignee") == "me") is mine
