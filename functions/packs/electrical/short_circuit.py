"""The capability `calculate_short_circuit`: fault current at a panel and interrupting rating."""

from __future__ import annotations

from itertools import zip_longest
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from packs.electrical.arguments import LengthFt, LengthM, Sets, length_in_feet
from packs.electrical.calculations.fault_current import (
    breaker_xr_ratio,
    duty_factor,
    smallest_interrupting_rating,
)
from packs.electrical.calculations.short_circuit import (
    SERVICE_POINT,
    Fault,
    fault_at,
    with_figures,
)
from packs.electrical.charts import axis, chart, mark
from packs.electrical.nec.editions import Edition
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import ConductorSize, Panel, Project, RecordId
from packs.electrical.projects.selection import PanelId, PanelName, find_panel
from packs.electrical.results import CalculationResult, CodeReference, finish, rounded
from packs.electrical.wording import TEXTS, amps, panel_text, unmarked
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text, isolated

FaultAmps = Annotated[float, Field(gt=0, le=300_000)]
Kva = Annotated[float, Field(gt=0, le=50_000)]
Percent = Annotated[float, Field(gt=0, le=20)]
MOTOR_SHARE = 0.01
"""By 240.86(C), the most of motors' full-load current for a series rating, of the interrupting
rating of the lower-rated breaker."""


class FaultPoint(Wire):
    """One point of the supply from the service to the panel.

    Attributes:
        kind: The element before it: the source itself, conductors, or a transformer.
        fault_current_amps: Bolted fault of all lines, symmetrical RMS, A, without motors.
        line_to_neutral_amps: To the neutral, where the supply is single-phase.
        f: The point-to-point factor from the point before; `multiplier` is its M.
        xr_ratio: X/R of the supply up to the point.
    """

    name: str
    kind: Literal["source", "conductors", "transformer"]
    voltage_volts: float
    phases: Literal[1, 3]
    length_ft: float | None
    f: float | None
    multiplier: float | None
    fault_current_amps: int
    line_to_neutral_amps: int | None
    xr_ratio: float


class ShortCircuit(CalculationResult):
    """The fault current at a panel and its interrupting rating; currents in A.

    Attributes:
        available_fault_current: The highest bolted fault current at the panel, symmetrical RMS,
            motors counted.
        required_aic: The smallest standard interrupting rating that is enough; none above 200 kA.
        compliant: Whether the panel's own rating is enough; absent where it is not known.
        xr_ratio: Reactance over resistance of the supply at the panel.
        panel_aic_amps: The panel's own interrupting rating.
        motor_contribution_amps: The part from running motors.
        duty_amps: The current as it counts against a breaker tested at a lower X/R.
        tested_xr_ratio: X/R at which a breaker of the panel's rating is tested.
        path: Each point from the service on.
    """

    panel_id: str
    panel_name: str
    available_fault_current: int
    required_aic: int | None = Field(alias="requiredAIC")
    compliant: bool | None
    xr_ratio: float
    panel_aic_amps: float | None
    series_rated: bool
    motor_contribution_amps: int
    line_to_line_amps: int | None
    line_to_neutral_amps: int | None
    duty_amps: int | None
    tested_xr_ratio: float | None
    path: list[FaultPoint]


