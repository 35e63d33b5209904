"""Questions over the sample's projects, in English and Hebrew, to the agent with the offline
planner: the right tool with the right arguments, through the whole of `run_agent`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall import catalog
from rollcall.core.context import User
from rollcall.core.text import language
from rollcall.core.triggers import Call
from rollcall.endpoints.run_agent import run_agent
from rollcall.packs.electrical.projects.documents import write_project
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from seed.projects import projects
from tests.support.calling import Here

DROP, FAULT, ARC = "calculate_voltage_drop", "calculate_short_circuit", "calculate_arc_flash"
PANEL, SERVICE = "check_panel_capacity", "check_service_upgrade"
SIZING, INSPECT = "check_conductor_sizing", "run_inspection"
TABLE, SEARCH = "lookup_nec_table", "search_nec"
ADD, UPDATE, REMOVE = "add_circuit", "update_circuit", "remove_circuit"
EV = {"circuitDescription": "EV charger"}

ASKED: list[tuple[str, str, str, dict[str, Any]]] = [
    # project, question, tool, arguments that it must have
    ("house", "What is the voltage drop on the EV charger?", DROP, EV),
    ("house", "What's the voltage drop on circuit 13 of the Main Panel?", DROP,
     {"circuitNumber": 13, "panelName": "Main Panel"}),
    ("house", "Which circuit has the worst voltage drop?", DROP, {"selector": "worst"}),
    ("office", "Calculate the voltage drop for the longest circuit", DROP, {"selector": "longest"}),
    ("workshop", "voltage drop of the circuit with the highest load", DROP,
     {"selector": "highest_load"}),
    ("house", "What would the voltage drop on the EV charger be with 4 AWG?", DROP,
     {**EV, "conductorSize": "4"}),
    ("house", "What would the voltage drop on the water heater be if it were 200 ft long?", DROP,
     {"lengthFt": 200}),
    ("house", "מה מפל המתח במטען הרכב החשמלי?", DROP, {}),
    ("dira", "מה מפל המתח במעגל 5 בלוח דירה?", DROP, {"circuitNumber": 5, "panelName": "לוח דירה"}),
    ("dira", "באיזה מעגל מפל המתח הכי גרוע?", DROP, {"selector": "worst"}),
    ("office", "What is the available fault current at DP1?", FAULT, {"panelName": "DP1"}),
    ("house", "Calculate the short circuit current at the main panel", FAULT,
     {"panelName": "Main Panel"}),
    ("house", "מה זרם הקצר בלוח הראשי?", FAULT, {}),
    ("dira", "מה זרם הקצר בלוח מחסן?", FAULT, {"panelName": "לוח מחסן"}),
    ("office", "What is the arc flash incident energy at MDP?", ARC, {"panelName": "MDP"}),
    ("office", "What PPE do I need at panel DP1 at 24 inches?", ARC,
     {"panelName": "DP1", "workingDistanceInches": 24}),
    ("office", "מה אנרגיית הקשת בלוח MDP?", ARC, {"panelName": "MDP"}),
    ("house", "Can the main panel take another 7200 W?", PANEL,
     {"panelName": "Main Panel", "additionalLoadWatts": 7200}),
    ("office", "Is there capacity in LP1 for a 3 kW heater?", PANEL,
     {"panelName": "LP1", "additionalLoadWatts": 3000}),
    ("house", "כמה עומס נשאר בלוח הראשי?", PANEL, {}),
    ("office", "האם אפשר להוסיף מזגן של 3500 וואט ללוח LP1?", PANEL,
     {"panelName": "LP1", "additionalLoadWatts": 3500}),
    ("office", "Are the phases of LP2 balanced?", PANEL, {"panelName": "LP2"}),
    ("house", "Do I need a service upgrade for an additional 11.5 kW?", SERVICE,
     {"totalAdditionalWatts": 11500}),
    ("house", "האם צריך להגדיל את החיבור אם מוסיפים 10 קילוואט?", SERVICE,
     {"totalAdditionalWatts": 10000}),
    ("house", "Is the conductor of the water heater large enough?", SIZING, {}),
    ("workshop", "Check the conductor sizing of circuit 15 in the Main Panel", SIZING,
     {"circuitNumber": 15, "panelName": "Main Panel"}),
    ("house", "Is 10 AWG enough for 35 amps?", SIZING, {"conductorSize": "10", "loadAmps": 35}),
    ("dira", "האם המוליך של דוד החשמל מספיק עבה?", SIZING, {}),
    ("workshop", "Run an inspection of the project", INSPECT, {}),
    ("workshop", "Inspect the grounding", INSPECT, {"category": "grounding"}),
    ("workshop", "Are there any NEC violations in the circuits?", INSPECT,
     {"category": "circuits"}),
    ("dira", "תריץ ביקורת על הלוחות", INSPECT, {"category": "panels"}),
    ("house", "What is the ampacity of 4 AWG aluminum at 75 degrees?", TABLE, {}),
    ("house", "Show table 250.66", TABLE, {"table": "250.66"}),
    ("house", "Which equipment grounding conductor is needed for a 100 A breaker?", TABLE, {}),
    ("house", "מה הזרם המותר של 2/0 נחושת בטבלה 310.16?", TABLE, {}),
    ("house", "Where does the NEC talk about working space?", SEARCH, {}),
    ("house", "Search the NEC for GFCI in garages", SEARCH, {}),
    ("house", "חפש בקוד הארקת צנרת מים", SEARCH, {}),
    ("house", "Add a 1500 W circuit for a garage heater to the Garage Subpanel", ADD,
     {"panelName": "Garage Subpanel", "loadWatts": 1500}),
    ("dira", "הוסף מעגל של 2000 ואט למייבש כביסה בלוח דירה", ADD, {"loadWatts": 2000}),
    ("house", "Change the breaker of the refrigerator circuit to 15 A", UPDATE,
     {"breakerAmps": 15}),
    ("house", "Remove the driveway receptacle circuit", REMOVE, {}),
    ("dira", "הסר את המעגל של שקעי מרפסת", REMOVE, {}),
    ("house", "Which projects do I have?", "list_projects", {}),
    ("house", "אילו פרויקטים יש לי?", "list_projects", {}),
    ("office", "Which panels are in the project?", "get_project", {}),
    ("house", "Export the panel schedule of the Main Panel", "export_panel_schedule", {}),
]  # fmt: skip

TOGETHER = [
    ("office", "What is the fault current at DP1 and the arc flash at DP1?", {FAULT, ARC}),
    ("house", "Check the panel capacity of the main panel and run an inspection", {PANEL, INSPECT}),
    ("house", "If I add 7.2 kW, does the main panel take it, and must the service be upgraded?",
     {PANEL, SERVICE}),
]  # fmt: skip

CONCEPTS = [
    ("What is article 250 about?", "ground"),
    ("Explain NEC 110.26", "working space"),
    ("על מה מדבר סעיף 430?", "מנוע"),
    ("What is a GFCI?", "GFCI"),
]


@pytest.fixture(scope="module")
def here(module_db: Client) -> Iterator[Here]:
    """The sample's projects, with all that this codebase declares published."""
    for sample in projects():
        write_project(module_db, sample.project, sample.members)
    sync(module_db, catalog.capabilities(), catalog.agents().values())
    module_db.document("budgets/limits").set({"users": {"demo": {"runsPerMinute": None}}})
    snapshot.forget()
    yield Here(module_db)
    snapshot.forget()


