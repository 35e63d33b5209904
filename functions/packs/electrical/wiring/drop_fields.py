"""The fields of a voltage-drop result."""

from __future__ import annotations

from packs.electrical.calculations.drop_study import FeederDrop, Study
from packs.electrical.calculations.voltage_drop import (
    BRANCH_LIMIT_PERCENT,
    TOTAL_LIMIT_PERCENT,
    Method,
    Run,
)
from packs.electrical.nec.ampacity import ampacity
from packs.electrical.nec.editions import DEFAULT
from packs.electrical.nec.grounding import (
    enlarged_grounding_conductor,
    equipment_grounding_conductor,
)
from packs.electrical.nec.sizes import Size, rank
from packs.electrical.nec.tables import unchecked
from packs.electrical.projects.records import Project
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import FT_PER_M, CodeReference, Words, said
from packs.electrical.wiring import drop_words
from packs.electrical.wiring.drop_cases import Case
from packs.electrical.wiring.drop_results import ByMethod, Leg, VoltageDrop
from packs.electrical.wiring.words import amps, size_text
from rollcall.core.errors import InvalidArgument
from rollcall.core.wording import isolated


def voltage_drop(
    locale: str,
    case: Case,
    studied: Study,
    *,
    project: Project | None,
    more: tuple[Words, ...] = (),
) -> VoltageDrop:
    """The result in the locale's language.

    Args:
        more: Warnings beside those of the study.
    """
    found, run = case.found, studied.run
    advice = drop_words.recommendation(studied)
    grounding = _grounding(found, studied, project)
    warnings = [*more, *drop_words.unknown_legs(studied)]
    if grounding is not None and found is not None:
        warnings.append(_ground_grows(grounding))
    if studied.drop.percent >= 100:
        warnings.append(_NOTHING_LEFT)
    if (ampacity_of_run := _exceeded(run)) is not None:
        warnings.append(_too_small(run, ampacity_of_run))
    if unsure := _unchecked(studied, project, grounded=grounding is not None):
        warnings.append(unsure)
    return VoltageDrop(
        project_id=project.id if project else None,
        circuit_id=found.circuit.id if found else None,
        circuit_name=found.circuit.description if found else None,
        circuit_number=found.circuit.circuit_number if found else None,
        panel_name=found.panel.name if found else None,
        voltage_drop_percent=round(studied.drop.percent, 3),
        voltage_drop_volts=round(studied.drop.volts, 3),
        receiving_end_voltage=round(studied.drop.receiving_volts, 2),
        compliant=studied.compliant,
        recommendation=advice.say(locale) if advice else None,
        limit_percent=BRANCH_LIMIT_PERCENT,
        total_voltage_drop_percent=_rounded(studied.total_percent),
        total_compliant=studied.total_compliant,
        total_limit_percent=TOTAL_LIMIT_PERCENT,
        method=studied.method,
        method_name=drop_words.METHOD_NAMES[studied.method].say(locale),
        by_method=[
            ByMethod(
                method=method,
                name=drop_words.METHOD_NAMES[method].say(locale),
                voltage_drop_percent=round(percent, 3),
            )
            for method, percent in studied.by_method.items()
        ],
        load_amps=round(run.amps, 3),
        voltage=round(run.volts, 2),
        phases=run.phases,
        length_ft=round(run.length_ft, 2),
        length_m=round(run.length_ft / FT_PER_M, 2),
        conductor_size=run.size,
        conductor_material=run.material,
        smallest_complying_size=studied.smallest_size,
        greatest_length_ft=round(studied.greatest_length_ft, 1),
        greatest_length_m=round(studied.greatest_length_ft / FT_PER_M, 1),
        greatest_load_amps=round(studied.greatest_amps, 2),
        equipment_grounding_conductor=grounding,
        legs=[
            *(_feeder_leg(leg) for leg in studied.feeders or ()),
            _branch_leg(found.label if found else _THE_RUN.say(locale), studied),
        ],
        not_compared=[],
        ranking=[],
        inputs=list(case.inputs),
        assumptions=[each.say(locale) for each in case.assumed],
        warnings=said(locale, warnings),
        citations=_citations(studied, project, grounded=grounding is not None),
    )


def _feeder_leg(leg: FeederDrop) -> Leg:
    feeder, run = leg.feeder.feeder, leg.feeder.run
    return Leg(
        kind="feeder",
        name=feeder.name,
        load_amps=_rounded(leg.feeder.amps),
        voltage=round(leg.feeder.volts, 2),
        phases=leg.feeder.phases,
        length_ft=feeder.length_ft,
        length_m=round(feeder.length_ft / FT_PER_M, 2) if feeder.length_ft else None,
        conductor_size=feeder.conductor_size,
        conductor_material=feeder.conductor_material,
        conductor_sets=feeder.conductor_sets,
        conduit=run.conduit if run else None,
        power_factor=run.power_factor if run else None,
        voltage_drop_volts=_rounded(leg.volts),
        voltage_drop_percent=_rounded(leg.percent),
    )


