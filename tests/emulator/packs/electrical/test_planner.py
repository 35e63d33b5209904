"""Questions over the sample's projects, in English and Hebrew, to the agent with the offline
planner: the right tool with the right arguments, through the whole of `run_agent`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.electrical.projects.documents import write_project
from rollcall.core.context import Call, User
from rollcall.core.text import language
from rollcall.core.texts import without_isolates
from rollcall.endpoints.run_agent import run_agent
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from seed.electrical.sample import projects
from tests.support.catalogs import catalog
from tests.support.full_form import cases
from tests.support.local_functions import LocalPlatform

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
    ("house", "Can the main panel take a 50 A EV charger?", PANEL,
     {"panelName": "Main Panel", "additionalLoadAmps": 50}),
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
    ("house", "Can the service take a 7.2 kW EV charger and a 4 kW sauna?", SERVICE,
     {"proposedLoads": [
         {"loadType": "ev_charger", "watts": 7200, "description": "EV charger"},
         {"watts": 4000, "description": "sauna"},
     ], "totalAdditionalWatts": None}),
    ("house", "האם החיבור מספיק למטען 7.2 קילוואט וסאונה 4 קילוואט?", SERVICE,
     {"proposedLoads": [
         {"watts": 7200, "description": "מטען"}, {"watts": 4000, "description": "סאונה"},
     ]}),
    ("house", "5 hp 230 V motor FLC", TABLE, {}),
    ("house", "זרם עומס מלא של מנוע 5 כ\"ס 230 וולט", TABLE, {}),
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
    # as people write: short, the number on the panel's name, other units and words
    ("office", "circuit #14 in LP1 voltage drop", DROP,
     {"circuitNumber": 14, "panelName": "LP1"}),
    ("office", "LP2 ckt 16 voltage drop pls", DROP, {"circuitNumber": 16, "panelName": "LP2"}),
    ("office", "conductor sizing LP1-19", SIZING, {"circuitNumber": 19, "panelName": "LP1"}),
    ("house", "circuit 20, main panel - voltage drop?", DROP,
     {"circuitNumber": 20, "panelName": "Main Panel"}),
    ("office", "whats the voltage drop for the elevator?", DROP, {}),
    ("house", "If I run 30m of #10 to the dryer, what voltage drop would I get?", DROP,
     {"lengthM": 30, "conductorSize": "10"}),
    ("workshop", "What's the drop at the welder if we use 2/0 aluminum?", DROP,
     {"conductorSize": "2/0", "conductorMaterial": "aluminum"}),
    ("house", "what is the voltage drop at forty amps on the range", DROP, {"loadAmps": 40}),
    ("workshop", "which circuit has the most drop", DROP, {"selector": "worst"}),
    ("office", "נפילת מתח במעלית?", DROP, {}),
    ("office", "מה מפל המתח בקירור של חדר השרתים", DROP, {}),
    ("dira", "מה יהיה מפל המתח במזגן בסלון אם הקו 40 מטר?", DROP, {"lengthM": 40}),
    ("dira", "לוח דירה מעגל 15 מפל מתח", DROP, {"circuitNumber": 15, "panelName": "לוח דירה"}),
    ("office", "What's the short-circuit current at the server room panel", FAULT,
     {"panelName": "Server room panel"}),
    ("workshop", "isc at CNC panel", FAULT, {"panelName": "CNC Panel"}),
    ("office", "האם כושר הניתוק של לוח LP2 מספיק?", FAULT, {"panelName": "LP2"}),
    ("workshop", "incident energy at Shop Floor at 455 mm with 0.1 s clearing time", ARC,
     {"panelName": "Shop Floor", "workingDistanceMm": 455, "clearingTimeS": 0.1}),
    ("office", "חישוב הבזק קשת ללוח DP1 במרחק 24 אינץ'", ARC,
     {"panelName": "DP1", "workingDistanceInches": 24}),
    ("workshop", "מה אנרגיית הקשת בלוח CNC?", ARC, {"panelName": "CNC"}),
    ("house", "can i add 9.6kW charger to the garage sub panel", PANEL,
     {"panelName": "Garage Subpanel", "additionalLoadWatts": 9600}),
    ("office", "HP1 load calculation", PANEL, {"panelName": "HP1"}),
    ("house", "הלוח הראשי יעמוד במטען של 11 קילו-וואט?", PANEL, {"additionalLoadWatts": 11000}),
    ("dira", "אפשר להוסיף 5 קו\"ט ללוח דירה?", PANEL, {"additionalLoadWatts": 5000}),
    ("house", "can #12 carry 25 amps?", SIZING, {"conductorSize": "12", "loadAmps": 25}),
    ("house",
     "Is 6 AWG aluminum ok for 50 amps at 40 C ambient with 6 current-carrying conductors?",
     SIZING, {"ambientC": 40, "currentCarryingConductors": 6, "conductorSize": "6"}),
    ("dira", "החוט של מטען הרכב מספיק עבה?", SIZING, {}),
    ("dira", "בדוק תאימות לקוד", INSPECT, {}),
    ("workshop", "מה לא תקין במעגלים?", INSPECT, {"category": "circuits"}),
    ("house", "where in the code are the rules for panel clearances?", SEARCH, {}),
    ("house", "please add 50 amp ev charger circuit 9.6 kW to the main panel", ADD,
     {"description": "ev charger", "loadWatts": 9600, "breakerAmps": 50}),
    ("office", "Put a 1500 W coffee machine on LP1", ADD,
     {"description": "coffee machine", "panelName": "LP1", "loadWatts": 1500}),
    ("house", "rename circuit 31 of the main panel to Freezer", UPDATE,
     {"description": "Freezer"}),
    ("dira", "עדכן את ההספק של דוד החשמל ל-2500 וואט", UPDATE, {"loadWatts": 2500}),
    ("dira", "תחליף את החוט של התנור ל-AWG 6", UPDATE, {"conductorSize": "6"}),
    ("office", "remove LP2-9", REMOVE, {"circuitId": "lp2-9"}),
    ("dira", "תוריד את שקעי המחסן", REMOVE, {"panelName": "לוח מחסן"}),
    ("house", "show me the project", "get_project", {}),
    ("office", "what circuits are in LP1?", "get_project", {"panelName": "LP1"}),
]  # fmt: skip

LEFT_OPEN = {
    # what the planner cannot place; it says so
    "Can the service take a 7.2 kW EV charger and a 4 kW sauna?",
    "האם החיבור מספיק למטען 7.2 קילוואט וסאונה 4 קילוואט?",
    "מה הזרם המותר של 2/0 נחושת בטבלה 310.16?",
    "conductor sizing LP1-19",
    "מה מפל המתח בקירור של חדר השרתים",
    "incident energy at Shop Floor at 455 mm with 0.1 s clearing time",
    "חישוב הבזק קשת ללוח DP1 במרחק 24 אינץ'",
    "can i add 9.6kW charger to the garage sub panel",
    "הלוח הראשי יעמוד במטען של 11 קילו-וואט?",
    "rename circuit 31 of the main panel to Freezer",
    "remove LP2-9",
    "What PPE do I need at panel DP1 at 24 inches?",
    "Is 10 AWG enough for 35 amps?",
    "5 hp 230 V motor FLC",
    'זרם עומס מלא של מנוע 5 כ"ס 230 וולט',
    "What is the ampacity of 4 AWG aluminum at 75 degrees?",
    "can #12 carry 25 amps?",
    "Is 6 AWG aluminum ok for 50 amps at 40 C ambient with 6 current-carrying conductors?",
}

TOGETHER = [
    ("office", "What is the fault current at DP1, and what is the arc flash at DP1?", {FAULT, ARC}),
    ("house", "How loaded is the main panel, and are there NEC violations?", {PANEL, INSPECT}),
    ("workshop", "מה זרם הקצר בלוח הראשי, ומה העומס בלוח הראשי?", {FAULT, PANEL}),
]  # fmt: skip

CONCEPTS = [
    ("What is article 250 about?", "ground"),
    ("Explain NEC 110.26", "working space"),
    ("על מה מדבר סעיף 430?", "מנוע"),
    ("What is a GFCI?", "GFCI"),
    ("why must kitchen outlets be gfci protected?", "GFCI"),
    ("difference between grounding and bonding?", "bond"),
]


@pytest.fixture(scope="module")
def here(module_db: Client) -> Iterator[LocalPlatform]:
    """The sample's projects, with all that this codebase declares published."""
    for sample in projects():
        write_project(module_db, sample.project, sample.members)
    sync(module_db, catalog.capabilities(), catalog.agents().values())
    unbounded = {"runsPerMinute": None, "runsAtOnce": None}
    module_db.document("budgets/limits").set({"users": {"demo": unbounded}})
    snapshot.forget()
    yield LocalPlatform(module_db)
    snapshot.forget()


