"""Panels: ratings (110.9, 408.30, 408.36), working space (110.26), location (230.70, 240.24),
labels and directories (110.16, 110.24, 408.4, 408.6)."""

from __future__ import annotations

from collections import Counter
from functools import cache

from packs.electrical.calculations.loads.new_load import is_on_high_leg
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import (
    PASSED,
    FieldCheck,
    Finding,
    Limit,
    Problem,
    Rule,
    Unknown,
    at_least,
    at_most,
    known,
)
from packs.electrical.projects.records import Panel, PanelCircuit
from packs.electrical.wording import MM_PER_IN, TEXTS, amps, number, volts
from rollcall.core.texts import isolated, short

WORKING_DEPTHS_IN = ((150, 36.0, 36.0), (600, 36.0, 48.0), (float("inf"), 36.0, 60.0))
"""Table 110.26(A)(1): up to a voltage to ground, the depth under condition 1 (nothing live or
grounded opposite) and under condition 3 (live parts on both sides)."""
MIN_WIDTH_IN = 30.0
MIN_HEIGHT_IN = 78.0
BATHROOMS = ("bathroom", "restroom")
DESCRIPTION_CHARS = 80


# Ratings


def interrupting_rating(facts: Facts, panel: Panel) -> Finding:
    """The panel's interrupting rating is not below the available fault current."""
    rating = known(panel.aic_rating, "aicRating")
    available = facts.fault_current(panel)
    if available <= rating:
        return PASSED
    values = {"available": _kiloamps(available), "rating": _kiloamps(rating)}
    return Problem(round(available), rating, "A", values)


def _kiloamps(value: float) -> str:
    return isolated(f"{number(value / 1000)} kA")


def bus_protection(facts: Facts, panel: Panel) -> Finding:
    """The smallest device in the panel or before it is not above the rating of the bus."""
    feeder = facts.feeder_to.get(panel.id)
    devices = (panel.main_breaker_amps, facts.source_device(feeder) if feeder else None)
    ratings = [rating for rating in devices if rating is not None]
    if ratings:
        return at_most(min(ratings), panel.bus_rating, "A")
    if facts.is_service(panel):
        return None  # 408.36 exception 1: service equipment with several disconnecting means
    raise Unknown("mainBreakerAmps")


def protection_behind_transformer(facts: Facts, panel: Panel) -> Finding:
    """A panel behind a transformer has a device on the secondary side."""
    transformer = facts.source_transformer(panel)
    if transformer is None:
        return None
    feeder = facts.feeder_to[panel.id]
    if panel.main_breaker_amps is not None or facts.source_device(feeder) is not None:
        return PASSED
    if transformer.phases == 1 and panel.wires == 2:
        return None  # the primary device protects a secondary of two wires
    return Problem(values={"bus": amps(panel.bus_rating)})


def high_leg(facts: Facts, at: PanelCircuit) -> Finding:
    """No single-pole circuit is on the high leg of a delta."""
    panel, circuit = at.panel, at.circuit
    if not panel.high_leg or circuit.poles != 1:
        return None
    if not is_on_high_leg(panel, circuit.circuit_number, circuit.poles):
        return PASSED
    to_ground = facts.volts_to_ground(panel)
    values = {"to_ground": volts(to_ground, 1)}
    return Problem(round(to_ground), round(panel.line_to_neutral), "V", values)


def has_main_breaker(facts: Facts, panel: Panel) -> bool:
    return panel.main_breaker_amps is not None


# Working space


def working_depth(facts: Facts, panel: Panel) -> Finding:
    """The working space is as deep as Table 110.26(A)(1) asks for the voltage to ground."""
    depth = known(panel.working_space_depth_in, "workingSpaceDepthIn")
    to_ground = facts.volts_to_ground(panel)
    least, most = next(depths for up_to, *depths in WORKING_DEPTHS_IN if to_ground <= up_to)
    if depth >= most:
        return PASSED
    if depth >= least:
        raise Unknown("workingSpaceCondition")  # the opposite side decides, and is not recorded
    return Problem(depth, least, "in", {"to_ground": volts(to_ground, 1)})


def working_width(facts: Facts, panel: Panel) -> Finding:
    """The working space is 30 in wide, or as wide as the equipment."""
    width = known(panel.working_space_width_in, "workingSpaceWidthIn")
    own = panel.enclosure.width_mm / MM_PER_IN if panel.enclosure else 0.0
    return at_least(width, max(MIN_WIDTH_IN, own), "in")


def working_height(facts: Facts, panel: Panel) -> Finding:
    """The working space is 6 ft 6 in high, or as high as the equipment."""
    height = known(panel.working_space_height_in, "workingSpaceHeightIn")
    own = panel.enclosure.height_mm / MM_PER_IN if panel.enclosure else 0.0
    return at_least(height, max(MIN_HEIGHT_IN, own), "in")


