"""The wording of projects: names of values, roles and services, and counts in words."""

from __future__ import annotations

from typing import Any

from packs.electrical.projects.records import Project
from packs.electrical.wording import TEXTS, amps, number
from rollcall.core.texts import Text, isolated

_NAMED_VALUES = {
    "load_type": "projects.load_types",
    "area": "projects.areas",
    "conduit_type": "projects.conduits",
    "conductor_material": "names",
    "egc_material": "names",
}
"""The fields of a circuit whose values have names, and the texts with the names."""


def value_name(field: str, value: Any) -> Text | None:
    """Return the name of a value of a circuit's field; None where the value is its own name."""
    names = _NAMED_VALUES.get(field)
    return TEXTS.text(f"{names}.{value}") if names and value is not None else None


def columns_named(locale: str, *names: str) -> list[str]:
    """Return the names of columns in the locale's language."""
    return [TEXTS.say(locale, f"projects.columns.{name}") for name in names]


def service_in_words(locale: str, project: Project) -> str:
    """`200 A, 240 V, single-phase`."""
    service = project.service
    phases = TEXTS.say(locale, f"projects.phases.{service.phases}")
    volts = isolated(f"{number(service.service_voltage)} V")
    return f"{amps(service.service_amps, 2)}, {volts}, {phases}"


def counts(project: Project) -> dict[str, int]:
    """Return how many records of each kind a project has."""
    return {
        "panels": len(project.panels),
        "circuits": sum(len(panel.circuits) for panel in project.panels),
        "feeders": len(project.feeders),
        "transformers": len(project.transformers),
        "motors": len(project.motors),
    }


def counts_in_words(locale: str, counts: dict[str, int]) -> str:
    """Return counts such as `2 panels, 31 circuits, 1 feeder`, without zeros."""
    return ", ".join(
        TEXTS.say(locale, f"projects.counts.{kind}", count=count, number=number(count))
        for kind, count in counts.items()
        if count
    )
