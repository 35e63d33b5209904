"""Whether breakers protect the conductors behind them: 110.14(C), 240.4, 240.6, 334.80. What is
wrong is said once, by the rule that is broken first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from packs.electrical.calculations.conductors import default_terminal
from packs.electrical.calculations.requirements import SEVERAL_OUTLETS
from packs.electrical.inspection.conductors import is_nm, largest_device
from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.inspection.rule import (
    PASSED,
    Check,
    Problem,
    Rule,
    Unknown,
    Verdict,
)
from packs.electrical.inspection.wording import amps, size, wire
from packs.electrical.nec.ampacity import small_conductor_limit
from packs.electrical.nec.overcurrent import is_standard, next_standard
from packs.electrical.projects.records import Feeder, Wiring
from packs.electrical.results import Words
from rollcall.core.wording import isolated

Cause = Literal["small", "nm", "corrected", "terminals"]
TEN_AMPERES_SINCE = 2023


@dataclass(frozen=True, slots=True)
class _Judged:
    """Conductors against their device.

    Attributes:
        cause: Why they are not protected; None if they are.
        largest: The largest device that would be allowed, A.
    """

    cause: Cause | None
    ampacity: float
    largest: float
    small_limit: int | None


def _judge(facts: Facts, wiring: Wiring, device: float, *, rounds_up: bool) -> _Judged:
    found = facts.ampacity(wiring, device)
    limit = None
    if wiring.conductor_size is not None and wiring.conductor_sets == 1:
        limit = small_conductor_limit(wiring.conductor_size, wiring.conductor_material)
    corrected = largest_device(found.corrected_amps, rounds_up=rounds_up)
    usable = largest_device(found.amps, rounds_up=rounds_up)
    largest = min(usable, limit) if limit is not None else usable
    return _Judged(_cause(wiring, device, limit, corrected, usable), found.amps, largest, limit)


def _cause(
    wiring: Wiring, device: float, limit: int | None, corrected: float, usable: float
) -> Cause | None:
    if limit is not None and device > limit:
        return "small"
    if device <= usable:
        return None
    if is_nm(wiring):
        return "nm"
    return "corrected" if device > corrected else "terminals"


def _circuit(facts: Facts, found: PanelCircuit) -> _Judged | None:
    """None where another article protects the conductors (240.4(G))."""
    if facts.own_rules_protect(found):
        return None
    circuit = found.circuit
    rounds_up = circuit.load_type not in SEVERAL_OUTLETS
    key = ("protection", found.panel.id, circuit.id)
    return facts.once(
        key, lambda: _judge(facts, circuit, circuit.breaker_amps, rounds_up=rounds_up)
    )


def _small(facts: Facts, found: PanelCircuit) -> Verdict:
    judged = _circuit(facts, found)
    if judged is None or judged.small_limit is None:
        return None
    circuit = found.circuit
    if judged.cause != "small":
        return PASSED
    wires = wire(circuit)
    enough = facts.smallest(circuit, circuit.breaker_amps)
    larger = size(enough) if enough else "-"
    return Problem(
        Words(
            f"A breaker of {amps(circuit.breaker_amps)} protects {wires.en}; "
            f"{amps(judged.small_limit)} is the most.",
            f"מפסק של {amps(circuit.breaker_amps)} מגן על {wires.he}; המרב הוא "
            f"{amps(judged.small_limit)}.",
        ),
        Words(
            f"Use a breaker of {amps(judged.small_limit)}, or conductors of {larger}.",
            f"יש להתקין מפסק של {amps(judged.small_limit)}, או מוליכים של {larger}.",
        ),
        circuit.breaker_amps,
        judged.small_limit,
        "A",
    )


def _for_cause(cause: Cause) -> Check:
    def check(facts: Facts, found: PanelCircuit) -> Verdict:
        judged = _circuit(facts, found)
        if judged is None or (cause == "nm") != is_nm(found.circuit):
            return None
        if judged.cause == cause:
            return _too_large(facts, found.circuit, found.circuit.breaker_amps, judged, cause)
        return PASSED if judged.cause is None else None  # another rule says it

    return check


def _feeder(facts: Facts, feeder: Feeder) -> Verdict:
    if facts.is_open_secondary(feeder):
        return None  # 240.21(C)
    device = facts.protected_at(feeder)
    if device is None:
        raise Unknown("breakerAmps")
    judged = _judge(facts, feeder, device, rounds_up=True)
    panel = facts.panel_fed(feeder)
    by_310_12 = panel and facts.allowed_by_310_12(panel, device, judged.ampacity)
    if judged.cause is None or by_310_12:
        return PASSED
    return _too_large(facts, feeder, device, judged, judged.cause)


def _too_large(
    facts: Facts, wiring: Wiring, device: float, judged: _Judged, cause: Cause
) -> Problem:
    wires = wire(wiring)
    why = _why(wiring, device, cause)
    enough = facts.smallest(wiring, device)
    larger = size(enough) if enough else None
    more = Words(f", or conductors of {larger}", f", או מוליכים של {larger}")
    less = judged.largest > 0
    smaller = Words(
        f"Use a breaker of at most {amps(judged.largest)}" if less else "Use other conductors",
        f"יש להתקין מפסק של {amps(judged.largest)} לכל היותר" if less else "יש להחליף את המוליכים",
    )
    return Problem(
        Words(
            f"{wires.en} carries {amps(judged.ampacity)} {why.en}; the breaker is {amps(device)}.",
            f"{wires.he} נושא {amps(judged.ampacity)} {why.he}; המפסק הוא {amps(device)}.",
        ),
        Words(
            f"{smaller.en}{more.en if larger else ''}.", f"{smaller.he}{more.he if larger else ''}."
        ),
        device,
        judged.largest,
        "A",
    )


def _why(wiring: Wiring, device: float, cause: Cause) -> Words:
    if cause == "nm":
        return Words(
            "as NM cable, in the 60 °C column", f"ככבל {isolated('NM')}, לפי עמודת 60 מעלות"
        )
    if cause == "terminals":
        rating = wiring.terminal_rating_c or default_terminal(device)
        return Words(f"at terminations of {rating} °C", f"בהדקים של {rating} מעלות")
    return Words(
        "after correction for temperature and bundling", "לאחר תיקון לטמפרטורה ולקיבוץ מוליכים"
    )


def _standard(facts: Facts, rated: PanelCircuit | Feeder) -> Verdict:
    if isinstance(rated, Feeder) and facts.is_open_secondary(rated):
        return None  # its device stands where it ends
    device = rated.circuit.breaker_amps if isinstance(rated, PanelCircuit) else rated.breaker_amps
    if device is None:
        raise Unknown("breakerAmps")
    if is_standard(device) or (device == 10 and facts.edition >= TEN_AMPERES_SINCE):
        return PASSED
    near = next_standard(min(device, 6000))
    return Problem(
        Words(
            f"{amps(device)} is no standard rating of a breaker.",
            f"{amps(device)} אינו ערך תקני של מפסק.",
        ),
        Words(
            f"Check the record; the next standard rating is {amps(near)}.",
            f"יש לבדוק את הרישום; הערך התקני הבא הוא {amps(near)}.",
        ),
        device,
        near,
        "A",
    )


RULES = (
    Rule(
        id="240.4-d",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="240.4(D)",
        title=Words("Small conductors", "מוליכים דקים"),
        check=_small,
    ),
    Rule(
        id="334.80-nm",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="334.80",
        table="310.16",
        title=Words("Ampacity of NM cable", f"כושר העמסה של כבל {isolated('NM')}"),
        check=_for_cause("nm"),
    ),
    Rule(
        id="240.4-circuit",
        kind="circuit",
        category="circuits",
        severity="critical",
        article="240.4(B)",
        table="310.16",
        title=Words("Conductors protected at their ampacity", "הגנת מוליכים לפי כושר העמסה"),
        check=_for_cause("corrected"),
    ),
    Rule(
        id="110.14-c",
        kind="circuit",
        category="circuits",
        severity="warning",
        article="110.14(C)",
        table="310.16",
        title=Words("Temperature of terminations", "טמפרטורת ההדקים"),
        check=_for_cause("terminals"),
    ),
    Rule(
        id="240.6-circuit",
        kind="circuit",
        category="circuits",
        severity="info",
        article="240.6(A)",
        table="240.6(A)",
        title=Words("Standard ratings of breakers", "ערכים תקניים של מפסקים"),
        check=_standard,
    ),
    Rule(
        id="240.4-feeder",
        kind="feeder",
        category="feeders",
        severity="critical",
        article="240.4(B)",
        table="310.16",
        title=Words("Feeder conductors protected", "הגנה על קווי הזנה"),
        check=_feeder,
    ),
    Rule(
        id="240.6-feeder",
        kind="feeder",
        category="feeders",
        severity="info",
        article="240.6(A)",
        table="240.6(A)",
        title=Words("Standard ratings of feeder devices", "ערכים תקניים של מפסקי הזנה"),
        check=_standard,
    ),
)
