"""Room to work in front of panels, and where panels may be: 110.26, 230.70, 240.24."""

from __future__ import annotations

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.rule import (
    PASSED,
    Problem,
    Rule,
    Unknown,
    Verdict,
    known,
)
from packs.electrical.inspection.wording import inch, volts
from packs.electrical.projects.records import Panel
from packs.electrical.results import Words

LEAST_WIDTH_IN = 30.0
LEAST_HEIGHT_IN = 78.0
LOW_TO_GROUND_V = 150
MIDDLE_TO_GROUND_V = 600
DEPTHS_IN = {"low": (36.0, 36.0), "middle": (36.0, 48.0), "high": (36.0, 60.0)}
"""Table 110.26(A)(1): under condition 1 (nothing live or grounded opposite), and under condition 3
(live parts on both sides), by the voltage to ground."""
MM_PER_IN = 25.4
BATHROOMS = ("bathroom", "restroom")


def _depth(facts: Facts, panel: Panel) -> Verdict:
    depth = known(panel.working_space_depth_in, "workingSpaceDepthIn")
    to_ground = facts.volts_to_ground(panel)
    band = "low" if to_ground <= LOW_TO_GROUND_V else "middle"
    least, most = DEPTHS_IN["high" if to_ground > MIDDLE_TO_GROUND_V else band]
    if depth >= most:
        return PASSED
    if depth >= least:
        raise Unknown("workingSpaceCondition")  # what is opposite decides, and is not recorded
    return Problem(
        Words(
            f"The working space is {inch(depth)} deep; {volts(to_ground)} to ground needs at least "
            f"{inch(least)}.",
            f"עומק מרווח העבודה {inch(depth)}; במתח {volts(to_ground)} לאדמה נדרשים לפחות "
            f"{inch(least)}.",
        ),
        Words(
            "Clear the space in front of the panel, or move the panel.",
            "יש לפנות את המרווח שלפני הלוח או להעתיק את הלוח.",
        ),
        depth,
        least,
        "in",
    )


def _width(facts: Facts, panel: Panel) -> Verdict:
    width = known(panel.working_space_width_in, "workingSpaceWidthIn")
    own = panel.enclosure.width_mm / MM_PER_IN if panel.enclosure else 0.0
    least = max(LEAST_WIDTH_IN, own)
    if width >= least:
        return PASSED
    return Problem(
        Words(
            f"The working space is {inch(width)} wide; at least {inch(least)} is needed (the width "
            f"of the equipment where that is more).",
            f"רוחב מרווח העבודה {inch(width)}; נדרשים לפחות {inch(least)} (או רוחב הציוד, "
            "הגדול מביניהם).",
        ),
        Words(
            "Clear the space to the sides of the panel.",
            "יש לפנות את המרווח שמצדי הלוח.",
        ),
        width,
        least,
        "in",
    )


def _height(facts: Facts, panel: Panel) -> Verdict:
    height = known(panel.working_space_height_in, "workingSpaceHeightIn")
    own = panel.enclosure.height_mm / MM_PER_IN if panel.enclosure else 0.0
    least = max(LEAST_HEIGHT_IN, own)
    if height >= least:
        return PASSED
    return Problem(
        Words(
            f"The working space is {inch(height)} high; at least {inch(least)} is needed.",
            f"גובה מרווח העבודה {inch(height)}; נדרשים לפחות {inch(least)}.",
        ),
        Words(
            "Remove what hangs above the working space, or move the panel.",
            "יש לסלק את מה שתלוי מעל מרווח העבודה או להעתיק את הלוח.",
        ),
        height,
        least,
        "in",
    )


def _closet(facts: Facts, panel: Panel) -> Verdict:
    if known(panel.location, "location") != "closet":
        return PASSED
    return Problem(
        Words(
            "The panel is in a clothes closet, next to what burns easily.",
            "הלוח נמצא בארון בגדים, בסמוך לחומרים דליקים.",
        ),
        Words("Move the panel out of the closet.", "יש להעתיק את הלוח אל מחוץ לארון."),
    )


def _bathroom(facts: Facts, panel: Panel) -> Verdict:
    if facts.edition < 2023 and facts.project.building.occupancy not in ("dwelling", "hotel"):
        return None  # until 2020 only dwellings, dormitories and guest rooms
    if known(panel.location, "location") not in BATHROOMS:
        return PASSED
    return Problem(
        Words(
            "The panel's overcurrent devices are in a bathroom.",
            "מפסקי הלוח נמצאים בחדר רחצה.",
        ),
        Words("Move the panel out of the bathroom.", "יש להעתיק את הלוח אל מחוץ לחדר הרחצה."),
    )


def _service_in_bathroom(facts: Facts, panel: Panel) -> Verdict:
    if not facts.is_service(panel):
        return None
    if known(panel.location, "location") not in BATHROOMS:
        return PASSED
    return Problem(
        Words(
            "The service disconnecting means is in a bathroom.",
            "מפסק החיבור הראשי נמצא בחדר רחצה.",
        ),
        Words(
            "Put the service disconnecting means outside, or inside where the conductors enter.",
            "יש להתקין את המפסק הראשי מחוץ למבנה או בסמוך לכניסת המוליכים אליו.",
        ),
    )


def _stairs(facts: Facts, panel: Panel) -> Verdict:
    if known(panel.location, "location") != "stairway":
        return PASSED
    return Problem(
        Words("The panel is over the steps of a stairway.", "הלוח נמצא מעל מדרגות."),
        Words("Move the panel away from the steps.", "יש להעתיק את הלוח ממקום המדרגות."),
    )


RULES = (
    Rule(
        id="110.26-depth",
        kind="panel",
        category="panels",
        severity="critical",
        article="110.26(A)(1)",
        table="110.26(A)(1)",
        title=Words("Depth of working space", "עומק מרווח העבודה"),
        check=_depth,
    ),
    Rule(
        id="110.26-width",
        kind="panel",
        category="panels",
        severity="warning",
        article="110.26(A)(2)",
        title=Words("Width of working space", "רוחב מרווח העבודה"),
        check=_width,
    ),
    Rule(
        id="110.26-height",
        kind="panel",
        category="panels",
        severity="warning",
        article="110.26(A)(3)",
        title=Words("Height of working space", "גובה מרווח העבודה"),
        check=_height,
    ),
    Rule(
        id="230.70-bathroom",
        kind="panel",
        category="panels",
        severity="critical",
        article="230.70(A)(2)",
        title=Words("Service disconnect not in a bathroom", "מפסק ראשי לא בחדר רחצה"),
        check=_service_in_bathroom,
    ),
    Rule(
        id="240.24-closet",
        kind="panel",
        category="panels",
        severity="critical",
        article="240.24(D)",
        title=Words("Not near ignitible material", "לא בקרבת חומר דליק"),
        check=_closet,
    ),
    Rule(
        id="240.24-bathroom",
        kind="panel",
        category="panels",
        severity="critical",
        article="240.24(E)",
        title=Words("Overcurrent devices not in bathrooms", "מפסקים לא בחדרי רחצה"),
        check=_bathroom,
    ),
    Rule(
        id="240.24-stairs",
        kind="panel",
        category="panels",
        severity="warning",
        article="240.24(F)",
        title=Words("Not over steps", "לא מעל מדרגות"),
        check=_stairs,
    ),
)
