"""Panel schedules and the spreadsheets made of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.projects.records import Circuit, Panel
from packs.electrical.projects.schedule import (
    Schedule,
    schedule,
    sheet,
    volt_amperes,
)
from rollcall.core.texts import Text
from rollcall.render.bidi import cleaned
from rollcall.render.spreadsheet import xlsx
from seed.electrical.sample import projects
from tests.support.for_every import for_every
from tests.support.spreadsheets import sheets

SAMPLES = {sample.project.id: sample.project for sample in projects()}
EVERY = [(project, panel) for project in SAMPLES.values() for panel in project.panels]


def of(project: str, panel: str) -> Schedule:
    found = SAMPLES[project].panel(panel)
    assert found is not None
    return schedule(SAMPLES[project], found)


def described(*descriptions: str, name: str = "P") -> Schedule:
    """A panel with a circuit for each description, one below the other on the left."""
    circuits = tuple(
        Circuit(
            id=f"c{at}",
            circuit_number=2 * at + 1,
            description=text,
            breaker_amps=20,
            load_watts=100,
        )
        for at, text in enumerate(descriptions)
    )
    panel = Panel(
        id="p", name=name, voltage=240, phases=1, bus_rating=100, spaces=42, circuits=circuits
    )
    return schedule(SAMPLES["house"], panel)


@for_every(("project", "panel"), EVERY, ids=lambda each: each.id)
def test_each_load_is_in_the_totals_once(project, panel) -> None:  # type: ignore[no-untyped-def]
    assert schedule(project, panel).total_va == pytest.approx(_connected(project, panel.id))


def _connected(project, node: str) -> float:  # type: ignore[no-untyped-def]
    """What is connected to a panel, and to those that it feeds."""
    panel = project.panel(node)
    circuits = panel.circuits if panel else ()
    below = [each.target_id for each in project.feeders if each.source_id == node]
    own = sum(volt_amperes(c) for c in circuits if not c.is_spare)
    return float(own + sum(_connected(project, each) for each in below))


def test_a_subpanels_load_stands_at_its_breaker_line_by_line() -> None:
    garage, main = of("house", "garage"), of("house", "main")
    sides = [side for row in main.rows for side in (row.left, row.right) if side and side.circuit]
    poles = [side for side in sides if side.circuit.description == "Garage subpanel"]
    assert [side.va for side in poles] == list(garage.totals_va.values())
    assert all(side.va for side in poles)


def test_odd_positions_are_left_even_ones_right_and_phases_take_turns() -> None:
    found = of("office", "lp1")
    assert [row.phase for row in found.rows[:4]] == ["A", "B", "C", "A"]
    assert [row.left.number for row in found.rows] == list(range(1, 42, 2))
    assert [row.right.number for row in found.rows if row.right] == list(range(2, 43, 2))
    assert [row.phase for row in of("house", "main").rows[:3]] == ["A", "B", "A"]


def test_a_circuit_of_two_poles_loads_two_phases_by_half_and_is_told_once() -> None:
    found = of("house", "garage")
    first, second = found.rows[0].left, found.rows[1].left
    assert first.circuit is second.circuit is not None
    assert (first.is_first, second.is_first) == (True, False)
    assert first.va == second.va == 11520 / 2


def test_a_power_factor_makes_more_volt_amperes_of_the_same_watts() -> None:
    found = of("office", "mdp")
    [unit] = {row.right.va for row in found.rows[:3] if row.right}  # RTU-1, on all three phases
    assert unit == pytest.approx(21000 / 0.88 / 3)


def test_currents_of_a_phase_are_to_the_neutral() -> None:
    found = of("office", "lp1")
    assert found.totals_amps["A"] == pytest.approx(found.totals_va["A"] / 120.09, rel=1e-3)
    delta = SAMPLES["office"].panels[3].model_copy(update={"voltage": 240, "high_leg": True})
    legs = schedule(SAMPLES["office"], delta)
    assert legs.totals_amps["A"] == pytest.approx(legs.totals_va["A"] / 120)
    assert legs.totals_amps["B"] == pytest.approx(legs.totals_va["B"] / 207.8, rel=1e-3)


def test_a_panel_of_two_wires_has_one_phase_with_all_of_its_voltage() -> None:
    house, panel = SAMPLES["house"], SAMPLES["house"].panels[0]
    found = schedule(house, panel.model_copy(update={"voltage": 230, "wires": 2}))
    assert set(found.totals_va) == {"A"}
    assert found.totals_amps["A"] == pytest.approx(found.total_va / 230)
    assert "230" in [value for _, value in found.header]


def test_a_spare_has_a_breaker_and_no_load_and_an_odd_last_space_no_neighbour() -> None:
    spare = of("house", "main").rows[15].left
    assert spare.circuit is not None and (spare.va, spare.circuit.breaker_amps) == (None, 20)
    panel = Panel(id="p", name="P", voltage=240, phases=1, bus_rating=100, spaces=3)
    rows = schedule(SAMPLES["house"], panel).rows
    assert [row.right.number if row.right else None for row in rows] == [2, None]


def test_the_header_says_where_the_panel_is_fed_from() -> None:
    header = {words.say("en"): value for words, value in of("office", "dp1").header}
    assert (header["Fed from"], header["Feeder"]) == ("T1", "T1 secondary")
    assert header["Voltage, V"] == "208Y/120"
    conductors = header["Feeder conductors"]
    assert isinstance(conductors, Text)
    assert [conductors.say(each) for each in ("en", "he")] == [
        "500 kcmil copper",
        "500 kcmil נחושת",
    ]
    assert "Fed from" not in {words.say("en") for words, _ in of("office", "mdp").header}


def workbook(schedules: list[Schedule], locale: str) -> bytes:
    return xlsx([sheet(each, locale) for each in schedules])


def test_a_sheet_holds_the_schedule_as_a_door_shows_it() -> None:
    [page] = sheets(workbook([of("house", "garage")], "en"))
    titles = page.row_of("Description")
    assert page.name == "Garage Subpanel" and not page.right_to_left
    left = [page.cells.get(f"{column}{titles + 1}") for column in "ABCDEFG"]
    assert left == [1, "EV charger", "AWG 6 copper", 2, 60, 5760, "A"]
    right = [page.cells.get(f"{column}{titles + 1}") for column in "MLKJIH"]
    assert right == [2, "Garage receptacles", "AWG 12 copper", 1, 20, 720]
    second = [page.cells.get(f"{column}{titles + 2}") for column in "ABCDEFG"]
    assert second == [3, None, None, None, None, 5760, "B"]
    total = max(row for row in range(titles, 99) if page.cells.get(f"A{row}") == "Total")
    assert page.cells[f"B{total}"] == 14480
    assert page.cells["A2"] == "Panel: Garage Subpanel"


def test_a_hebrew_sheet_runs_from_right_to_left() -> None:
    content = workbook([of("dira", "dira"), of("dira", "mahsan")], "he")
    first, second = sheets(content)
    assert (first.name, second.name) == ("לוח דירה", "לוח מחסן")
    assert first.right_to_left and second.right_to_left
    assert {"תיאור", "מזגן סלון", "פאזה"} <= set(first.cells.values())
    [house] = sheets(workbook([of("house", "garage")], "he"))
    assert "AWG 6 נחושת" in {cleaned(str(value)) for value in house.cells.values()}
    assert not any("copper" in str(value) for value in house.cells.values())


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+972-3", "-receptacles", "@SUM(A1)", "\t=1", " =1", '=HYPERLINK("http://x","y")'],
)
def test_what_looks_like_a_formula_stays_text(text: str) -> None:
    [page] = sheets(workbook([described(text, name=text[:80])], "en"))
    places = {place for place, value in page.cells.items() if value == text}
    assert len(places) == 1 and places <= page.quoted
    assert page.formulas == 0


def test_a_link_in_a_description_is_plain_text() -> None:
    content = workbook([described("http://example.com/x", "mailto:a@b.c")], "en")
    [page] = sheets(content)
    assert "http://example.com/x" in page.cells.values()
    assert b"hyperlink" not in content


@given(st.lists(st.text(min_size=1, max_size=80).filter(str.strip), min_size=1, max_size=5))
def test_any_names_make_a_file_that_reads_back(names: list[str]) -> None:
    content = workbook([described("Range", name=name) for name in names], "en")
    found = sheets(content)
    assert len({each.name.casefold() for each in found}) == len(names)
    assert all("Range" in each.cells.values() for each in found)
