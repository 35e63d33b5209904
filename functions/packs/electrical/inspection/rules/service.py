"""The service: 230.42, 230.67, 230.71, 230.79, 230.85, 230.90, 230.95, 310.12."""

from __future__ import annotations

from packs.electrical.inspection.conductors import largest_device
from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import PASSED, Problem, Rule, Verdict, known
from packs.electrical.inspection.wording import amps, wire
from packs.electrical.projects.records import Project
from packs.electrical.results import Words

MOST_DISCONNECTS = 6
ONE_FAMILY_A = 100
OTHERS_A = 60
GROUND_FAULT_FROM_A = 1000
BETTER_INSULATION = Words(
    "Use service conductors whose insulation is rated for the temperature around them.",
    "יש להתקין מוליכי חיבור שבידודם מתאים לטמפרטורה שסביבם.",
)


def _carries_load(facts: Facts, project: Project) -> Verdict:
    service = project.service
    panel = known(facts.service_panel, "service.panelId")
    usable = facts.ampacity(service, service.service_amps).amps
    demand = facts.demand_amps(panel)
    if usable >= demand or facts.allowed_by_310_12(panel, service.service_amps, usable):
        return PASSED
    wires = wire(service)
    return Problem(
        Words(
            f"The service conductors ({wires.en}) carry {amps(usable)}; the calculated load is "
            f"{amps(demand)}.",
            f"מוליכי החיבור ({wires.he}) נושאים {amps(usable)}; העומס המחושב הוא {amps(demand)}.",
        ),
        Words("Use larger service conductors.", "יש להגדיל את מוליכי החיבור.")
        if usable
        else BETTER_INSULATION,
        round(usable, 1),
        round(demand, 1),
        "A",
    )


def _protected(facts: Facts, project: Project) -> Verdict:
    service = project.service
    usable = facts.ampacity(service, service.service_amps).amps
    allowed = largest_device(usable)
    if service.service_amps <= allowed:
        return PASSED
    panel = known(facts.service_panel, "service.panelId")
    if facts.allowed_by_310_12(panel, service.service_amps, usable):
        return PASSED
    wires = wire(service)
    most = Words(
        f"for which at most {amps(allowed)} is allowed"
        if allowed
        else "since the surroundings are too hot for their insulation",
        f"ומותר להם מפסק של {amps(allowed)} לכל היותר" if allowed else "כי הסביבה חמה מדי לבידודם",
    )
    return Problem(
        Words(
            f"The service is {amps(service.service_amps)}; its conductors ({wires.en}) carry "
            f"{amps(usable)}, {most.en}.",
            f"החיבור הוא {amps(service.service_amps)}; מוליכיו ({wires.he}) נושאים {amps(usable)}, "
            f"{most.he}.",
        ),
        Words(
            "Use larger service conductors or a smaller main.",
            "יש להגדיל את מוליכי החיבור או להקטין את המפסק הראשי.",
        )
        if allowed
        else BETTER_INSULATION,
        service.service_amps,
        allowed,
        "A",
    )


def _surge(facts: Facts, project: Project) -> Verdict:
    if not facts.dwelling:
        return None
    if known(project.service.surge_protection, "service.surgeProtection"):
        return PASSED
    return Problem(
        Words(
            "The dwelling's service has no surge-protective device.",
            "בחיבור של יחידת הדיור אין מגן מתח יתר.",
        ),
        Words(
            "Add a Type 1 or Type 2 surge protector at the service equipment.",
            "יש להוסיף בלוח הראשי מגן מתח יתר מטיפוס 1 או 2.",
        ),
    )


def _six_disconnects(facts: Facts, project: Project) -> Verdict:
    count = project.service.disconnects
    if count <= MOST_DISCONNECTS:
        return PASSED
    return Problem(
        Words(
            f"The service has {count} disconnecting means; six are the most.",
            f"לחיבור {count} אמצעי ניתוק; המרב הוא שישה.",
        ),
        Words(
            "Put a main before them, or combine them to six at most.",
            "יש להתקין מפסק ראשי לפניהם או לצמצמם לשישה לכל היותר.",
        ),
        count,
        MOST_DISCONNECTS,
    )


