"""Transformers: their protection (450.3), their secondary conductors (240.21(C)), and the grounding
of the system that they derive (250.30)."""

from __future__ import annotations

from packs.electrical.inspection.conductors import standard_from
from packs.electrical.inspection.facts import Facts, looked_up
from packs.electrical.inspection.rule import (
    PASSED,
    Problem,
    Rule,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.inspection.wording import amps, conductor, size, wire
from packs.electrical.nec.grounding import grounding_electrode_conductor
from packs.electrical.nec.sizes import rank
from packs.electrical.projects.records import Feeder, Panel, Transformer
from packs.electrical.results import Words, feet

LOW_VOLTAGE_V = 1000
NINE_A, TWO_A = 9.0, 2.0
PRIMARY_WITH_SECONDARY = 2.5
SHORT_FT, LONG_FT = 10.0, 25.0
LOWEST_SHARE = {SHORT_FT: 1 / 10, LONG_FT: 1 / 3}
"""Of the primary device's rating, on the secondary: 240.21(C)(2) and (C)(6)."""


def _rated(transformer: Transformer, voltage: float) -> float:
    return transformer.kva * 1000 / (voltage * (3**0.5 if transformer.phases == 3 else 1))


def _primary_device(facts: Facts, transformer: Transformer) -> float | None:
    feeder = facts.into.get(transformer.id)
    upstream = facts.protected_at(feeder) if feeder else None
    devices = [each for each in (transformer.primary_breaker_amps, upstream) if each is not None]
    return min(devices) if devices else None


def _secondary_device(facts: Facts, transformer: Transformer) -> float | None:
    """The device that protects the whole secondary, A; None if there is none."""
    found = []
    for feeder in facts.out_of.get(transformer.id, []):
        target = facts.nodes[feeder.target_id]
        main = target.main_breaker_amps if isinstance(target, Panel) else None
        found.append(facts.protected_at(feeder) or main)
    if transformer.secondary_breaker_amps is not None:
        return transformer.secondary_breaker_amps
    known_ones = [each for each in found if each is not None]
    return sum(known_ones) if known_ones and len(known_ones) == len(found) else None


def _share(amps_: float, *, low: float) -> float:
    """The most of Table 450.3(B), A: 125 % and up to the next standard rating; more for small
    currents."""
    if amps_ >= NINE_A:
        return standard_from(1.25 * amps_)
    return (low if amps_ < TWO_A else 1.67) * amps_


def _primary(facts: Facts, transformer: Transformer) -> Verdict:
    if max(transformer.primary_voltage, transformer.secondary_voltage) > LOW_VOLTAGE_V:
        return None
    device = known(_primary_device(facts, transformer), "primaryBreakerAmps")
    rated = _rated(transformer, transformer.primary_voltage)
    most = _share(rated, low=3.0)
    if device <= most:
        return PASSED
    with_secondary = rated * PRIMARY_WITH_SECONDARY
    if device <= with_secondary and _secondary_protected(facts, transformer):
        return PASSED
    return Problem(
        Words(
            f"The primary device is {amps(device)}; the rated current is {amps(rated)}, for which "
            f"{amps(most)} is the most, or {amps(with_secondary)} with a secondary device "
            f"at 125 %.",
            f"המפסק הראשוני הוא {amps(device)}; הזרם הנקוב {amps(rated)}, והמרב הוא {amps(most)}, "
            f"או {amps(with_secondary)} כשיש בצד המשני מפסק של 125%.",
        ),
        Words(
            f"Use a primary device of at most {amps(most)}, or protect the secondary at 125 %.",
            f"יש להתקין מפסק ראשוני של {amps(most)} לכל היותר, או להגן על הצד המשני ב-125%.",
        ),
        device,
        round(most, 1),
        "A",
    )


def _secondary_protected(facts: Facts, transformer: Transformer) -> bool:
    device = _secondary_device(facts, transformer)
    rated = _rated(transformer, transformer.secondary_voltage)
    return device is not None and device <= _share(rated, low=1.67)


def _secondary_length(facts: Facts, feeder: Feeder) -> Verdict:
    if not facts.is_open_secondary(feeder):
        return None
    length = known(feeder.length_ft, "lengthFt")
    if length <= LONG_FT:
        return PASSED
    return Problem(
        Words(
            f"The secondary conductors run {feet(length)} to their first device; "
            f"{feet(LONG_FT)} is the most inside a building.",
            f"מוליכי הצד המשני נמשכים {feet(length)} עד המפסק הראשון; המרב בתוך מבנה הוא "
            f"{feet(LONG_FT)}.",
        ),
        Words(
            "Put a device at the transformer's secondary, or move it nearer.",
            "יש להתקין מפסק ביציאת השנאי, או לקרב את השנאי.",
        ),
        length,
        LONG_FT,
        "ft",
    )


def _secondary_ampacity(facts: Facts, feeder: Feeder) -> Verdict:
    transformer = facts.nodes.get(feeder.source_id)
    if not isinstance(transformer, Transformer) or not facts.is_open_secondary(feeder):
        return None
    least, device = _least_secondary(facts, feeder, transformer)
    carries = facts.ampacity(feeder, device).amps
    if carries >= least:
        return PASSED
    wires = wire(feeder)
    return Problem(
        Words(
            f"{wires.en} carries {amps(carries)}; secondary conductors need {amps(least)} here, "
            f"and the next standard size up is not allowed for them.",
            f"{wires.he} נושא {amps(carries)}; כאן נדרשים {amps(least)}, ולמוליכי צד משני אסור "
            "לעגל לערך התקני הבא.",
        ),
        Words(
            f"Use conductors for at least {amps(least)}, or a smaller device.",
            f"יש להשתמש במוליכים ל-{amps(least)} לפחות, או במפסק קטן יותר.",
        ),
        round(carries, 1),
        round(least, 1),
        "A",
    )


def _least_secondary(facts: Facts, feeder: Feeder, transformer: Transformer) -> tuple[float, float]:
    """What secondary conductors must carry, and the device that they end at, A.

    Raises:
        Unknown: The device, the length or the primary device is not recorded.
    """
    target = facts.nodes[feeder.target_id]
    ends = target.main_breaker_amps if isinstance(target, Panel) else None
    device = known(ends, "mainBreakerAmps")
    length = known(feeder.length_ft, "lengthFt")
    primary = known(_primary_device(facts, transformer), "primaryBreakerAmps")
    share = LOWEST_SHARE[SHORT_FT if length <= SHORT_FT else LONG_FT]
    ratio = transformer.primary_voltage / transformer.secondary_voltage
    return max(device, primary * ratio * share), device


def _must_be_grounded(facts: Facts, transformer: Transformer) -> bool:
    """Whether 250.20(B) asks to ground the system: where it can be at most 150 V to ground, or
    where its neutral is used.

    Raises:
        Unknown: Whether the neutral is used is not recorded.
    """
    line = transformer.secondary_voltage
    if line / (3**0.5 if transformer.phases == 3 else 2) <= 150:
        return True
    panels = [
        target
        for feeder in facts.out_of.get(transformer.id, [])
        if isinstance(target := facts.nodes[feeder.target_id], Panel)
    ]
    if any(panel.wires == 4 for panel in panels):
        return True
    if any(panel.wires is None for panel in panels):
        raise Unknown("wires")
    return False


def _derived(facts: Facts, transformer: Transformer) -> Verdict:
    if not _must_be_grounded(facts, transformer):
        return None
    if known(transformer.secondary_grounded, "secondaryGrounded"):
        return PASSED
    return Problem(
        Words(
            "The system that the transformer derives is not bonded and grounded.",
            "המערכת שהשנאי יוצר אינה מגושרת ואינה מוארקת.",
        ),
        Words(
            "Install a system bonding jumper and a grounding electrode conductor at the "
            "transformer or the first disconnect.",
            "יש להתקין גשר מערכת ומוליך הארקה לאלקטרודה בשנאי או במפסק הראשון.",
        ),
    )


def _derived_gec(facts: Facts, transformer: Transformer) -> Verdict:
    if transformer.secondary_grounded is False or not _must_be_grounded(facts, transformer):
        return None
    there = known(transformer.gec_size, "gecSize")
    feeders = facts.out_of.get(transformer.id, [])
    if not feeders:
        raise Unknown("feeders")
    needed = []
    for feeder in feeders:
        largest = known(feeder.conductor_size, "conductorSize")
        needed.append(_gec_for(feeder, largest, transformer))
    least = max(needed, key=rank)
    if rank(there) >= rank(least):
        return PASSED
    has = conductor(there, transformer.gec_material)
    return Problem(
        Words(
            f"The transformer's grounding electrode conductor is {has.en}; {size(least)} is "
            f"required.",
            f"מוליך ההארקה של השנאי הוא {has.he}; נדרש {size(least)}.",
        ),
        Words(f"Replace it with {size(least)}.", f"יש להחליפו ב-{size(least)}."),
        there,
        least,
    )


def _gec_for(feeder: Feeder, largest: str, transformer: Transformer) -> str:
    return looked_up(
        lambda: grounding_electrode_conductor(
            largest,
            feeder.conductor_material,
            transformer.gec_material,
            sets=feeder.conductor_sets,
        ),
        "gecMaterial",
    )


RULES = (
    Rule(
        id="240.21-length",
        kind="feeder",
        category="feeders",
        severity="critical",
        article="240.21(C)",
        title=Words("Length of secondary conductors", "אורך מוליכי צד משני"),
        check=_secondary_length,
    ),
    Rule(
        id="240.21-ampacity",
        kind="feeder",
        category="feeders",
        severity="critical",
        article="240.21(C)",
        title=Words("Ampacity of secondary conductors", "כושר העמסה של מוליכי צד משני"),
        check=_secondary_ampacity,
    ),
    Rule(
        id="450.3-primary",
        kind="transformer",
        category="feeders",
        severity="critical",
        article="450.3(B)",
        table="450.3(B)",
        title=Words("Protection of transformers", "הגנה על שנאים"),
        check=_primary,
    ),
    Rule(
        id="250.30-grounded",
        kind="transformer",
        category="grounding",
        severity="critical",
        article="250.30(A)",
        title=Words("Separately derived systems grounded", "הארקת מערכת נגזרת"),
        check=_derived,
    ),
    Rule(
        id="250.30-gec",
        kind="transformer",
        category="grounding",
        severity="critical",
        article="250.30(A)(5)",
        table="250.66",
        title=Words("Electrode conductor of derived systems", "מוליך הארקה של מערכת נגזרת"),
        check=_derived_gec,
    ),
)