def is_no_bathroom(location: str) -> bool:
    return location not in BATHROOMS


def counts_bathrooms(facts: Facts, panel: Panel) -> bool:
    """Whether 240.24(E) applies: until 2020 to dwellings, dormitories and guest rooms alone."""
    return facts.edition >= 2023 or facts.project.building.occupancy in ("dwelling", "hotel")


# Labels and directories


def not_in_dwelling(facts: Facts, panel: Panel) -> bool:
    return not facts.dwelling


def is_service_of_others(facts: Facts, panel: Panel) -> bool:
    """Whether 110.24 applies: to the service equipment of buildings other than dwellings."""
    return not facts.dwelling and facts.is_service(panel)


def is_marked_panel(facts: Facts, panel: Panel) -> bool:
    """Whether 408.6 applies: not to one- and two-family dwellings, nor to panels of 110.24."""
    if facts.dwelling:
        return facts.project.building.dwelling_units > 2
    return not facts.is_service(panel)


def circuit_described(facts: Facts, at: PanelCircuit) -> Finding:
    """The description of a circuit says what it supplies."""
    description = at.circuit.description
    if _plain(description) not in _placeholders():
        return PASSED
    return Problem(values={"description": short(description, most=DESCRIPTION_CHARS)})


def circuits_distinct(facts: Facts, panel: Panel) -> Finding:
    """No two circuits of a panel have the same description."""
    live = [circuit for circuit in panel.circuits if not circuit.is_spare]
    if not live:
        return None
    counts = Counter(_plain(circuit.description) for circuit in live)
    shared = sorted(text for text, count in counts.items() if count > 1)
    examples = ", ".join(short(text, most=DESCRIPTION_CHARS) for text in shared[:3])
    return at_most(sum(counts[text] for text in shared), 0, examples=examples)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .:")


@cache
def _placeholders() -> frozenset[str]:
    """Descriptions that do not say what a circuit supplies, in every language."""
    key = "inspection.placeholder_words"
    return frozenset({""}.union(*(TEXTS.data(each, key) for each in TEXTS.languages)))


RULES = (
    Rule("110.9-interrupting", "panel", "panels", "critical", "110.9", interrupting_rating),
    Rule("110.16-label", "panel", "panels", "warning", "110.16(A)",
         FieldCheck("arc_flash_label", applies=not_in_dwelling)),
    Rule("110.24-label", "panel", "panels", "warning", "110.24(A)",
         FieldCheck("fault_current_label", applies=is_service_of_others, texts="fault-label")),
    Rule("110.26-depth", "panel", "panels", "critical", "110.26(A)(1)", working_depth,
         table="110.26(A)(1)"),
    Rule("110.26-width", "panel", "panels", "warning", "110.26(A)(2)", working_width),
    Rule("110.26-height", "panel", "panels", "warning", "110.26(A)(3)", working_height),
    Rule("220.40-main", "panel", "panels", "critical", "220.40",
         Limit(Facts.demand_amps, "<=", "main_breaker_amps", "A", applies=has_main_breaker)),
    Rule("230.70-bathroom", "panel", "panels", "critical", "230.70(A)(2)",
         FieldCheck("location", is_no_bathroom, applies=Facts.is_service)),
    Rule("240.24-closet", "panel", "panels", "critical", "240.24(D)",
         FieldCheck("location", lambda location: location != "closet")),
    Rule("240.24-bathroom", "panel", "panels", "critical", "240.24(E)",
         FieldCheck("location", is_no_bathroom, applies=counts_bathrooms)),
    Rule("240.24-stairs", "panel", "panels", "warning", "240.24(F)",
         FieldCheck("location", lambda location: location != "stairway")),
    Rule("240.85-high-leg", "circuit", "circuits", "critical", "240.85", high_leg),
    Rule("408.4-directory", "panel", "panels", "warning", "408.4(A)",
         FieldCheck("directory_complete")),
    Rule("408.4-described", "circuit", "circuits", "info", "408.4(A)", circuit_described),
    Rule("408.4-distinct", "panel", "panels", "info", "408.4(A)", circuits_distinct),
    Rule("408.6-label", "panel", "panels", "warning", "408.6",
         FieldCheck("fault_current_label", applies=is_marked_panel, texts="fault-label"),
         since=2020),
    Rule("408.30-capacity", "panel", "panels", "critical", "408.30",
         Limit(Facts.demand_amps, "<=", "bus_rating", "A")),
    Rule("408.36-protection", "panel", "panels", "critical", "408.36", bus_protection),
    Rule("408.36-transformer", "panel", "panels", "critical", "408.36(B)",
         protection_behind_transformer),
)  # fmt: skip