def _least_rating(facts: Facts, project: Project) -> Verdict:
    one_family = facts.dwelling and project.building.dwelling_units == 1
    least = ONE_FAMILY_A if one_family else OTHERS_A
    rating = project.service.service_amps
    if rating >= least:
        return PASSED
    return Problem(
        Words(
            f"The service disconnect is rated {amps(rating)}; at least {amps(least)} is required.",
            f"המפסק הראשי הוא {amps(rating)}; נדרשים לפחות {amps(least)}.",
        ),
        Words(f"Enlarge the service to {amps(least)}.", f"יש להגדיל את החיבור ל-{amps(least)}."),
        rating,
        least,
        "A",
    )


def _emergency(facts: Facts, project: Project) -> Verdict:
    if not facts.dwelling or project.building.dwelling_units > 2:
        return None
    if known(project.service.emergency_disconnect, "service.emergencyDisconnect"):
        return PASSED
    return Problem(
        Words(
            "There is no emergency disconnect outside the dwelling.",
            "אין מפסק חירום מחוץ לבית המגורים.",
        ),
        Words(
            "Put a marked emergency disconnect outdoors, readily accessible.",
            "יש להתקין בחוץ מפסק חירום מסומן ונגיש.",
        ),
    )


def _ground_fault(facts: Facts, project: Project) -> Verdict:
    service = project.service
    panel = known(facts.service_panel, "service.panelId")
    if service.service_amps < GROUND_FAULT_FROM_A or service.phases != 3:
        return None
    if service.service_voltage / 3**0.5 <= 150 or known(panel.wires, "wires") != 4:
        return None  # only solidly grounded wye systems above 150 V to ground
    if known(service.ground_fault_protection, "service.groundFaultProtection"):
        return PASSED
    return Problem(
        Words(
            f"The service disconnect of {amps(service.service_amps)} has no ground-fault "
            "protection of equipment.",
            f"למפסק הראשי של {amps(service.service_amps)} אין הגנת זליגה לציוד.",
        ),
        Words(
            "Add ground-fault protection of equipment, set at 1200 A at most.",
            "יש להוסיף הגנת זליגה לציוד, מכוונת ל-1200 אמפר לכל היותר.",
        ),
        service.service_amps,
        GROUND_FAULT_FROM_A,
        "A",
    )


RULES = (
    Rule(
        id="230.42-load",
        kind="project",
        category="feeders",
        severity="critical",
        article="230.42(A)",
        title=Words("Service conductors carry the load", "מוליכי החיבור והעומס"),
        check=_carries_load,
    ),
    Rule(
        id="230.90-protection",
        kind="project",
        category="feeders",
        severity="critical",
        article="230.90(A)",
        title=Words("Service conductors protected", "הגנה על מוליכי החיבור"),
        check=_protected,
    ),
    Rule(
        id="230.67-surge",
        kind="project",
        category="panels",
        severity="warning",
        article="230.67",
        title=Words("Surge protection of dwellings", "מגן מתח יתר בדירות"),
        check=_surge,
        since=2020,
    ),
    Rule(
        id="230.71-six",
        kind="project",
        category="panels",
        severity="critical",
        article="230.71(B)",
        title=Words("At most six disconnects", "שישה אמצעי ניתוק לכל היותר"),
        check=_six_disconnects,
        numbers={2017: "230.71(A)"},
    ),
    Rule(
        id="230.79-rating",
        kind="project",
        category="panels",
        severity="critical",
        article="230.79",
        title=Words("Least rating of the service", "גודל חיבור מזערי"),
        check=_least_rating,
    ),
    Rule(
        id="230.85-emergency",
        kind="project",
        category="panels",
        severity="warning",
        article="230.85",
        title=Words("Emergency disconnect of dwellings", "מפסק חירום בבתי מגורים"),
        check=_emergency,
        since=2020,
    ),
    Rule(
        id="230.95-ground-fault",
        kind="project",
        category="panels",
        severity="critical",
        article="230.95",
        title=Words("Ground-fault protection of equipment", "הגנת זליגה לציוד"),
        check=_ground_fault,
    ),
)