def ask(
    here: LocalPlatform, message: str, project: str = "house", *, uid: str = "demo", **more: Any
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


LAST = {tool: place for place, (_, _, tool, _) in enumerate(ASKED)}.values()
"""Where each tool is asked for last."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("project", "question", "tool", "arguments"),
    cases(ASKED, *LAST),
)
def test_a_question_calls_its_tool_with_what_was_said(
    here: LocalPlatform, project: str, question: str, tool: str, arguments: dict[str, Any]
) -> None:
    result = ask(here, question, project)
    if question in LEFT_OPEN:
        assert not [each for each in result["toolCalls"] if each["status"] in ("done", "waiting")]
        return
    (call,) = [each for each in result["toolCalls"] if each["tool"] == tool] or [None]
    assert call is not None, (result["message"], result["toolCalls"])
    given = {key: call["arguments"].get(key) for key in arguments}
    assert given == arguments
    assert call["status"] in ("done", "waiting"), (call, result["message"])
    if tool != "list_projects":  # which lists names as they are
        assert language(result["message"]) == language(question)


@pytest.mark.parametrize(("project", "question", "tools"), TOGETHER)
def test_a_question_of_several_parts_calls_several_tools(
    here: LocalPlatform, project: str, question: str, tools: set[str]
) -> None:
    result = ask(here, question, project)
    called = {each["tool"] for each in result["toolCalls"] if each["status"] == "done"}
    assert tools <= called, (result["message"], result["toolCalls"])


@pytest.mark.parametrize(("question", "word"), CONCEPTS)
def test_a_concept_is_explained_without_a_tool_and_cited(
    here: LocalPlatform, question: str, word: str
) -> None:
    result = ask(here, question)
    assert result["toolCalls"] == []
    assert word.lower() in result["message"].lower()
    assert result["citations"][0]["code"] == "NEC"


def test_what_comes_of_it_is_cited(here: LocalPlatform) -> None:
    result = ask(here, "What is the voltage drop on the EV charger?")
    assert {each["code"] for each in result["citations"]} == {"NEC"}


def test_a_follow_up_is_about_the_same_circuit(here: LocalPlatform) -> None:
    first = ask(here, "What is the voltage drop on the EV charger?")
    later = ask(here, "And if it were 300 ft long?", threadId=first["threadId"])
    (call,) = later["toolCalls"]
    assert (call["tool"], call["arguments"]["lengthFt"]) == (DROP, 300)
    assert call["result"]["circuitName"] == first["toolCalls"][0]["result"]["circuitName"]


def test_a_number_that_several_panels_have_is_told_with_the_panels(here: LocalPlatform) -> None:
    told = ask(here, "What's the voltage drop on circuit 14?", "office")
    assert "circuit 14 of LP1" in told["message"]
    assert not [each for each in told["toolCalls"] if each["status"] == "done"]
    told = ask(here, "What's the voltage drop on circuit 14 of LP1?", "office")
    (call,) = [each for each in told["toolCalls"] if each["status"] == "done"]
    assert (call["arguments"]["circuitNumber"], call["arguments"]["panelName"]) == (14, "LP1")


def test_there_is_not_the_panel_of_the_last_answer(here: LocalPlatform) -> None:
    first = ask(here, "fault current at LP1", "office")
    later = ask(here, "what about the arc flash there?", "office", threadId=first["threadId"])
    assert later["toolCalls"] == []
    assert "there" in later["message"]


@pytest.mark.parametrize(
    "message", ["hi", "תודה רבה", "who won the world cup", "ספר לי בדיחה", "מה אתה יודע לעשות?"]
)
def test_small_talk_and_what_is_not_its_business_call_nothing(
    here: LocalPlatform, message: str
) -> None:
    result = ask(here, message)
    assert result["toolCalls"] == []
    assert language(result["message"]) == language(message)


def test_a_change_is_asked_for_in_words_and_not_in_names_of_fields(here: LocalPlatform) -> None:
    result = ask(here, "set LP1 circuit 9 to 1800 watts", "office")
    assert "1,800 W" in result["message"]
    assert "loadWatts" not in result["message"]


def test_a_stranger_is_told_nothing_of_a_project(here: LocalPlatform) -> None:
    result = ask(here, "What is the voltage drop on circuit 1 of the Garage panel?", uid="eve")
    (call,) = result["toolCalls"][-1:]
    assert (call["status"], call["error"]["code"]) == ("failed", "permission-denied")
    assert "EV charger" not in str(result)
    listed = ask(here, "Which projects do I have?", uid="eve")["toolCalls"]
    assert [each["result"]["projects"] for each in listed] == [[]]


def test_a_viewer_may_ask_and_may_not_change(here: LocalPlatform) -> None:
    asked = ask(here, "What is the voltage drop on the EV charger?", uid="dan")
    assert asked["toolCalls"][0]["status"] == "done"
    told = ask(here, "Add a 1500 W circuit for a heater to the Garage Subpanel", uid="dan")
    (call,) = told["toolCalls"]
    assert (call["status"], call["error"]["code"]) == ("failed", "permission-denied")
    assert "interrupts" not in told["outcome"]


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("What is the voltage drop on circuit 77 of the Main Panel?", "no circuit in Main Panel"),
        ("מה מפל המתח במעגל 77 בלוח Main Panel?", "אין בלוח Main Panel מעגל עם המספר 77"),
    ],
)
def test_what_cannot_be_answered_is_said_in_the_language_of_the_question(
    here: LocalPlatform, question: str, why: str
) -> None:
    result = ask(here, question)
    (call,) = result["toolCalls"]
    assert without_isolates(call["error"]["message"]).startswith(why)
    assert why in without_isolates(result["message"])
    assert language(result["message"]) == language(question)
