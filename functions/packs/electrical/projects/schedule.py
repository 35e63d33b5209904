"""A panel schedule: odd positions left, even ones right, with loads by phase."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packs.electrical.nec.conductors import label
from packs.electrical.projects.records import Circuit, Panel, Project, Wiring
from packs.electrical.results import Words, number


@dataclass(frozen=True, slots=True)
class Position:
    """One space of a panel. A circuit of several poles is told at its first one; at the others
    only its load is.

    Attributes:
        va: Of this pole, volt-amperes; None where nothing is connected.
    """

    number: int
    circuit: Circuit | None
    is_first: bool
    va: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """Two positions of one phase, side by side; a panel of an odd number of spaces has no last
    one on the right."""

    phase: str
    left: Position
    right: Position | None


@dataclass(frozen=True, slots=True)
class Schedule:
    """A panel as its door shows it.

    Attributes:
        header: What the panel is: a name and a value each.
        totals_va: By phase.
        totals_amps: The same as current to neutral.
    """

    name: str
    header: list[tuple[Words, str | float]]
    rows: list[Row]
    totals_va: dict[str, float]
    totals_amps: dict[str, float]

    @property
    def total_va(self) -> float:
        return sum(self.totals_va.values())


def schedule(project: Project, panel: Panel) -> Schedule:
    """The schedule of a panel: loads as connected, each shared equally among its poles. Loads of
    panels that this one supplies stand in their own schedules."""
    phases = "ABC"[: 3 if panel.phases == 3 else 1 if panel.wires == 2 else 2]
    positions = {each.number: each for each in _positions(panel)}
    rows = [
        Row(phases[at % len(phases)], positions[2 * at + 1], positions.get(2 * at + 2))
        for at in range((panel.spaces + 1) // 2)
    ]
    totals = dict.fromkeys(phases, 0.0)
    for row in rows:
        sides = (row.left, row.right)
        totals[row.phase] += sum(side.va or 0 for side in sides if side is not None)
    amps = {phase: va / _to_neutral(panel, phase) for phase, va in totals.items()}
    return Schedule(panel.name, list(_header(project, panel)), rows, totals, amps)


def volt_amperes(circuit: Circuit) -> float:
    """A circuit's connected load, VA; one whose power factor is not known counts as unity."""
    return circuit.load_watts / (circuit.power_factor or 1)


def _positions(panel: Panel) -> Iterator[Position]:
    taken = {place: each for each in panel.circuits for place in each.positions}
    for place in range(1, panel.spaces + 1):
        circuit = taken.get(place)
        va = None
        if circuit is not None and not circuit.is_spare:
            va = volt_amperes(circuit) / circuit.poles
        is_first = circuit is not None and circuit.circuit_number == place
        yield Position(place, circuit, is_first, va)


def _to_neutral(panel: Panel, phase: str) -> float:
    """Volts; the high leg of a delta, B, is 1.732 times as far from the neutral as the others."""
    return panel.line_to_neutral * (3**0.5 if panel.high_leg and phase == "B" else 1)


def _header(project: Project, panel: Panel) -> Iterator[tuple[Words, str | float]]:
    yield Words("Project", "פרויקט"), project.name
    yield Words("Panel", "לוח"), panel.name
    yield Words("Voltage, V", "מתח, V"), _voltage(panel)
    yield Words("Phases", "פאזות"), panel.phases
    if panel.wires:
        yield Words("Wires", "מוליכים"), panel.wires
    yield Words("Bus rating, A", "פסי צבירה, A"), panel.bus_rating
    main = panel.main_breaker_amps
    yield Words("Main breaker, A", "מפסק ראשי, A"), "MLO" if main is None else main
    if panel.aic_rating:
        yield Words("Interrupting rating, A", "כושר ניתוק, A"), panel.aic_rating
    yield Words("Spaces", "מקומות"), panel.spaces
    yield from _supply(project, panel)


def _voltage(panel: Panel) -> str:
    """`208Y/120`, `120/240`; `230` of one line and its return."""
    between, to_neutral = number(panel.voltage, digits=0), number(panel.line_to_neutral, digits=0)
    if panel.phases == 3 and not panel.high_leg:
        return f"{between}Y/{to_neutral}"
    return between if panel.wires == 2 else f"{to_neutral}/{between}"


def _supply(project: Project, panel: Panel) -> Iterator[tuple[Words, str | float]]:
    nodes = {panel.id: panel.name for panel in project.panels}
    nodes |= {transformer.id: transformer.name for transformer in project.transformers}
    for feeder in project.feeders:
        if feeder.target_id == panel.id:
            yield Words("Fed from", "מוזן מ"), nodes[feeder.source_id]
            yield Words("Feeder", "קו הזנה"), feeder.name
            if feeder.conductor_size:
                sets = f"{feeder.conductor_sets} × " if feeder.conductor_sets > 1 else ""
                yield Words("Feeder conductors", "מוליכי ההזנה"), f"{sets}{conductor(feeder)}"


def conductor(wiring: Wiring) -> str | None:
    """`AWG 12 copper`; None where the size is not known."""
    size = wiring.conductor_size
    return None if size is None else f"{label(size)} {wiring.conductor_material}"
