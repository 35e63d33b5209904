"""What has to be written on panels: 110.16, 110.24, 408.4, 408.6."""

from __future__ import annotations

from collections import Counter

from packs.electrical.inspection.facts import Facts, PanelCircuit
from packs.electrical.inspection.rule import (
    PASSED,
    Problem,
    Rule,
    Verdict,
    known,
)
from packs.electrical.inspection.wording import named
from packs.electrical.projects.records import Panel
from packs.electrical.results import Words

PLACEHOLDERS = frozenset(
    {"", "-", "--", "?", "x", "n/a", "na", "tbd", "unknown", "circuit", "load", "breaker", "misc"}
    | {"לא ידוע", "מעגל", "עומס", "שונות"}
)
"""Descriptions that say nothing of what a circuit supplies."""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .:")


def _arc_flash_label(facts: Facts, panel: Panel) -> Verdict:
    if facts.dwelling:
        return None
    if known(panel.arc_flash_label, "arcFlashLabel"):
        return PASSED
    return Problem(
        Words(
            "The panel has no arc-flash hazard warning.",
            "על הלוח אין תווית אזהרה מפני קשת חשמלית.",
        ),
        Words(
            "Put an arc-flash warning label on it; calculate_arc_flash gives its figures.",
            "יש להדביק תווית אזהרה מפני קשת חשמלית; חישוב הקשת נותן את נתוניה.",
        ),
    )


def _service_fault_label(facts: Facts, panel: Panel) -> Verdict:
    if facts.dwelling or not facts.is_service(panel):
        return None
    return _fault_label(panel)


def _panel_fault_label(facts: Facts, panel: Panel) -> Verdict:
    if facts.dwelling and facts.project.building.dwelling_units <= 2:
        return None
    if not facts.dwelling and facts.is_service(panel):
        return None  # 110.24 looks at it
    return _fault_label(panel)


def _fault_label(panel: Panel) -> Verdict:
    if known(panel.fault_current_label, "faultCurrentLabel"):
        return PASSED
    return Problem(
        Words(
            "The available fault current and the date of its calculation are not marked on it.",
            "זרם הקצר הצפוי ותאריך חישובו אינם מסומנים על הלוח.",
        ),
        Words(
            "Mark the available fault current and the date; calculate_short_circuit gives it.",
            "יש לסמן את זרם הקצר הצפוי ואת התאריך; חישוב הקצר נותן אותו.",
        ),
    )


def _directory(facts: Facts, panel: Panel) -> Verdict:
    if known(panel.directory_complete, "directoryComplete"):
        return PASSED
    return Problem(
        Words("The circuit directory is not complete.", "רשימת המעגלים בלוח אינה מלאה."),
        Words(
            "Complete the directory; export_panel_schedule makes one.",
            "יש להשלים את רשימת המעגלים; ייצוא טבלת הלוח מכין אותה.",
        ),
    )


def _described(facts: Facts, found: PanelCircuit) -> Verdict:
    if _plain(found.circuit.description) not in PLACEHOLDERS:
        return PASSED
    return Problem(
        Words(
            f"The description {named(found.circuit.description)} does not say what the circuit "
            f"supplies.",
            f"התיאור {named(found.circuit.description)} אינו אומר מה המעגל מזין.",
        ),
        Words("Describe what it supplies, and where.", "יש לתאר מה הוא מזין והיכן."),
    )


def _distinct(facts: Facts, panel: Panel) -> Verdict:
    live = [circuit for circuit in panel.circuits if not circuit.is_spare]
    if not live:
        return None
    counted = Counter(_plain(circuit.description) for circuit in live)
    twice = sorted(text for text, count in counted.items() if count > 1)
    if not twice:
        return PASSED
    examples = ", ".join(named(text) for text in twice[:3])
    count = sum(counted[text] for text in twice)
    return Problem(
        Words(
            f"{count} circuits share a description with another one: {examples}.",
            f"ל-{count} מעגלים תיאור זהה לזה של מעגל אחר: {examples}.",
        ),
        Words(
            "Describe each circuit so that it can be told from all others.",
            "יש לתאר כל מעגל כך שאפשר להבדילו מכל האחרים.",
        ),
        count,
        0,
    )


RULES = (
    Rule(
        id="110.16-label",
        kind="panel",
        category="panels",
        severity="warning",
        article="110.16(A)",
        title=Words("Arc-flash hazard warning", "אזהרה מפני קשת חשמלית"),
        check=_arc_flash_label,
    ),
    Rule(
        id="110.24-label",
        kind="panel",
        category="panels",
        severity="warning",
        article="110.24(A)",
        title=Words("Fault current marked at the service", "סימון זרם הקצר בלוח הראשי"),
        check=_service_fault_label,
    ),
    Rule(
        id="408.6-label",
        kind="panel",
        category="panels",
        severity="warning",
        article="408.6",
        title=Words("Fault current marked on panels", "סימון זרם הקצר בלוחות"),
        check=_panel_fault_label,
        since=2020,
    ),
    Rule(
        id="408.4-directory",
        kind="panel",
        category="panels",
        severity="warning",
        article="408.4(A)",
        title=Words("Circuit directory", "רשימת מעגלים"),
        check=_directory,
    ),
    Rule(
        id="408.4-described",
        kind="circuit",
        category="circuits",
        severity="info",
        article="408.4(A)",
        title=Words("Circuit described", "תיאור המעגל"),
        check=_described,
    ),
    Rule(
        id="408.4-distinct",
        kind="panel",
        category="panels",
        severity="info",
        article="408.4(A)",
        title=Words("Circuits told apart", "הבחנה בין מעגלים"),
        check=_distinct,
    ),
)
