"""Protection of conductors by their breakers: 110.14(C), 240.4, 240.6, 334.80. A circuit with too
large a breaker violates one of these rules, by the cause."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from packs.electrical.calculations.conductors import default_terminal, is_nm
from packs.electrical.calculations.requirements import SEVERAL_OUTLETS
from packs.electrical.inspection.facts import Facts, largest_device
from packs.electrical.inspection.rule import (
    PASSED,
    Check,
    Finding,
    Problem,
    Rule,
    known,
    size_label,
    wiring_text,
)
from packs.electrical.nec.conductors import small_conductor_limit
from packs.electrical.nec.overcurrent import next_standard, not_standard
from packs.electrical.projects.records import Feeder, PanelCircuit, Wiring
from packs.electrical.wording import TEXTS, amps

Cause = Literal["small", "nm", "corrected", "terminals"]


class Protection(Struct, frozen=True):
    """The protection of conductors by the device before them.

    Attributes:
        cause: Why the device does not protect them; None if it does.
        largest: The largest device that is allowed, A.
        small_limit: The largest device of 240.4(D), A; None for larger conductors.
    """

    cause: Cause | None
    ampacity: float
    largest: float
    small_limit: int | None


def protection(facts: Facts, wiring: Wiring, device: float, *, rounds_up: bool) -> Protection:
    """Compare conductors with their device.

    Args:
        rounds_up: Whether the device may be the next standard rating (240.4(B)).

    Raises:
        Unknown: As `Facts.ampacity`.
    """
    carries = facts.ampacity(wiring, device)
    limit = None
    if wiring.conductor_size is not None and wiring.conductor_sets == 1:
        limit = small_conductor_limit(wiring.conductor_size, wiring.conductor_material)
    usable = largest_device(carries.amps, rounds_up=rounds_up)
    cause: Cause | None = None
    if limit is not None and device > limit:
        cause = "small"
    elif device > usable and is_nm(wiring):
        cause = "nm"
    elif device > usable:
        corrected = largest_device(carries.corrected_amps, rounds_up=rounds_up)
        cause = "corrected" if device > corrected else "terminals"
    largest = usable if limit is None else min(usable, limit)
    return Protection(cause, carries.amps, largest, limit)


def circuit_protection(facts: Facts, at: PanelCircuit) -> Protection | None:
    """Compare a circuit's conductors with its breaker; None where another article protects them
    (240.4(G))."""
    if facts.has_own_protection(at):
        return None
    circuit = at.circuit
    rounds_up = circuit.load_type not in SEVERAL_OUTLETS
    return facts.once(
        ("protection", at.panel.id, circuit.id),
        lambda: protection(facts, circuit, circuit.breaker_amps, rounds_up=rounds_up),
    )


def small_conductors(facts: Facts, at: PanelCircuit) -> Finding:
    """The breaker of small conductors is within 240.4(D)."""
    compared = circuit_protection(facts, at)
    if compared is None or compared.small_limit is None:
        return None
    if compared.cause != "small":
        return PASSED
    circuit = at.circuit
    enough = facts.smallest_size(circuit, circuit.breaker_amps)
    values = {"wires": wiring_text(circuit), "larger": size_label(enough) if enough else "-"}
    return Problem(circuit.breaker_amps, compared.small_limit, "A", values)


def protected(cause: Cause) -> Check:
    """Return the check that a circuit's breaker is not too large for one cause."""

    def check(facts: Facts, at: PanelCircuit) -> Finding:
        compared = circuit_protection(facts, at)
        if compared is None or (cause == "nm") != is_nm(at.circuit):
            return None
        if compared.cause == cause:
            return _too_large(facts, at.circuit, at.circuit.breaker_amps, compared, cause)
        return PASSED if compared.cause is None else None  # another rule reports it

    return check


def feeder_protected(facts: Facts, feeder: Feeder) -> Finding:
    """The device before a feeder is not too large for its conductors."""
    if facts.is_open_secondary(feeder):
        return None  # 240.21(C)
    device = known(facts.source_device(feeder), "breakerAmps")
    compared = protection(facts, feeder, device, rounds_up=True)
    panel = facts.target_panel(feeder)
    by_310_12 = panel and facts.allowed_by_310_12(panel, device, compared.ampacity)
    if compared.cause is None or by_310_12:
        return PASSED
    return _too_large(facts, feeder, device, compared, compared.cause)


def _too_large(
    facts: Facts, wiring: Wiring, device: float, compared: Protection, cause: Cause
) -> Problem:
    enough = facts.smallest_size(wiring, device)
    fix = "smaller" if compared.largest > 0 else "replace"
    values = {
        "wires": wiring_text(wiring),
        "ampacity": amps(compared.ampacity),
        "why": TEXTS.text(
            f"inspection.too_large.{cause}",
            terminal=wiring.terminal_rating_c or default_terminal(device),
        ),
        "fix": TEXTS.text(
            f"inspection.too_large.{fix}{'_or_larger' if enough else ''}",
            largest=amps(compared.largest),
            larger=size_label(enough) if enough else "",
        ),
    }
    return Problem(device, compared.largest, "A", values, "too-large")


def standard_rating(facts: Facts, rated: PanelCircuit | Feeder) -> Finding:
    """The rating of a breaker is one of 240.6(A); since 2023, 10 A is one."""
    if isinstance(rated, Feeder) and facts.is_open_secondary(rated):
        return None  # its device is at its end
    wiring = rated.circuit if isinstance(rated, PanelCircuit) else rated
    device = known(wiring.breaker_amps, "breakerAmps")
    if not_standard(device, facts.edition) is None:
        return PASSED
    return Problem(device, next_standard(min(device, 6000)), "A", texts="240-6")


RULES = (
    Rule("110.14-c", "circuit", "circuits", "warning", "110.14(C)", protected("terminals"),
         table="310.16"),
    Rule("240.4-circuit", "circuit", "circuits", "critical", "240.4(B)", protected("corrected"),
         table="310.16"),
    Rule("240.4-d", "circuit", "circuits", "critical", "240.4(D)", small_conductors),
    Rule("240.4-feeder", "feeder", "feeders", "critical", "240.4(B)", feeder_protected,
         table="310.16"),
    Rule("240.6-circuit", "circuit", "circuits", "info", "240.6(A)", standard_rating,
         table="240.6(A)"),
    Rule("240.6-feeder", "feeder", "feeders", "info", "240.6(A)", standard_rating,
         table="240.6(A)"),
    Rule("334.80-nm", "circuit", "circuits", "critical", "334.80", protected("nm"),
         table="310.16"),
)  # fmt: skip