@capability(related=["calculate_arc_flash", "run_inspection"])
def calculate_short_circuit(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    panel_id: PanelId | None = None,
    panel_name: PanelName | None = None,
    available_fault_current_amps: FaultAmps | None = None,
    transformer_kva: Kva | None = None,
    transformer_impedance_percent: Percent | None = None,
    length_ft: LengthFt | None = None,
    length_m: LengthM | None = None,
    conductor_size: ConductorSize | None = None,
    conductor_sets: Sets | None = None,
    panel_aic_amps: FaultAmps | None = None,
    include_motors: bool = True,
) -> ShortCircuit:
    """Calculate the available fault current at a panel and check its interrupting rating (110.9).

    By the point-to-point method from the utility through transformers and feeders, running motors
    counted. Figures given here stand in place of the project's, for "what if" questions.

    Args:
        project_id: The project; leave out for the one at hand.
        panel_id: The panel's id.
        panel_name: The panel's name, such as "LP1"; leave out if the project has one panel.
        available_fault_current_amps: Fault current at the utility's terminals, A.
        transformer_kva: Rating of the utility's transformer, kVA, in place of its fault current.
        transformer_impedance_percent: Its impedance, percent, as its plate says.
        length_ft: One-way length of the conductors that supply the panel, ft.
        length_m: The same in metres; give one of the two.
        conductor_size: Their size, such as "1/0" or "500 kcmil".
        conductor_sets: How many of them run in parallel per phase.
        panel_aic_amps: Interrupting rating to check against, A, in place of the panel's own.
        include_motors: Whether running motors feed the fault.
    """
    project = open_project(ctx, project_id).project
    panel = find_panel(project, panel_id=panel_id, panel_name=panel_name)
    source = {
        "available_fault_current_amps": available_fault_current_amps,
        "utility_transformer_kva": transformer_kva,
        "utility_transformer_impedance_percent": transformer_impedance_percent,
    }
    run = {
        "length_ft": length_in_feet(length_ft, length_m),
        "conductor_size": conductor_size,
        "conductor_sets": conductor_sets,
    }
    supplied, stated = with_figures(project, panel, source, run)
    fault = fault_at(supplied, panel, stated, with_motors=include_motors)
    rating, name = panel.aic_rating, f"panels.{panel.id}.aicRating"
    if panel_aic_amps is None:
        fault.basis.use(name, rating, "A")
    else:
        rating = panel_aic_amps
        fault.basis.use(name, rating, "A", "argument")
    check = check_rating(project, panel, fault, rating)
    fault.basis.warnings += check.warnings
    fault.basis.citations += _citations(project.edition, panel)
    result = _result(ctx.locale, project.id, fault, check, rating)
    display = Display(
        type="chart",
        title=TEXTS.say(ctx.locale, "short_circuit.chart.title"),
        text=_answer(panel, fault, check, rating, ctx.locale),
        chart=path_chart(fault, rating, ctx.locale),
    )
    return finish(ctx, result, display)


def _result(
    locale: str,
    project_id: str,
    fault: Fault,
    check: RatingCheck,
    rating: float | None,
) -> ShortCircuit:
    end, panel, names = fault.points[-1], fault.panel, _point_names(fault, locale)
    return ShortCircuit(
        project_id=project_id,
        panel_id=panel.id,
        panel_name=panel.name,
        available_fault_current=round(fault.amps),
        required_aic=check.required,
        compliant=check.compliant,
        xr_ratio=round(fault.xr_ratio, 2),
        panel_aic_amps=rating,
        series_rated=panel.series_rated,
        motor_contribution_amps=round(fault.motors.contribution_amps),
        line_to_line_amps=round(end.line_amps) if end.phases == 1 else None,
        line_to_neutral_amps=None if end.neutral_amps is None else round(end.neutral_amps),
        duty_amps=None if check.duty_amps is None else round(check.duty_amps),
        tested_xr_ratio=rounded(check.tested_xr, 2),
        path=[
            FaultPoint(
                name=name,
                kind=point.kind,
                voltage_volts=point.voltage_v,
                phases=point.phases,
                length_ft=length_ft,
                f=rounded(point.f, 4),
                multiplier=rounded(point.m, 4),
                fault_current_amps=round(point.line_amps),
                line_to_neutral_amps=(
                    None if point.neutral_amps is None else round(point.neutral_amps)
                ),
                xr_ratio=round(point.xr_ratio, 2),
            )
            for name, point, length_ft in zip(names, fault.points, fault.lengths_ft, strict=True)
        ],
        **fault.basis.fields(locale),
    )


def _citations(edition: Edition, panel: Panel) -> list[CodeReference]:
    titles = {
        "110.9": "Interrupting Rating",
        "110.10": "Circuit Impedance, Short-Circuit Current Ratings, and Other Characteristics",
        "110.24": "Available Fault Current",
    }
    if panel.series_rated:
        titles["240.86"] = "Series Ratings"
    return [
        CodeReference(edition=edition, article=article, title=title)
        for article, title in titles.items()
    ]


# ---- The interrupting rating (NEC 110.9) ----


class RatingCheck(Struct, frozen=True):
    """An interrupting rating compared with the fault current.

    Attributes:
        required: The smallest standard rating that suffices, A; None above 200 kA.
        compliant: None where the panel's rating is not known.
        duty_amps: The current as it counts against a breaker tested at a lower X/R.
        tested_xr: X/R of that test; both None without a rating.
    """

    required: int | None
    compliant: bool | None
    duty_amps: float | None
    tested_xr: float | None
    warnings: tuple[Text, ...]


