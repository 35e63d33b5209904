"""What check_conductor_sizing returns, and how it is filled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from packs.electrical.calculations.conductors import smallest_size
from packs.electrical.calculations.sizing import Sizing, grounding_of, sound_need
from packs.electrical.nec.editions import article
from packs.electrical.nec.sizes import Size, rank
from packs.electrical.nec.tables import unchecked
from packs.electrical.results import CalculationResult, CodeReference, Words, said
from packs.electrical.wiring.sizing_cases import Case
from packs.electrical.wiring.sizing_words import (
    article_of,
    problem_words,
    recommendation,
    rounding_article,
)
from packs.electrical.wiring.words import size_text
from rollcall.core.shapes import Wire
from rollcall.core.wording import isolated


class Step(Wire):
    """One figure of the way to the result, with its place in the code."""

    name: str
    value: float
    unit: str | None = None
    reference: str | None = None


class ConductorSizing(CalculationResult):
    """What check_conductor_sizing returns.

    `ampacity` is what is left after correction, adjustment and the terminals' limit, A, of all
    conductors in parallel together; `requiredAmps` counts 125 % of continuous loads and motors.
    Without a size to check, `conductorSize` is the smallest that complies and `isProposed` says so.
    """

    circuit_id: str | None = None
    circuit_name: str | None = None
    circuit_number: int | None = None
    panel_name: str | None = None
    conductor_size: str
    conductor_material: str
    conductor_sets: int
    is_proposed: bool
    load_amps: float
    required_amps: float
    ampacity: float
    compliant: bool
    nec_reference: str
    recommendation: str | None = None
    problems: list[str]
    breaker_amps: int
    largest_breaker_amps: int
    smallest_complying_size: str | None = None
    equipment_grounding_conductor: str
    steps: list[Step]


def conductor_sizing(
    locale: str, case: Case, sizing: Sizing, project_id: str | None
) -> ConductorSizing:
    """The result in the locale's language."""
    checked, need, found = sizing.checked, case.required.need, case.found
    advice = recommendation(sizing, case)
    ground = _ground(case, sizing)
    citations = list(_citations(case, sizing))
    return ConductorSizing(
        project_id=project_id,
        circuit_id=found.circuit.id if found else None,
        circuit_name=found.circuit.description if found else None,
        circuit_number=found.circuit.circuit_number if found else None,
        panel_name=found.panel.name if found else None,
        conductor_size=checked.size,
        conductor_material=case.how.material,
        conductor_sets=case.how.sets,
        is_proposed=sizing.is_proposed,
        load_amps=round(need.load_amps, 3),
        required_amps=round(need.required_amps, 3),
        ampacity=round(checked.ampacity.amps, 2),
        compliant=checked.compliant,
        nec_reference=", ".join(
            f"Table {each.table}" if each.table else each.article or "" for each in citations
        ),
        recommendation=advice.say(locale) if advice else None,
        problems=[problem_words(each, sizing, case).say(locale) for each in checked.problems],
        breaker_amps=sizing.breaker_amps,
        largest_breaker_amps=checked.largest_breaker_amps,
        smallest_complying_size=sizing.smallest,
        equipment_grounding_conductor=ground,
        steps=list(_steps(case, sizing)),
        inputs=list(case.inputs),
        assumptions=[each.say(locale) for each in case.assumed],
        warnings=said(locale, _warnings(case, sizing, ground)),
        citations=citations,
    )


def _ground(case: Case, sizing: Sizing) -> Size:
    material = case.found.circuit.egc_material if case.found else case.how.material
    installed, needed = sizing.checked.size, sizing.smallest
    return grounding_of(sizing.breaker_amps, installed, needed, material, case.edition)


def _steps(case: Case, sizing: Sizing) -> Iterator[Step]:
    checked, need = sizing.checked, case.required.need
    found = checked.ampacity
    by_edition = _places(case)
    yield Step(
        name="tableAmpacity", value=found.table_amps, unit="A", reference=by_edition["310.16"]
    )
    yield Step(
        name="temperatureFactor",
        value=found.temperature_factor,
        reference=by_edition["310.15(B)(1)(1)"],
    )
    yield Step(
        name="adjustmentFactor",
        value=found.adjustment_factor,
        reference=by_edition["310.15(C)(1)"],
    )
    yield _amps("correctedAmpacity", found.corrected_amps, "310.15")
    yield _amps("terminalLimit", found.terminal_amps, "110.14(C)")
    yield _amps("ampacity", found.amps, by_edition["310.16"])
    yield _amps("loadAmps", need.load_amps, None)
    yield _amps("requiredAmps", need.required_amps, ", ".join(case.required.articles))
    if checked.small_conductor_amps is not None:
        yield _amps("smallConductorLimit", checked.small_conductor_amps, "240.4(D)")
    rounding = rounding_article(sizing.breaker_amps)
    protects = {"motor": "430.52", "cooling": "440.22(A)"}.get(need.rule, f"{rounding}, 240.6(A)")
    yield _amps("largestBreaker", checked.largest_breaker_amps, protects)
    yield _amps("breaker", sizing.breaker_amps, "240.6(A)")


