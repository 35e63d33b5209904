"""The electrical pack's errors, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from packs.electrical.calculations.ieee_1584 import check_range
from packs.electrical.circuit_design import check_position, checked_panel, no_room
from packs.electrical.nec.conductors import ampacity, parse_size
from packs.electrical.nec.tables import key_of
from packs.electrical.projects.selection import find_circuit, find_panel
from rollcall.core.errors import AgentError
from rollcall.core.texts import without_isolates
from tests.unit.packs.electrical.projects.test_selection import SAMPLES

HOUSE = SAMPLES["house"]
MAIN = HOUSE.panels[0]
EMPTY = HOUSE.model_copy(update={"panels": (MAIN.model_copy(update={"circuits": ()}),)})


def arc(**of: Any) -> None:
    values = {"voltage_v": 480, "bolted_ka": 20, "gap_mm": 32, "working_distance_mm": 455}
    check_range(**{**values, "electrodes": "VOA", "enclosure": None, **of})


REFUSALS: dict[str, tuple[Callable[[], object], str, str]] = {
    "a panel": (
        lambda: find_panel(HOUSE, panel_name="LP-9"),
        "no panel 'LP-9'; the project has Main Panel, Garage Subpanel",
        "אין לוח 'LP-9'; בפרויקט יש Main Panel, Garage Subpanel",
    ),
    "a circuit": (
        lambda: find_circuit(HOUSE, circuit_number=77, panel_name="garage"),
        "no circuit in Garage Subpanel has the number 77; there are circuit ",
        "אין בלוח Garage Subpanel מעגל עם המספר 77; יש מעגל ",
    ),
    "a circuit of the project": (
        lambda: find_circuit(HOUSE, circuit_number=777),
        "no circuit in the project has the number 777; there are circuit ",
        "אין בפרויקט מעגל עם המספר 777; יש מעגל ",
    ),
    "a circuit of an empty panel": (
        lambda: find_circuit(EMPTY, circuit_number=1, panel_name=MAIN.name),
        "no circuit in Main Panel has the number 1; there are none",
        "אין בלוח Main Panel מעגל עם המספר 1; אין בו מעגלים",
    ),
    "which circuit": (
        lambda: find_circuit(HOUSE, circuit_number=1),
        "which circuit? the number 1 fits circuit 1 of Main Panel",
        "איזה מעגל? המספר 1 מתאים ל: מעגל 1 בלוח Main Panel",
    ),
    "a size": (
        lambda: parse_size("15 AWG"),
        "'15 AWG' is no conductor size; known: AWG 18 to",
        "'15 AWG' אינו חתך מוליך; החתכים: AWG 18 עד",
    ),
    "a table's figure": (
        lambda: ampacity("14", "aluminum", 75),
        "Table 310.16 has no ampacity for 14 aluminum at 75 °C; it has AWG 12 to 2000 kcmil",
        "בטבלה 310.16 אין העמסה לאלומיניום 14 ב-75 °C; יש בה AWG 12 עד 2000 kcmil",
    ),
    "a table": (
        lambda: key_of("999.1"),
        "there is no table '999.1' here; known: ",
        "אין כאן טבלה '999.1'; יש: ",
    ),
    "a position": (
        lambda: check_position(MAIN, 1, 1),
        f"position 1 of Main Panel is taken by circuit 1 ({MAIN.circuits[0].description}); "
        "free for 1 pole: ",
        f"מקום 1 בלוח Main Panel תפוס בידי מעגל 1 ({MAIN.circuits[0].description}); "
        "פנויים לקוטב אחד: ",
    ),
    "room": (
        lambda: (_ for _ in ()).throw(no_room(MAIN, 2)),
        "Main Panel has no room for 2 poles, one below the other on one side: of ",
        "בלוח Main Panel אין מקום ל-2 קטבים, זה מתחת לזה באותו צד: מתוך ",
    ),
    "two at one position": (
        lambda: checked_panel(MAIN, (MAIN.circuits[0], MAIN.circuits[0])),
        "circuits 1 and 1 of Main Panel both take position 1",
        "המעגלים 1 ו-1 בלוח Main Panel תופסים שניהם את מקום 1",
    ),
    "a range": (
        lambda: arc(voltage_v=100),
        "voltage is 100; the model of IEEE 1584-2018 holds from 208 to 15000 V between lines",
        "המתח הוא 100 V; המודל של IEEE 1584-2018 תקף מ-208 עד 15000 V בין הפאזות",
    ),
}


@pytest.mark.parametrize("of", REFUSALS)
def test_an_electrician_is_refused_in_both_languages(of: str) -> None:
    attempt, english, hebrew = REFUSALS[of]
    with pytest.raises(AgentError) as caught:
        attempt()
    assert caught.value.message.startswith(english)
    assert without_isolates(caught.value.say("he")).startswith(hebrew)


def test_other_peoples_words_do_not_turn_a_refusal_around() -> None:
    turning = MAIN.circuits[0].model_copy(update={"description": "\u2069\u202eRange"})
    panel = MAIN.model_copy(update={"circuits": (turning,)})
    with pytest.raises(AgentError) as caught:
        check_position(panel, 1, 1)
    assert "circuit 1 (Range)" in caught.value.message
    assert "מעגל 1 (\u2068Range\u2069)" in caught.value.say("he")
