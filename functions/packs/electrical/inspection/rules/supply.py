"""The service (230), feeders (110.4, 215), and secondary conductors of transformers (240.21)."""

from __future__ import annotations

from packs.electrical.inspection.facts import Facts, largest_device
from packs.electrical.inspection.rule import (
    PASSED,
    TOLERANCE,
    FieldCheck,
    Finding,
    Limit,
    Problem,
    Rule,
    at_least,
    known,
    wiring_text,
)
from packs.electrical.inspection.rules.branch_circuits import VOLTAGE_TOLERANCE
from packs.electrical.inspection.rules.equipment import primary_device
from packs.electrical.projects.records import Feeder, Project, Transformer
from packs.electrical.wording import amps
from rollcall.core.texts import isolated

MAX_DISCONNECTS = 6
ONE_FAMILY_A = 100
OTHERS_A = 60
"""The smallest service disconnects of 230.79."""
GROUND_FAULT_FROM_A = 1000
GROUND_FAULT_FROM_V = 150
SHORT_FT, LONG_FT = 10.0, 25.0
MIN_SHARE = {SHORT_FT: 1 / 10, LONG_FT: 1 / 3}
"""The least ampacity of secondary conductors, by length, as a share of the primary device's rating:
240.21(C)(2) and (C)(6)."""


# The service


def service_carries_load(facts: Facts, project: Project) -> Finding:
    """The service conductors carry the calculated load, or are those of 310.12."""
    service = project.service
    panel = known(facts.service_panel, "service.panelId")
    usable = facts.ampacity(service, service.service_amps).amps
    demand = facts.demand_amps(panel)
    if usable >= demand or facts.allowed_by_310_12(panel, service.service_amps, usable):
        return PASSED
    values = {"wires": wiring_text(service)}
    texts = None if usable else "230-42-load-hot"
    return Problem(round(usable, 1), round(demand, 1), "A", values, texts)


def service_protected(facts: Facts, project: Project) -> Finding:
    """The service disconnect is not too large for the service conductors."""
    service = project.service
    usable = facts.ampacity(service, service.service_amps).amps
    allowed = largest_device(usable)
    if service.service_amps <= allowed:
        return PASSED
    panel = known(facts.service_panel, "service.panelId")
    if facts.allowed_by_310_12(panel, service.service_amps, usable):
        return PASSED
    values = {"wires": wiring_text(service), "ampacity": amps(usable)}
    texts = None if allowed else "230-90-protection-hot"
    return Problem(service.service_amps, allowed, "A", values, texts)


def service_rating(facts: Facts, project: Project) -> Finding:
    """The service disconnect of a one-family dwelling is rated 100 A, of others 60 A."""
    one_family = facts.dwelling and project.building.dwelling_units == 1
    return at_least(project.service.service_amps, ONE_FAMILY_A if one_family else OTHERS_A, "A")


def is_dwelling(facts: Facts, project: Project) -> bool:
    return facts.dwelling


def is_small_dwelling(facts: Facts, project: Project) -> bool:
    return facts.dwelling and project.building.dwelling_units <= 2


def ground_fault_protection(facts: Facts, project: Project) -> Finding:
    """Large disconnects of solidly grounded wye systems protect equipment from ground faults."""
    service = project.service
    panel = known(facts.service_panel, "service.panelId")
    if service.service_amps < GROUND_FAULT_FROM_A or service.phases != 3:
        return None
    if service.service_voltage / 3**0.5 <= GROUND_FAULT_FROM_V or known(panel.wires, "wires") != 4:
        return None
    if known(service.ground_fault_protection, "service.groundFaultProtection"):
        return PASSED
    return Problem(service.service_amps, GROUND_FAULT_FROM_A, "A")


# Feeders