def check_rating(project: Project, panel: Panel, fault: Fault, rating: float | None) -> RatingCheck:
    """Compare the fault current at a panel with an interrupting rating, A."""
    required = smallest_interrupting_rating(fault.amps)
    name, available = panel_text(panel.name), amps(fault.amps, 0)
    if rating is None:
        need = amps(required or fault.amps, 0)
        unknown = TEXTS.text("short_circuit.rating_unknown", panel=name, need=need)
        return RatingCheck(required, None, None, None, (unknown,))
    compliant, rated = fault.amps <= rating, amps(rating, 0)
    duty = fault.amps * duty_factor(fault.xr_ratio, rating)
    tested = breaker_xr_ratio(rating)
    warnings = []
    if not compliant and required is None:
        values = {"panel": name, "rated": rated, "available": available}
        warnings.append(TEXTS.text("short_circuit.no_rating_suffices", **values))
    elif not compliant:
        values = {"panel": name, "rated": rated, "available": available}
        need = amps(required or 0, 0)
        warnings.append(TEXTS.text("short_circuit.rating_too_low", **values, need=need))
    elif round(duty) > rating:  # less is shown as the rating itself
        xr, at_test = isolated(f"X/R {fault.xr_ratio:.1f}"), isolated(f"X/R {tested:.1f}")
        values = {"xr": xr, "at_test": at_test, "counts": amps(duty, 0), "rated": rated}
        warnings.append(TEXTS.text("short_circuit.asymmetric", **values))
    if panel.series_rated:
        warnings.append(TEXTS.text("short_circuit.series_rated", panel=isolated(panel.name)))
        motors, most = fault.motors.full_load_amps, MOTOR_SHARE * rating
        if motors > most:
            values = {"total": amps(motors, 0), "most": amps(most, 0)}
            warnings.append(TEXTS.text("short_circuit.series_motors", **values))
    if panel.is_service_equipment and project.building.occupancy != "dwelling":
        without_motors = amps(fault.points[-1].amps, 0)
        warnings.append(TEXTS.text("short_circuit.marking", available=without_motors))
    return RatingCheck(required, compliant, duty, tested, tuple(warnings))


# ---- The answer and its chart ----


def _answer(
    panel: Panel, fault: Fault, check: RatingCheck, rating: float | None, locale: str
) -> str:
    answer = TEXTS.say(
        locale,
        "short_circuit.available",
        panel=panel_text(panel.name),
        available=amps(fault.amps, 0),
        xr=f"{fault.xr_ratio:.1f}",
    )
    if check.compliant is None or rating is None:
        return answer
    key = "suffices" if check.compliant else "does_not_suffice"
    return f"{answer} {TEXTS.say(locale, f'short_circuit.{key}', rated=amps(rating, 0))}"


def _point_names(fault: Fault, locale: str) -> list[str]:
    """The names of the points; that before a transformer is the transformer's primary."""
    names = []
    for point, after in zip_longest(fault.points, fault.points[1:]):
        if after is not None and after.kind == "transformer":
            names.append(TEXTS.say(locale, "short_circuit.primary", name=unmarked(point.name)))
        elif point.name == SERVICE_POINT:
            names.append(TEXTS.say(locale, "short_circuit.service"))
        else:
            names.append(point.name)
    return names


def path_chart(fault: Fault, rating_amps: float | None, locale: str) -> dict[str, Any]:
    """Chart the current at each point, motors on top at the panel, and a line at the rating."""
    words = TEXTS.data(locale, "short_circuit.chart")
    names = _point_names(fault, locale)
    rows: list[dict[str, Any]] = [
        {"point": name, "amps": round(point.amps), "source": words["supply"]}
        for name, point in zip(names, fault.points, strict=True)
    ]
    if fault.motors.count:
        from_motors = round(fault.motors.contribution_amps)
        rows.append({"point": names[-1], "amps": from_motors, "source": words["motors"]})
    bars = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": axis("point", words["point"], "nominal", sort=names, axis={"labelAngle": -30}),
            "y": axis("amps", words["amps"]),
            "color": axis("source", words["source"], "nominal"),
        },
    }
    layers = [bars]
    if rating_amps is not None:
        rating = {"name": words["rating"], "amps": rating_amps}
        rule = mark("rule", rating, y="amps", color="firebrick", strokeDash=[6, 4], tooltip=True)
        layers.append(rule)
    return chart(rows, *layers, title=words["title"])