def ask(
    here: Here, message: str, project: str = "house", *, uid: str = "demo", **more: Any
) -> dict[str, Any]:
    data = {"agent": "electrical", "message": message, "context": {"projectId": project}, **more}
    call = Call(User(uid), data)
    steps = run_agent(here, call)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: dict[str, Any] = end.value
            return result


@pytest.mark.parametrize(("project", "question", "tool", "arguments"), ASKED)
def test_a_question_calls_its_tool_with_what_was_said(
    here: Here, project: str, question: str, tool: str, arguments: dict[str, Any]
) -> None:
    result = ask(here, question, project)
    (call,) = [each for each in result["toolCalls"] if each["tool"] == tool] or [None]
    assert call is not None, (result["message"], result["toolCalls"])
    given = {key: call["arguments"].get(key) for key in arguments}
    assert given == arguments
    assert call["status"] in ("done", "waiting"), (call, result["message"])
    if tool != "list_projects":  # which lists names as they are
        assert language(result["message"]) == language(question)


@pytest.mark.parametrize(("project", "question", "tools"), TOGETHER)
def test_a_question_of_several_parts_calls_several_tools(
    here: Here, project: str, question: str, tools: set[str]
) -> None:
    result = ask(here, question, project)
    called = {each["tool"] for each in result["toolCalls"] if each["status"] == "done"}
    assert tools <= called, (result["message"], result["toolCalls"])


@pytest.mark.parametrize(("question", "word"), CONCEPTS)
def test_a_concept_is_explained_without_a_tool_and_cited(
    here: Here, question: str, word: str
) -> None:
    result = ask(here, question)
    assert result["toolCalls"] == []
    assert word.lower() in result["message"].lower()
    assert result["citations"][0]["code"] == "NEC"


def test_what_comes_of_it_is_cited(here: Here) -> None:
    result = ask(here, "What is the voltage drop on the EV charger?")
    assert {each["code"] for each in result["citations"]} == {"NEC"}


def test_a_follow_up_is_about_the_same_circuit(here: Here) -> None:
    first = ask(here, "What is the voltage drop on the EV charger?")
    later = ask(here, "And if it were 300 ft long?", threadId=first["threadId"])
    (call,) = later["toolCalls"]
    assert (call["tool"], call["arguments"]["lengthFt"]) == (DROP, 300)
    assert call["result"]["circuitName"] == first["toolCalls"][0]["result"]["circuitName"]


def test_a_stranger_is_told_nothing_of_a_project(here: Here) -> None:
    result = ask(here, "What is the voltage drop on circuit 1 of the Garage panel?", uid="eve")
    (call,) = result["toolCalls"][-1:]
    assert (call["status"], call["error"]["code"]) == ("failed", "permission-denied")
    assert "EV charger" not in str(result)
    listed = ask(here, "Which projects do I have?", uid="eve")["toolCalls"]
    assert [each["result"]["projects"] for each in listed] == [[]]


def test_a_viewer_may_ask_and_may_not_change(here: Here) -> None:
    asked = ask(here, "What is the voltage drop on the EV charger?", uid="dan")
    assert asked["toolCalls"][0]["status"] == "done"
    told = ask(here, "Add a 1500 W circuit for a heater to the Garage Subpanel", uid="dan")
    (call,) = told["toolCalls"]
    assert (call["status"], call["error"]["code"]) == ("failed", "permission-denied")
    assert "interrupts" not in told["outcome"]