def feeder_carries_load(facts: Facts, feeder: Feeder) -> Finding:
    """The conductors carry the calculated load of the panel, or are those of 310.12."""
    panel = facts.target_panel(feeder)
    if panel is None:
        return None  # 450.3 protects a transformer, and 240.4 the conductors to it
    demand = facts.demand_amps(panel)
    device = facts.source_device(feeder) or panel.main_breaker_amps or demand
    carries = facts.ampacity(feeder, device).amps
    if carries * TOLERANCE >= demand or facts.allowed_by_310_12(panel, device, carries):
        return PASSED
    values = {"wires": wiring_text(feeder), "panel": isolated(panel.name)}
    return Problem(round(carries, 1), round(demand, 1), "A", values)


def feeder_breaker(facts: Facts, feeder: Feeder) -> Finding:
    """The device before a feeder is not below the calculated load of the panel."""
    panel = facts.target_panel(feeder)
    if panel is None or facts.is_open_secondary(feeder):
        return None
    rating = known(facts.source_device(feeder), "breakerAmps")
    demand = facts.demand_amps(panel)
    if rating * TOLERANCE >= demand:
        return PASSED
    return Problem(rating, round(demand, 1), "A", {"panel": isolated(panel.name)})


def feeder_voltage(facts: Facts, feeder: Feeder) -> Finding:
    """The voltages at both ends of a feeder are the same."""
    source, target = facts.nodes[feeder.source_id], facts.nodes[feeder.target_id]
    gives = source.secondary_voltage if isinstance(source, Transformer) else source.voltage
    takes = target.primary_voltage if isinstance(target, Transformer) else target.voltage
    if abs(gives - takes) <= VOLTAGE_TOLERANCE * takes:
        return PASSED
    values = {"source": isolated(source.name), "target": isolated(target.name)}
    return Problem(gives, takes, "V", values)


def secondary_ampacity(facts: Facts, feeder: Feeder) -> Finding:
    """Secondary conductors carry the device at their end and the share of 240.21(C)."""
    transformer = facts.nodes.get(feeder.source_id)
    if not isinstance(transformer, Transformer) or not facts.is_open_secondary(feeder):
        return None
    panel = facts.target_panel(feeder)
    device = known(panel.main_breaker_amps if panel else None, "mainBreakerAmps")
    length = known(feeder.length_ft, "lengthFt")
    primary = known(primary_device(facts, transformer), "primaryBreakerAmps")
    share = MIN_SHARE[SHORT_FT if length <= SHORT_FT else LONG_FT]
    ratio = transformer.primary_voltage / transformer.secondary_voltage
    least = max(device, primary * ratio * share)
    carries = facts.ampacity(feeder, device).amps
    if carries >= least:
        return PASSED
    return Problem(round(carries, 1), round(least, 1), "A", {"wires": wiring_text(feeder)})


RULES = (
    Rule("110.4-feeder", "feeder", "feeders", "critical", "110.4", feeder_voltage),
    Rule("215.2-conductor", "feeder", "feeders", "critical", "215.2(A)(1)", feeder_carries_load),
    Rule("215.3-breaker", "feeder", "feeders", "critical", "215.3", feeder_breaker),
    Rule("230.42-load", "project", "feeders", "critical", "230.42(A)", service_carries_load),
    Rule("230.67-surge", "project", "panels", "warning", "230.67",
         FieldCheck("service.surge_protection", applies=is_dwelling), since=2020),
    Rule("230.71-six", "project", "panels", "critical", "230.71(B)",
         Limit("service.disconnects", "<=", MAX_DISCONNECTS), numbers={2017: "230.71(A)"}),
    Rule("230.79-rating", "project", "panels", "critical", "230.79", service_rating),
    Rule("230.85-emergency", "project", "panels", "warning", "230.85",
         FieldCheck("service.emergency_disconnect", applies=is_small_dwelling), since=2020),
    Rule("230.90-protection", "project", "feeders", "critical", "230.90(A)", service_protected),
    Rule("230.95-ground-fault", "project", "panels", "critical", "230.95",
         ground_fault_protection),
    Rule("240.21-ampacity", "feeder", "feeders", "critical", "240.21(C)", secondary_ampacity),
    Rule("240.21-length", "feeder", "feeders", "critical", "240.21(C)",
         Limit("length_ft", "<=", LONG_FT, "ft", applies=Facts.is_open_secondary)),
)  # fmt: skip
