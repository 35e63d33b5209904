"""The grounding electrode system and what is bonded at the service: 250.24, 250.28, 250.50 to
250.66, 250.94, 250.104, 250.142."""

from __future__ import annotations

from collections.abc import Callable

from packs.electrical.inspection.facts import Facts, looked_up
from packs.electrical.inspection.rule import (
    PASSED,
    Check,
    Problem,
    Rule,
    Severity,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.inspection.wording import conductor, size
from packs.electrical.nec.grounding import (
    Electrode as TableElectrode,
)
from packs.electrical.nec.grounding import (
    bonding_jumper,
    grounding_electrode_conductor,
)
from packs.electrical.nec.sizes import Size, rank
from packs.electrical.projects.records import Electrode, Grounding, Panel, Project
from packs.electrical.results import Words, feet, number
from rollcall.core.wording import isolated

MOST_OHMS = 25.0
LEAST_SPACING_FT = 6.0
MADE = ("rod", "plate")
IN_TABLE: dict[str, TableElectrode | None] = {
    "rod": "rod",
    "plate": "rod",
    "concrete_encased": "concrete_encased",
    "ring": "ground_ring",
    "water_pipe": None,
    "structural_steel": None,
}
"""Electrodes as 250.66 tells them apart; None: the table counts in full."""


def _electrodes(project: Project) -> tuple[Electrode, ...]:
    found = project.grounding.electrodes
    if not found:
        raise Unknown("grounding.electrodes")
    return found


def _single_rod(facts: Facts, project: Project) -> Verdict:
    electrodes = _electrodes(project)
    if len(electrodes) > 1 or electrodes[0].kind not in MADE:
        return PASSED
    ohms = known(electrodes[0].resistance_ohms, "grounding.electrodes.resistanceOhms")
    if ohms <= MOST_OHMS:
        return PASSED
    measured = isolated(f"{number(ohms)} Ω")
    most = isolated(f"{number(MOST_OHMS)} Ω")
    return Problem(
        Words(
            f"The only electrode is a rod or plate of {measured}; alone it may have {most}.",
            f"האלקטרודה היחידה היא מוט או לוחית של {measured}; לבדה מותרת עד {most}.",
        ),
        Words(
            f"Add a second electrode, at least {feet(LEAST_SPACING_FT)} away.",
            f"יש להוסיף אלקטרודה שנייה במרחק {feet(LEAST_SPACING_FT)} לפחות.",
        ),
        ohms,
        MOST_OHMS,
        "Ω",
    )


def _water_alone(facts: Facts, project: Project) -> Verdict:
    kinds = {electrode.kind for electrode in _electrodes(project)}
    if "water_pipe" not in kinds:
        return None
    if len(kinds) > 1:
        return PASSED
    return Problem(
        Words("The water pipe is the only electrode.", "צינור המים הוא אלקטרודת ההארקה היחידה."),
        Words(
            "Supplement it with a rod, a ring or a concrete-encased electrode.",
            "יש להוסיף לו מוט, טבעת או הארקת יסוד.",
        ),
    )


def _spacing(facts: Facts, project: Project) -> Verdict:
    rods = [electrode for electrode in _electrodes(project) if electrode.kind in MADE]
    if len(rods) < 2:
        return None
    spacings = [rod.spacing_ft for rod in rods if rod.spacing_ft is not None]
    least = known(min(spacings, default=None), "grounding.electrodes.spacingFt")
    if least >= LEAST_SPACING_FT:
        return PASSED
    return Problem(
        Words(
            f"Rods or plates are {feet(least)} apart; at least {feet(LEAST_SPACING_FT)} is needed.",
            f"המרחק בין מוטות או לוחיות הוא {feet(least)}; נדרשים לפחות {feet(LEAST_SPACING_FT)}.",
        ),
        Words("Drive them further apart.", "יש להרחיק אותם זה מזה."),
        least,
        LEAST_SPACING_FT,
        "ft",
    )


def _gec(facts: Facts, project: Project) -> Verdict:
    grounding, service = project.grounding, project.service
    electrodes = _electrodes(project)
    there = known(grounding.gec_size, "grounding.gecSize")
    largest = known(service.conductor_size, "service.conductorSize")
    needed = [_gec_for(project, largest, each) for each in electrodes]
    least = max(needed, key=rank)
    if rank(there) >= rank(least):
        return PASSED
    has = conductor(there, grounding.gec_material)
    return Problem(
        Words(
            f"The grounding electrode conductor is {has.en}; {size(least)} is required.",
            f"מוליך ההארקה לאלקטרודה הוא {has.he}; נדרש {size(least)}.",
        ),
        Words(f"Replace it with {size(least)}.", f"יש להחליפו ב-{size(least)}."),
        there,
        least,
    )


def _gec_for(project: Project, largest: Size, electrode: Electrode) -> Size:
    grounding, service = project.grounding, project.service
    return looked_up(
        lambda: grounding_electrode_conductor(
            largest,
            service.conductor_material,
            grounding.gec_material,
            sets=service.conductor_sets,
            electrode=IN_TABLE[electrode.kind],
        ),
        "grounding.gecMaterial",
    )


def _main_jumper(facts: Facts, project: Project) -> Verdict:
    jumper = project.grounding.main_bonding_jumper
    panel = facts.service_panel
    bonded = panel.neutral_bonded if panel else None
    if jumper is not False and bonded is not False:
        if jumper or bonded:
            return PASSED
        raise Unknown("grounding.mainBondingJumper")
    return Problem(
        Words(
            "There is no main bonding jumper: neutral and equipment grounds are not bonded at the "
            "service.",
            "אין גשר ראשי: האפס והארקת הציוד אינם מגושרים בכניסת החיבור.",
        ),
        Words(
            "Install the main bonding jumper in the service equipment.",
            "יש להתקין את הגשר הראשי בלוח הראשי.",
        ),
    )


def _jumper_size(facts: Facts, project: Project) -> Verdict:
    grounding, service = project.grounding, project.service
    if grounding.main_bonding_jumper is False:
        return None
    there = known(grounding.main_bonding_jumper_size, "grounding.mainBondingJumperSize")
    largest = known(service.conductor_size, "service.conductorSize")
    least = looked_up(
        lambda: bonding_jumper(
            largest, service.conductor_material, "copper", sets=service.conductor_sets
        ),
        "grounding.mainBondingJumperMaterial",
    )
    if rank(there) >= rank(least):
        return PASSED
    return Problem(
        Words(
            f"The main bonding jumper is {size(there)}; {size(least)} copper is required.",
            f"הגשר הראשי הוא {size(there)}; נדרשת נחושת {size(least)}.",
        ),
        Words(f"Replace it with {size(least)}.", f"יש להחליפו ב-{size(least)}."),
        there,
        least,
    )


def _neutral_downstream(facts: Facts, panel: Panel) -> Verdict:
    if facts.is_service(panel) or facts.source_transformer(panel) is not None:
        return None
    if not known(panel.neutral_bonded, "neutralBonded"):
        return PASSED
    return Problem(
        Words(
            "Neutral and equipment grounds are bonded in a panel after the service: neutral "
            "current flows over metal parts.",
            "האפס והארקת הציוד מגושרים בלוח שאחרי החיבור: זרם האפס זורם גם בחלקי מתכת.",
        ),
        Words(
            "Remove the bonding screw or strap, and separate the neutrals from the grounds.",
            "יש להסיר את בורג או פס הגישור ולהפריד בין האפסים להארקות.",
        ),
    )


def _bonded(
    field: str, value: Callable[[Grounding], bool | None], what: Words, fix: Words
) -> Check:
    def check(facts: Facts, project: Project) -> Verdict:
        return PASSED if known(value(project.grounding), field) else Problem(what, fix)

    return check


def _rule(
    id: str,
    article: str,
    title: Words,
    check: Check,
    *,
    severity: Severity = "critical",
    table: str | None = None,
) -> Rule:
    return Rule(
        id=id,
        kind="project",
        category="grounding",
        severity=severity,
        article=article,
        table=table,
        title=title,
        check=check,
    )


RULES = (
    _rule(
        "250.28-jumper",
        "250.28",
        Words("Main bonding jumper", "גשר ראשי בין אפס להארקה"),
        _main_jumper,
    ),
    _rule(
        "250.28-size",
        "250.28(D)",
        Words("Size of the main bonding jumper", "חתך הגשר הראשי"),
        _jumper_size,
        table="250.102(C)(1)",
    ),
    _rule(
        "250.53-rod",
        "250.53(A)(2)",
        Words("A single rod", "מוט הארקה יחיד"),
        _single_rod,
    ),
    _rule(
        "250.53-spacing",
        "250.53(A)(3)",
        Words("Rods apart", "מרחק בין מוטות הארקה"),
        _spacing,
        severity="warning",
    ),
    _rule(
        "250.53-water",
        "250.53(D)(2)",
        Words("Water pipe supplemented", "תוספת לאלקטרודת צינור מים"),
        _water_alone,
    ),
    _rule(
        "250.66-gec",
        "250.66",
        Words("Size of the grounding electrode conductor", "חתך מוליך ההארקה לאלקטרודה"),
        _gec,
        table="250.66",
    ),
    _rule(
        "250.94-intersystem",
        "250.94",
        Words("Intersystem bonding", "פס השוואה למערכות תקשורת"),
        _bonded(
            "grounding.intersystemBonding",
            lambda grounding: grounding.intersystem_bonding,
            Words(
                "There is no intersystem bonding termination for communications.",
                "אין פס השוואת פוטנציאלים למערכות תקשורת.",
            ),
            Words(
                "Put one at the service equipment, with room for three conductors.",
                "יש להתקין כזה ליד הלוח הראשי, עם מקום לשלושה מוליכים.",
            ),
        ),
        severity="warning",
    ),
    _rule(
        "250.104-water",
        "250.104(A)",
        Words("Water piping bonded", "השוואת פוטנציאלים לצנרת מים"),
        _bonded(
            "grounding.waterPipeBonded",
            lambda grounding: grounding.water_pipe_bonded,
            Words("The metal water piping is not bonded.", "צנרת המים המתכתית אינה מגושרת."),
            Words(
                "Bond it to the service equipment, sized by Table 250.102(C)(1).",
                f"יש לגשר אותה ללוח הראשי, בחתך לפי טבלה {isolated('250.102(C)(1)')}.",
            ),
        ),
    ),
    _rule(
        "250.104-gas",
        "250.104(B)",
        Words("Gas piping bonded", "השוואת פוטנציאלים לצנרת גז"),
        _bonded(
            "grounding.gasPipeBonded",
            lambda grounding: grounding.gas_pipe_bonded,
            Words("The metal gas piping is not bonded.", "צנרת הגז המתכתית אינה מגושרת."),
            Words(
                "Bond it; the equipment grounding conductor of its appliance may serve.",
                "יש לגשר אותה; מוליך ההארקה של המכשיר שלה יכול לשמש לכך.",
            ),
        ),
        severity="warning",
    ),
    Rule(
        id="250.142-neutral",
        kind="panel",
        category="grounding",
        severity="critical",
        article="250.142(B)",
        title=Words("Neutral not bonded after the service", "אין גישור אפס אחרי הלוח הראשי"),
        check=_neutral_downstream,
    ),
)
