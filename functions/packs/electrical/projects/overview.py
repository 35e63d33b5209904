"""Panels and circuits as an overview of a project tells them."""

from __future__ import annotations

from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.projects.topology import downstream
from rollcall.core.shapes import Wire


class CircuitOverview(Wire):
    """One circuit as an overview shows it."""

    circuit_id: str
    circuit_number: int
    poles: int
    description: str
    load_watts: float
    load_type: str
    breaker_amps: int
    conductor_size: str | None
    conductor_material: str
    length_ft: float | None


class PanelOverview(Wire):
    """One panel as an overview shows it.

    Attributes:
        fed_from: The id of the panel or transformer that supplies it; None for the service.
        spaces_used: Of its `spaces`, how many circuits take, spares included.
        load_watts: Connected to it, as its circuits state it, without demand factors.
        load_with_subpanels_watts: The same with all panels that it supplies.
    """

    panel_id: str
    name: str
    voltage: float
    phases: int
    bus_rating: float
    main_breaker_amps: float | None
    fed_from: str | None
    spaces: int
    spaces_used: int
    circuits: int
    load_watts: float
    load_with_subpanels_watts: float


def panel_overview(project: Project, panel: Panel) -> PanelOverview:
    """A panel, with what supplies it and what hangs on it."""
    source = [feeder.source_id for feeder in project.feeders if feeder.target_id == panel.id]
    return PanelOverview(
        panel_id=panel.id,
        name=panel.name,
        voltage=panel.voltage,
        phases=panel.phases,
        bus_rating=panel.bus_rating,
        main_breaker_amps=panel.main_breaker_amps,
        fed_from=source[0] if source else None,
        spaces=panel.spaces,
        spaces_used=sum(circuit.poles for circuit in panel.circuits),
        circuits=len(panel.circuits),
        load_watts=load_of(panel),
        load_with_subpanels_watts=sum(load_of(each) for each in downstream(project, panel)),
    )


def load_of(panel: Panel) -> float:
    """What is connected to a panel itself, W."""
    return sum(circuit.load_watts for circuit in panel.circuits)


def circuit_overview(circuit: Circuit) -> CircuitOverview:
    """A circuit's main figures."""
    return CircuitOverview(
        circuit_id=circuit.id,
        circuit_number=circuit.circuit_number,
        poles=circuit.poles,
        description=circuit.description,
        load_watts=circuit.load_watts,
        load_type=circuit.load_type,
        breaker_amps=circuit.breaker_amps,
        conductor_size=circuit.conductor_size,
        conductor_material=circuit.conductor_material,
        length_ft=circuit.length_ft,
    )


def in_order(panel: Panel) -> list[Circuit]:
    """A panel's circuits by their numbers."""
    return sorted(panel.circuits, key=lambda circuit: circuit.circuit_number)
