"""Panel schedules: odd positions left, even ones right, with loads by phase; and their sheets for a
spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from packs.electrical.calculations.loads.panel import feeder_circuits
from packs.electrical.nec.conductors import label
from packs.electrical.projects.records import Circuit, Panel, Project, Wiring
from packs.electrical.wording import TEXTS, number
from rollcall.core.texts import Text
from rollcall.render.sheet import Block, Cell, Paragraph, Sheet, Table, direction, shown

_SIDE = ("number", "description", "conductor", "poles", "breaker", "load")
"""Columns of the left side; the right side has them in reverse, with the phase between both."""


class Position(Struct, frozen=True):
    """One space of a panel. A circuit of several poles is described at its first one; the others
    have its load alone.

    Attributes:
        va: The load of this pole, volt-amperes; None where nothing is connected.
    """

    number: int
    circuit: Circuit | None
    is_first: bool
    va: float | None


class Row(Struct, frozen=True):
    """Two positions of one phase, side by side; with an odd number of spaces, the last row has
    none on the right."""

    phase: str
    left: Position
    right: Position | None


class Schedule(Struct, frozen=True):
    """The schedule of a panel, as shown on its door.

    Attributes:
        header: The panel's properties, as names and values.
        totals_va: By phase.
        totals_amps: The same as current to neutral.
    """

    name: str
    header: list[tuple[Text, Text | str | float]]
    rows: list[Row]
    totals_va: dict[str, float]
    totals_amps: dict[str, float]

    @property
    def total_va(self) -> float:
        return sum(self.totals_va.values())


def schedule(project: Project, panel: Panel) -> Schedule:
    """Make the schedule of a panel. Loads are as connected, each shared equally among its poles;
    the load of a panel that it supplies is at its feeder's breaker."""
    phases = "ABC"[: 3 if panel.phases == 3 else 1 if panel.wires == 2 else 2]
    positions = {each.number: each for each in _positions(project, panel)}
    rows = [
        Row(phases[at % len(phases)], positions[2 * at + 1], positions.get(2 * at + 2))
        for at in range((panel.spaces + 1) // 2)
    ]
    totals = dict.fromkeys(phases, 0.0)
    for row in rows:
        sides = (row.left, row.right)
        totals[row.phase] += sum(side.va or 0 for side in sides if side is not None)
    # The high leg of a delta, B, is 1.732 times as far from the neutral as the others.
    high_leg = {"B": 3**0.5} if panel.high_leg else {}
    amps = {
        phase: va / (panel.line_to_neutral * high_leg.get(phase, 1)) for phase, va in totals.items()
    }
    return Schedule(panel.name, list(_header(project, panel)), rows, totals, amps)


def volt_amperes(circuit: Circuit) -> float:
    """A circuit's connected load, VA; one whose power factor is not known counts as unity."""
    return circuit.load_watts / (circuit.power_factor or 1)


def _positions(project: Project, panel: Panel) -> Iterator[Position]:
    taken = {place: each for each in panel.circuits for place in each.positions}
    supplied = _supplied(project, panel)
    for place in range(1, panel.spaces + 1):
        circuit = taken.get(place)
        va = None
        if circuit is not None and not circuit.is_spare:
            shares = supplied.get(circuit.id) or [volt_amperes(circuit) / circuit.poles]
            va = shares[circuit.positions.index(place) % len(shares)]
        is_first = circuit is not None and circuit.circuit_number == place
        yield Position(place, circuit, is_first, va)


def _supplied(project: Project, panel: Panel) -> dict[str, list[float]]:
    """The load of each pole of the feeders' breakers, VA, by their circuits: line by line for a
    panel of as many lines, else, and through a transformer, in equal shares."""
    feeders = {each.id: each for each in project.feeders}
    by_circuit = {}
    for id, circuit in feeder_circuits(project, panel).items():
        below = project.panel(feeders[id].target_id)
        lines = list(schedule(project, below).totals_va.values()) if below else []
        if len(lines) != circuit.poles:
            total = sum(lines) if below else _behind(project, feeders[id].target_id)
            lines = [total / circuit.poles] * circuit.poles
        by_circuit[circuit.id] = lines
    return by_circuit


def _behind(project: Project, transformer_id: str) -> float:
    """Return the load that is connected behind a transformer, VA."""
    targets = [each.target_id for each in project.feeders if each.source_id == transformer_id]
    panels = (project.panel(each) for each in targets)
    direct = sum(schedule(project, each).total_va for each in panels if each is not None)
    return direct + sum(_behind(project, each) for each in targets if project.panel(each) is None)


def _text(key: str) -> Text:
    return TEXTS.text(f"projects.schedule.{key}")


def _header(project: Project, panel: Panel) -> Iterator[tuple[Text, Text | str | float]]:
    yield _text("project"), project.name
    yield _text("panel"), panel.name
    yield _text("voltage"), _voltage(panel)
    yield _text("phases"), panel.phases
    if panel.wires:
        yield _text("wires"), panel.wires
    yield _text("bus"), panel.bus_rating
    main = panel.main_breaker_amps
    yield _text("main"), "MLO" if main is None else main
    if panel.aic_rating:
        yield _text("aic"), panel.aic_rating
    yield _text("spaces"), panel.spaces
    nodes = {each.id: each.name for each in project.panels}
    nodes |= {each.id: each.name for each in project.transformers}
    for feeder in project.feeders:
        if feeder.target_id == panel.id:
            yield _text("fed_from"), nodes[feeder.source_id]
            yield _text("feeder"), feeder.name
            if conductors := conductor(feeder):
                yield _text("feeder_conductors"), conductors


def _voltage(panel: Panel) -> str:
    """`208Y/120`, `120/240`; `230` for one line and its return."""
    between, to_neutral = number(panel.voltage, digits=0), number(panel.line_to_neutral, digits=0)
    if panel.phases == 3 and not panel.high_leg:
        return f"{between}Y/{to_neutral}"
    return between if panel.wires == 2 else f"{to_neutral}/{between}"


def conductor(wiring: Wiring) -> Text | None:
    """`AWG 12 copper`, in parallel `2 × AWG 1/0 copper`; None where the size is not known."""
    if wiring.conductor_size is None:
        return None
    sets = f"{wiring.conductor_sets} × " if wiring.conductor_sets > 1 else ""
    material = TEXTS.text(f"names.{wiring.conductor_material}")
    size = f"{sets}{label(wiring.conductor_size)}"
    return TEXTS.text("inspection.conductor", size=size, material=material)


def sheet(schedule: Schedule, locale: str) -> Sheet:
    """Return a schedule for a spreadsheet; in Hebrew it runs from right to left."""

    def said(value: Text | str | float) -> str:
        return value.say(locale) if isinstance(value, Text) else shown(value)

    header: list[Block] = [
        Paragraph(f"{name.say(locale)}: {said(value)}") for name, value in schedule.header
    ]
    titles = [said(_text(name)) for name in (*_SIDE, "phase", *reversed(_SIDE))]
    rows = [
        [*_cells(row.left, locale), row.phase, *reversed(_cells(row.right, locale))]
        for row in schedule.rows
    ]
    totals: list[list[Cell]] = [
        [phase, round(va, 1), round(schedule.totals_amps[phase], 1)]
        for phase, va in schedule.totals_va.items()
    ]
    total = said(_text("total"))
    sums = Table([total, "VA", "A"], [*totals, [total, round(schedule.total_va, 1), None]])
    blocks = [*header, Table(titles, rows), sums, Paragraph(said(_text("note")))]
    return Sheet(schedule.name, blocks, direction(locale), locale)


def _cells(position: Position | None, locale: str) -> list[Cell]:
    """The cells of one side, in the order of `_SIDE`."""
    if position is None:
        return [None] * len(_SIDE)
    va = None if position.va is None else round(position.va, 1)
    circuit = position.circuit
    if circuit is None or not position.is_first:
        return [position.number, None, None, None, None, va]
    wires = conductor(circuit)
    return [
        position.number,
        circuit.description,
        wires.say(locale) if wires else None,
        circuit.poles,
        circuit.breaker_amps,
        va,
    ]
