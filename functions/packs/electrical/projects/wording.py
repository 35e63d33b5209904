"""The wording of projects: names of values, roles and services, and counts in words."""

from __future__ import annotations

from typing import Any, get_args

from packs.electrical.projects.records import Area, ConduitType, LoadType, Project, ProjectRole
from packs.electrical.wording import TEXTS, amps, number
from rollcall.core.texts import Text, isolated

LOAD_TYPES: dict[LoadType, Text] = {
    kind: TEXTS.text(f"projects.load_types.{kind}") for kind in get_args(LoadType)
}
AREAS: dict[Area, Text] = {area: TEXTS.text(f"projects.areas.{area}") for area in get_args(Area)}
CONDUITS: dict[ConduitType, Text] = {
    kind: TEXTS.text(f"projects.conduits.{kind}") for kind in get_args(ConduitType)
}
MATERIALS = {
    "copper": TEXTS.text("names.copper"),
    "aluminum": TEXTS.text("names.aluminum"),
}
ROLES: dict[ProjectRole, Text] = {
    role: TEXTS.text(f"projects.roles.{role}") for role in get_args(ProjectRole)
}

_BY_FIELD: dict[str, dict[Any, Text]] = {
    "load_type": dict(LOAD_TYPES),
    "area": dict(AREAS),
    "conduit_type": dict(CONDUITS),
    "conductor_material": dict(MATERIALS),
    "egc_material": dict(MATERIALS),
}


def value_name(field: str, value: Any) -> Text | None:
    """Return the name of a value of a circuit's field; None where the value is its own name."""
    return _BY_FIELD.get(field, {}).get(value)


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
