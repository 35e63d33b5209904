"""The way to a conductor's size as a table that people read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from packs.electrical.results import Words, number
from packs.electrical.wiring.sizing_results import Step
from rollcall.core.wording import isolated

_NAMES: dict[str, Words] = {
    "tableAmpacity": Words("Ampacity by the table", "העמסה לפי הטבלה"),
    "temperatureFactor": Words("Temperature correction factor", "מקדם תיקון לטמפרטורה"),
    "adjustmentFactor": Words("Adjustment factor for bundling", "מקדם תיקון לקיבוץ"),
    "correctedAmpacity": Words("Ampacity after correction", "העמסה אחרי תיקון"),
    "terminalLimit": Words("Limit of the terminals", "הגבלת ההדקים"),
    "ampacity": Words("Ampacity that counts", "ההעמסה הקובעת"),
    "loadAmps": Words("Load", "עומס"),
    "requiredAmps": Words("Required ampacity", "ההעמסה הנדרשת"),
    "smallConductorLimit": Words("Limit of small conductors", "הגבלת מוליכים קטנים"),
    "largestBreaker": Words("Largest breaker allowed", "המפסק הגדול המותר"),
    "breaker": Words("Breaker", "מפסק"),
}
_COLUMNS = (Words("Figure", "נתון"), Words("Value", "ערך"), Words("Reference", "מקור"))


def step_columns(locale: str) -> list[str]:
    """What its columns are called."""
    return [words.say(locale) for words in _COLUMNS]


def step_rows(steps: Sequence[Step], locale: str) -> list[dict[str, Any]]:
    """A row for each figure, with its unit."""
    figure, value, reference = step_columns(locale)
    return [
        {
            figure: _NAMES[step.name].say(locale),
            value: isolated(" ".join(filter(None, (number(step.value), step.unit)))),
            reference: isolated(step.reference) if step.reference else "",
        }
        for step in steps
    ]