def _branch_leg(name: str, studied: Study) -> Leg:
    run, lost = studied.run, studied.drop
    return Leg(
        kind="branch",
        name=name,
        load_amps=round(run.amps, 3),
        voltage=round(run.volts, 2),
        phases=run.phases,
        length_ft=round(run.length_ft, 2),
        length_m=round(run.length_ft / FT_PER_M, 2),
        conductor_size=run.size,
        conductor_material=run.material,
        conductor_sets=run.sets,
        conduit=run.conduit,
        power_factor=run.power_factor,
        resistance_ohm_per_kft=round(lost.impedance.r_ohm_per_kft, 5),
        reactance_ohm_per_kft=round(lost.impedance.x_ohm_per_kft, 5),
        voltage_drop_volts=round(lost.volts, 3),
        voltage_drop_percent=round(lost.percent, 3),
    )


def _grounding(found: PanelCircuit | None, studied: Study, project: Project | None) -> Size | None:
    """The equipment grounding conductor that larger conductors ask for (250.122(B)), those that
    would comply or those of the question; None where they stay as they are recorded. Never larger
    than the conductors themselves (250.122(A))."""
    if found is None or project is None:
        return None
    recorded = found.circuit.conductor_size or studied.run.size
    larger = max(studied.smallest_size or recorded, studied.run.size, key=rank)
    if rank(larger) <= rank(recorded):
        return None
    base = equipment_grounding_conductor(
        found.circuit.breaker_amps, found.circuit.egc_material, project.edition
    )
    size = enlarged_grounding_conductor(base, needed=recorded, installed=larger)
    return size if rank(size) < rank(larger) else larger


def _unchecked(studied: Study, project: Project | None, *, grounded: bool) -> Words | None:
    """What is said of tables that were not checked against the project's edition."""
    tables = [_TABLES[studied.method], *(["250.122"] if grounded else [])]
    return unchecked(tables, project.edition if project else DEFAULT)


def _exceeded(run: Run) -> float | None:
    """The ampacity of Table 310.16 at 75 °C that the current is above, A; None where it is not."""
    try:
        able = ampacity(run.size, run.material, 75) * run.sets
    except InvalidArgument:  # a size that Table 310.16 has not: nothing can be said
        return None
    return able if run.amps > able else None


def _too_small(run: Run, able: float) -> Words:
    size, load, most = size_text(run.size, run.sets), amps(run.amps), amps(able)
    return Words(
        en=f"this is the voltage drop alone: {size} carries {most} at 75 °C by Table 310.16, less "
        f"than the load of {load}",
        he=f"זהו מפל המתח בלבד: {size} נושא {most} ב-{isolated('75 °C')} לפי טבלה "
        f"{isolated('310.16')}, פחות מהעומס של {load}",
    )


def _citations(studied: Study, project: Project | None, *, grounded: bool) -> list[CodeReference]:
    edition = project.edition if project else DEFAULT
    found = [
        CodeReference(edition=edition, table=_TABLES[studied.method]),
        CodeReference(edition=edition, article="210.19", title=_RECOMMENDED),
    ]
    if studied.feeders:
        found.append(CodeReference(edition=edition, article="215.2", title=_RECOMMENDED))
    if grounded:
        found.append(
            CodeReference(edition=edition, article="250.122(B)", title="conductors made larger")
        )
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _ground_grows(size: Size) -> Words:
    text = size_text(size)
    return Words(
        en=f"larger conductors ask for a larger equipment grounding conductor in proportion: "
        f"{text} (250.122(B))",
        he=f"הגדלת המוליכים מחייבת הגדלה יחסית של מוליך ההארקה: {text} ({isolated('250.122(B)')})",
    )


_TABLES: dict[Method, str] = {
    "exact": "Chapter 9 Table 9",
    "approximate": "Chapter 9 Table 8",
    "receiving_end": "Chapter 9 Table 9",
}
_RECOMMENDED = "informational note: voltage drop of 3 % and 5 % recommended"
_THE_RUN = Words("the run", "הקו")
_NOTHING_LEFT = Words(
    en="more voltage would be lost than there is: the circuit cannot carry this load",
    he="המפל גדול מהמתח עצמו: המעגל אינו יכול לשאת עומס כזה",
)
