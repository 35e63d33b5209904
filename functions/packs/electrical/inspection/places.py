"""Where an issue is, for programs and for people."""

from __future__ import annotations

from typing import Any, NamedTuple

from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.projects.records import Feeder, Motor, Panel, Transformer
from packs.electrical.results import Words, panel_words
from rollcall.core.wording import isolated


class Place(NamedTuple):
    """One panel, circuit, feeder, transformer, motor, or the project's service and grounding.

    Attributes:
        key: Tells it from all others of the project.
        order: Places of a project in the order that people look at them.
    """

    key: str
    order: tuple[Any, ...]
    label: Words
    fields: dict[str, Any]


def place_of(facts: Facts, subject: Any) -> Place:
    """The place of what a rule was given."""
    if isinstance(subject, PanelCircuit):
        return _circuit(subject)
    if isinstance(subject, Panel):
        return Place(subject.id, (1, subject.id, 0), _panel(subject), _panel_fields(subject))
    if isinstance(subject, Feeder):
        fields = {"feeder_id": subject.id, "feeder_name": subject.name}
        return Place(f"feeder/{subject.id}", (2, subject.id, 0), _feeder(subject), fields)
    if isinstance(subject, Transformer):
        label = Words(f"transformer {isolated(subject.name)}", f"שנאי {isolated(subject.name)}")
        fields = {"transformer_id": subject.id, "transformer_name": subject.name}
        return Place(f"transformer/{subject.id}", (3, subject.id, 0), label, fields)
    if isinstance(subject, Motor):
        return _motor(facts, subject)
    return Place("service", (0, "", 0), Words("the service", "החיבור הראשי"), {})


def _panel(panel: Panel) -> Words:
    return panel_words(panel.name)


def _panel_fields(panel: Panel) -> dict[str, Any]:
    return {"panel_id": panel.id, "panel_name": panel.name}


def _feeder(feeder: Feeder) -> Words:
    return Words(f"feeder {isolated(feeder.name)}", f"קו הזנה {isolated(feeder.name)}")


def _circuit(found: PanelCircuit) -> Place:
    panel, circuit = found
    number, description = circuit.circuit_number, isolated(circuit.description)
    place = panel_words(panel.name)
    label = Words(
        f"{place.en}, circuit {number} ({description})",
        f"{place.he}, מעגל {number} ({description})",
    )
    fields = {
        **_panel_fields(panel),
        "circuit_id": circuit.id,
        "circuit_number": number,
    }
    return Place(f"{panel.id}/{circuit.id}", (1, panel.id, number), label, fields)


def _motor(facts: Facts, motor: Motor) -> Place:
    panel, circuit = facts.circuit_of(motor)
    name, place, number = isolated(motor.name), panel_words(panel.name), circuit.circuit_number
    label = Words(
        f"motor {name} ({place.en}, circuit {number})",
        f"מנוע {name} ({place.he}, מעגל {number})",
    )
    fields = {
        **_panel_fields(panel),
        "circuit_id": circuit.id,
        "circuit_number": circuit.circuit_number,
        "motor_id": motor.id,
        "motor_name": motor.name,
    }
    return Place(f"motor/{motor.id}", (1, panel.id, circuit.circuit_number), label, fields)