def _amps(name: str, value: float, reference: str | None) -> Step:
    return Step(name=name, value=round(value, 3), unit="A", reference=reference)


def _places(case: Case) -> dict[str, str]:
    """Where the tables stand in the edition."""
    numbers = ("310.16", "310.15(B)(1)(1)", "310.15(C)(1)")
    return {number: f"Table {article(number, case.edition)}" for number in numbers}


def _citations(case: Case, sizing: Sizing) -> Iterator[CodeReference]:
    edition, found = case.edition, sizing.checked.ampacity
    yield CodeReference(edition=edition, table=article("310.16", edition))
    if found.temperature_factor != 1:
        yield CodeReference(edition=edition, table=article("310.15(B)(1)(1)", edition))
    if found.adjustment_factor != 1:
        yield CodeReference(edition=edition, table=article("310.15(C)(1)", edition))
    places = ["110.14(C)", *case.required.articles, "240.6(A)"]
    if case.required.need.rule == "general":
        small = sizing.checked.small_conductor_amps is not None
        places.append("240.4(D)" if small else rounding_article(sizing.breaker_amps))
    places += [article_of(problem, case, sizing.checked) for problem in sizing.checked.problems]
    before_2020 = {"424.4(B)": "424.3(B)"} if edition == 2017 else {}
    for place in dict.fromkeys(before_2020.get(place, place) for place in places):
        in_220 = place.startswith("220.")
        yield CodeReference(edition=edition, article=article(place, edition) if in_220 else place)
    yield CodeReference(edition=edition, table="250.122")


def _warnings(case: Case, sizing: Sizing, ground: Size) -> Iterator[Words]:
    if case.required.need.rule == "cooling":
        yield _NAMEPLATE
    if case.required.need.rule == "motor" and not (case.load and case.load.motors):
        yield _NO_MOTOR
    if better := _with_marked_terminals(case, sizing):
        yield better
    known = case.found.circuit.egc_size if case.found else None
    if known is not None and _is_smaller(known, ground):
        yield _small_ground(known, ground)
    if unsure := unchecked(_tables(case, sizing), case.edition):
        yield unsure


def _tables(case: Case, sizing: Sizing) -> Iterator[str]:
    """The tables that figures were taken from, by their keys."""
    found, need = sizing.checked.ampacity, case.required.need
    yield "310.16"
    if found.temperature_factor != 1:
        yield "310.15(B)(1)(1)"
    if found.adjustment_factor != 1:
        yield "310.15(C)(1)"
    if sizing.checked.small_conductor_amps is not None:
        yield "240.4(D)"
    yield "240.6(A)"
    yield "250.122"
    if need.rule == "motor" and case.load is not None:
        yield "430.52"
        for phases in sorted({motor.phases for motor in case.load.motors}):
            yield "430.248" if phases == 1 else "430.250"


def _with_marked_terminals(case: Case, sizing: Sizing) -> Words | None:
    """What terminals marked 75 °C would change, where their marking was assumed to be 60 °C."""
    assumed = {each.name for each in case.assumed}
    if "terminalRatingC" not in assumed or case.how.terminal_c != 60 or sizing.smallest is None:
        return None
    smaller = smallest_size(replace(case.how, terminal_c=75), sound_need(case.required.need))
    if smaller is None or not _is_smaller(smaller, sizing.smallest):
        return None
    size = size_text(smaller, case.how.sets)
    return Words(
        en=f"with terminals marked 75 °C, {size} would be enough",
        he=f"אם ההדקים מסומנים ל-{isolated('75 °C')}, מספיק {size}",
    )


def _is_smaller(known: Size, needed: Size) -> bool:
    return rank(known) < rank(needed)


def _small_ground(known: Size, needed: Size) -> Words:
    return Words(
        en=f"the equipment grounding conductor is {size_text(known)}; {size_text(needed)} is "
        "required (250.122)",
        he=f"מוליך ההארקה הוא {size_text(known)}; נדרש {size_text(needed)} (250.122)",
    )


_NO_MOTOR = Words(
    en="no motor is recorded on the circuit: its load counts as the full-load current, and its "
    "protection as an inverse-time breaker; record the motor's horsepower (430.6(A)(1))",
    he=f"לא נרשם מנוע במעגל: העומס נחשב לזרם הנקוב, וההגנה למפסק {isolated('inverse-time')}; "
    f"יש לרשום את הספק המנוע ({isolated('430.6(A)(1)')})",
)
_NAMEPLATE = Words(
    en="the unit's nameplate counts first: its minimum circuit ampacity (MCA) and its maximum "
    "protection (MOP)",
    he="לוחית היחידה קובעת: העמסת המעגל המזערית (MCA) וההגנה המרבית (MOP)",
)
