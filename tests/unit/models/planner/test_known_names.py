"""Things at hand that are called by their names: no tool is asked for what is known."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.messages import Message, ModelMessage, ToolMessage, ToolResult, UserMessage
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.offline import Model
from tests.support.for_every import for_every
from tests.unit.models.planner.kit import message_of

NAMES = {
    "projectId": ("house",),
    "panelName": ("Main Panel", "Garage Subpanel", "LP1", "לוח דירה"),
    "circuitDescription": ("EV charger", "Water heater", "Garage receptacles", "דוד חשמל"),
}
TEXT = {"type": "string", "description": "Words of it."}
DROP = ToolSpec(
    "calculate_voltage_drop",
    "Calculate the voltage drop of a circuit.",
    {
        "type": "object",
        "properties": {
            "projectId": {"type": "string", "description": "The project."},
            "circuitId": {"type": "string", "description": "The circuit's id."},
            "circuitNumber": {"type": "integer", "description": "Its number in the panel."},
            "panelName": {"type": "string", "description": "The panel's name."},
            "circuitDescription": TEXT,
            "selector": {"type": "string", "enum": ["longest", "worst"], "description": "Which."},
            "lengthFt": {"type": "number", "description": "Length one way, ft."},
            "lengthM": {"type": "number", "description": "Length one way, m."},
            "conductorSize": {"type": "string", "description": "AWG or kcmil."},
        },
    },
    keywords=("voltage drop", "most voltage drop", "worst voltage drop", "מפל מתח"),
    aliases={
        "circuitNumber": ("circuit", "ckt", "מעגל"),
        "worst": ("most voltage drop", "מפל המתח הכי גדול"),
    },
)
PANELS = ToolSpec(
    "get_project",
    "Show a project with its panels and circuits.",
    {"type": "object", "properties": {"projectId": {"type": "string", "description": "Which."}}},
)


def called(message: str, names: dict[str, Any] | None = None) -> list[tuple[str, dict[str, Any]]]:
    known = NAMES if names is None else names
    request = ModelRequest("", (UserMessage.of(message),), (DROP, PANELS), names=known)
    made = message_of(list(Model().stream(request)))
    return [(call.name, call.arguments or {}) for call in made.tool_calls]


@for_every(
    ("message", "arguments"),
    [
        ("What is the voltage drop on the EV charger?", {"circuitDescription": "EV charger"}),
        (
            "voltage drop of circuit 13 of the main panel",
            {"circuitNumber": 13, "panelName": "Main Panel"},
        ),
        ("voltage drop of circuit 4 in LP1", {"circuitNumber": 4, "panelName": "LP1"}),
        ("LP1 ckt 4 voltage drop", {"circuitNumber": 4, "panelName": "LP1"}),
        ("circuit #4 in LP1 voltage drop", {"circuitNumber": 4, "panelName": "LP1"}),
        ("which circuit has the most voltage drop", {"selector": "worst"}),
        ("באיזה מעגל מפל המתח הכי גדול?", {"selector": "worst"}),
        (
            "voltage drop of the EV charger at ninety feet",
            {"circuitDescription": "EV charger", "lengthFt": 90},
        ),
        (
            "voltage drop of the EV charger with AWG 2/0 at 40 m",
            {"circuitDescription": "EV charger", "conductorSize": "2/0", "lengthM": 40},
        ),
        ("מה מפל המתח במעגל 5 בלוח דירה?", {"circuitNumber": 5, "panelName": "לוח דירה"}),
        ("מה מפל המתח של דוד החשמל?", {"circuitDescription": "דוד חשמל"}),
        ("Which circuit has the worst voltage drop?", {"selector": "worst"}),
        (
            "voltage drop of the water heater at 200 ft",
            {"circuitDescription": "Water heater", "lengthFt": 200},
        ),
    ],
)
def test_what_is_called_by_name_or_number_needs_no_other_tool(
    message: str, arguments: dict[str, Any]
) -> None:
    assert called(message) == [("calculate_voltage_drop", arguments)]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("What is the voltage drop on the hot tub?", "hot tub"),
        ("מה מפל המתח במטען הרכב החשמלי?", "מטען הרכב החשמלי"),
    ],
)
def test_other_words_for_a_thing_go_to_the_tool_as_they_are(message: str, words: str) -> None:
    assert called(message) == [("calculate_voltage_drop", {"circuitDescription": words})]


def test_a_number_chooses_a_tool_only_together_with_a_thing_at_hand() -> None:
    arguments = {"panelName": "LP1", "lengthM": 40}
    assert called("Would LP1 take 40 m?") == [("calculate_voltage_drop", arguments)]
    assert called("Would it take 40 m?") == []


def test_of_two_things_of_one_kind_none_is_taken_alone() -> None:
    names = {**NAMES, "panelName": ("Panel A", "Panel B")}
    assert called("voltage drop of circuit 4, panel A and panel B", names) == []


def test_without_names_a_tool_is_filled_from_the_text_alone() -> None:
    ((name, arguments),) = called("voltage drop of circuit 13", {})
    assert name == "calculate_voltage_drop"
    assert arguments["circuitNumber"] == 13


def talked(*messages: str) -> list[dict[str, Any]]:
    """The arguments of each message's call, every call answered with nothing of interest."""
    history: list[Message] = []
    given = []
    for message in messages:
        history.append(UserMessage.of(message))
        request = ModelRequest("", tuple(history), (DROP, PANELS), names=NAMES)
        made = message_of(list(Model().stream(request)))
        given += [call.arguments or {} for call in made.tool_calls]
        results = tuple(ToolResult(c.id, c.name, '{"output": {}}') for c in made.tool_calls)
        history += [made, ToolMessage(results), ModelMessage("There.")]
    return given


def test_what_if_changes_a_figure_of_the_last_question() -> None:
    first, longer, metric = talked(
        "What is the voltage drop on the EV charger?",
        "And if it were 300 ft long?",
        "What if it is 120 ft?",
    )
    assert longer == {**first, "lengthFt": 300}
    assert metric == {**first, "lengthFt": 120}


def test_another_thing_takes_the_place_of_the_one_before() -> None:
    _, other = talked("voltage drop of circuit 13 of the main panel", "And on the water heater?")
    assert other == {"circuitDescription": "Water heater"}
