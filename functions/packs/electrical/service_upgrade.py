"""The capability `check_service_upgrade`: whether a service carries new loads, or which would."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Struct
from pydantic import Field

from packs.electrical.arguments import VoltAmperes
from packs.electrical.calculations.loads.calculation import Method, Premises
from packs.electrical.calculations.loads.limits import Element
from packs.electrical.calculations.loads.lines import currents, lines_of, magnitudes
from packs.electrical.calculations.loads.new_load import NewLoad, check_is_load, new_circuit
from packs.electrical.calculations.loads.panel import Demand, panel_loads
from packs.electrical.calculations.loads.service import (
    Conductors,
    service_conductors,
    service_size,
)
from packs.electrical.load_results import (
    DemandStep,
    demand_steps,
    limit_text,
    method_text,
    other_total,
    service_chart,
    step_table,
)
from packs.electrical.nec.editions import article
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import Circuit, LoadType, Panel, Project, RecordId
from packs.electrical.projects.topology import service_panel
from packs.electrical.results import AssumedValue, CalculationResult, CodeReference, finish
from packs.electrical.wording import TEXTS, invalid, number
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import Text

MAX_PROPOSED = 50
Watts = Annotated[float, Field(ge=0, le=5_000_000)]


class ProposedLoad(Wire):
    """A load that somebody thinks of adding."""

    description: Annotated[
        str, Field(min_length=1, max_length=200, description='What it is: "EV charger".')
    ]
    watts: Annotated[float, Field(ge=0, le=2_000_000, description="Its load, W.")]
    load_type: Annotated[
        LoadType | None, Field(description="Its kind; by the description if left out.")
    ] = None
    continuous: Annotated[
        bool | None, Field(description="Whether it runs for three hours or more.")
    ] = None


class ServiceConductor(Wire):
    """Conductors for the recommended service; `sets` run in parallel."""

    material: Literal["copper", "aluminum"]
    size: str
    sets: int
    ampacity_amps: float
    article: str


class ServiceUpgrade(CalculationResult):
    """The load of a service, now and with the proposed loads, by Article 220.

    Attributes:
        current_service_amps: The rating of its disconnecting means.
        current_load_va: The calculated load now, VA.
        proposed_additional_va: The proposed loads as given, VA.
        proposed_demand_va: Their demand, VA.
        total_load_va: `current_load_va` and `proposed_demand_va` together.
        current_utilization: Of the service's rating, percent, as `projected_utilization`.
        required_amps: The current of the heaviest line, A.
        needs_upgrade: Whether the service, or its equipment, does not carry the load.
        recommended_service: The next common size, A; absent where none is needed.
    """

    service_voltage: float
    phases: int
    method: Method
    current_service_amps: float
    current_load_va: float = Field(alias="currentLoadVA")
    proposed_additional_va: float = Field(alias="proposedAdditionalVA")
    proposed_demand_va: float = Field(alias="proposedDemandVA")
    total_load_va: float = Field(alias="totalLoadVA")
    current_load_amps: float
    required_amps: float
    current_utilization: float
    projected_utilization: float
    needs_upgrade: bool
    limiting_element: Element
    limiting_amps: float
    recommended_service: int | None
    recommended_conductors: list[ServiceConductor]
    recommendation: str
    steps: list[DemandStep]


@capability(related=["check_panel_capacity", "add_circuit"])
def check_service_upgrade(
    ctx: ToolContext,
    *,
    project_id: RecordId | None = None,
    proposed_loads: Annotated[list[ProposedLoad], Field(max_length=MAX_PROPOSED)] | None = None,
    total_additional_watts: Watts | None = None,
    method: Literal["standard", "optional", "existing", "measured"] | None = None,
    measured_peak_va: VoltAmperes | None = None,
) -> ServiceUpgrade:
    """Analyze whether the electrical service is large enough for proposed loads.

    By NEC Article 220, with the size and the conductors. Without proposed loads it says how loaded
    the service is.

    Args:
        project_id: The project; leave out for the one at hand.
        proposed_loads: The new loads, each with a description and watts.
        total_additional_watts: Their sum, W, where they are not known one by one.
        method: "standard" (Part III), "optional" (220.82, 220.84), "existing" (220.83) or
            "measured" (220.87). If left out: measured where a peak is given, existing for a
            one-family dwelling, else as for a panel.
        measured_peak_va: The highest demand that was measured, VA.
    """
    loads = _new_loads(proposed_loads or [], total_additional_watts)
    project = open_project(ctx, project_id).project
    upgrade = upgrade_of(project, loads, method=method, peak_va=measured_peak_va)
    result = _result(ctx, project, upgrade, loads, measured_peak_va)
    amps = project.service.service_amps
    display = Display(
        type="chart",
        title=TEXTS.say(ctx.locale, "load_results.chart.service"),
        text=result.answer,
        chart=service_chart(upgrade.now, upgrade.then, amps, ctx.locale),
        **step_table(result.steps, ctx.locale),
    )
    return finish(ctx, result, display)


def _new_loads(loads: Sequence[ProposedLoad], total: float | None) -> list[NewLoad]:
    """The proposed loads; the sum alone counts as one.

    Raises:
        InvalidArgument: Both are given, and differ; or one is a source of power.
    """
    watts = math.fsum(load.watts for load in loads)
    if loads and total is not None and not math.isclose(watts, total, abs_tol=0.5):
        raise invalid("totalAdditionalWatts", "two_loads", watts=watts, total=total)
    if loads:
        new = [
            NewLoad(each.watts, each.description, each.load_type, each.continuous) for each in loads
        ]
        for place, load in enumerate(new):
            check_is_load(f"proposedLoads.{place}.description", load)
        return new
    return [NewLoad(total)] if total else []


def _result(
    ctx: ToolContext,
    project: Project,
    upgrade: Upgrade,
    loads: Sequence[NewLoad],
    peak_va: float | None,
) -> ServiceUpgrade:
    now, then, service = upgrade.now, upgrade.then, project.service
    amps, calculation = service.service_amps, then.calculation
    basis, watts = calculation.basis, math.fsum(each.watts for each in loads)
    share_article = article("310.12", project.edition)
    basis.use("edition", project.edition)
    basis.use("serviceVoltage", service.service_voltage, "V")
    basis.use("phases", service.phases)
    basis.use("serviceAmps", amps, "A")
    basis.use("floorAreaFt2", project.building.floor_area_ft2, "ft²")
    basis.use("measuredPeakVa", peak_va, "VA", "argument")
    for each in loads:
        basis.use(each.description or "proposed", each.watts, "W", "argument")
    basis.assumptions += upgrade.assumed
    basis.citations += _citations(project, upgrade)
    texts = list(_load_texts(upgrade, amps, watts))
    recommendation = " ".join(text.say(ctx.locale) for text in _advice(upgrade, amps))
    return ServiceUpgrade(
        answer=" ".join([*(text.say(ctx.locale) for text in texts), recommendation]),
        project_id=project.id,
        service_voltage=service.service_voltage,
        phases=service.phases,
        method=calculation.method,
        current_service_amps=amps,
        current_load_va=round(now.demand_va, 1),
        proposed_additional_va=round(watts, 1),
        proposed_demand_va=round(then.demand_va - now.demand_va, 1),
        total_load_va=round(then.demand_va, 1),
        current_load_amps=round(now.demand_amps, 1),
        required_amps=round(then.heaviest_amps, 1),
        current_utilization=round(100 * now.demand_amps / amps, 1),
        projected_utilization=round(100 * then.demand_amps / amps, 1),
        needs_upgrade=upgrade.is_needed,
        limiting_element=then.limit.element,
        limiting_amps=round(then.rating_amps, 1),
        recommended_service=upgrade.recommended,
        recommended_conductors=[
            ServiceConductor(
                material=each.material,
                size=each.size,
                sets=each.sets,
                ampacity_amps=each.ampacity_amps,
                article=share_article if each.by_dwelling_share else "230.42",
            )
            for each in upgrade.conductors
        ],
        recommendation=recommendation,
        steps=demand_steps(calculation, ctx.locale),
        **basis.fields(ctx.locale),
    )


def _citations(project: Project, upgrade: Upgrade) -> Iterator[CodeReference]:
    """The sections of the size and the conductors."""
    edition = project.edition
    yield CodeReference(
        edition=edition, article="230.42", title="Service conductors: minimum size and ampacity"
    )
    if upgrade.premises.is_one_family:
        title = "Rating of service disconnecting means"
        yield CodeReference(edition=edition, article="230.79(C)", title=title)
    if any(each.by_dwelling_share for each in upgrade.conductors):
        title = "Conductors of dwelling services and feeders"
        yield CodeReference(edition=edition, article=article("310.12", edition), title=title)


def _load_texts(upgrade: Upgrade, amps: float, watts: float) -> Iterator[Text]:
    """The load of a service of `amps`, now and with new loads of `watts`. The sum is named, so that
    a user notices a load that is missing."""
    values = _figures(amps, upgrade.now)
    method = method_text(upgrade.now.calculation.method)
    yield TEXTS.text("service_upgrade.load", method=method, **values)
    if upgrade.new:
        more = f"{number(watts, digits=0)} W"
        values = _figures(amps, upgrade.then)
        yield TEXTS.text("service_upgrade.with_more", more=more, **values)
    yield from other_total(upgrade.now.calculation.method, upgrade.others, upgrade.premises.edition)


def _figures(amps: float, demand: Demand) -> dict[str, str]:
    va, current = number(demand.demand_va, digits=0), number(demand.demand_amps, digits=1)
    return {
        "load": f"{va} VA, {current} A",
        "percent": number(100 * demand.demand_amps / amps, digits=0),
        "size": f"{number(amps, digits=0)} A",
    }


def _advice(upgrade: Upgrade, amps: float) -> Iterator[Text]:
    """Advise on a service of `amps`."""
    if not upgrade.is_needed:
        yield TEXTS.text("service_upgrade.suffices")
        return
    limit, size = upgrade.then.limit, upgrade.recommended
    is_enough = size is not None and size <= amps
    key = "design" if size is None else "replace" if is_enough else "upgrade"
    load = f"{number(upgrade.then.heaviest_amps, digits=1)} A"
    yield TEXTS.text(f"service_upgrade.{key}", limit=limit_text(limit), load=load, size=size)
    if size == 400 and upgrade.premises.occupancy == "dwelling":
        yield TEXTS.text("service_upgrade.class_320")
    if upgrade.then.calculation.method == "measured":
        measured = upgrade.premises.at("220.87")
        yield TEXTS.text("service_upgrade.measured", article=measured)


# ---- The upgrade that a service needs ----


class Upgrade(Struct, frozen=True):
    """The load of a service, now and with new loads, and the upgrade that it needs.

    Attributes:
        now: The demand without the proposed loads, `then` with them.
        recommended: The next common service, A; None where none is needed or none is that large.
        others: The demand `then` by other methods that apply.
    """

    panel: Panel
    premises: Premises
    now: Demand
    then: Demand
    new: tuple[Circuit, ...]
    assumed: tuple[AssumedValue, ...]
    recommended: int | None
    conductors: tuple[Conductors, ...]
    others: tuple[tuple[Method, Demand], ...]

    @property
    def is_needed(self) -> bool:
        """Whether the service does not carry the load."""
        return not self.then.fits


def upgrade_of(
    project: Project,
    loads: Sequence[NewLoad],
    *,
    method: Method | None = None,
    peak_va: float | None = None,
) -> Upgrade:
    """Work out the upgrade that a project's service needs for new loads.

    Raises:
        FailedPrecondition: The project does not say which panel the service ends at, or the method
            does not apply here.
    """
    panel = service_panel(project)
    base = panel_loads(project, panel, peak_va)
    methods = base.methods()
    if method is None:  # by the measurement, else by 220.83 for an existing dwelling
        method = next((each for each in ("measured", "existing") if each in methods), None)
    chosen = base.method(method)
    now = base.demand(chosen)
    new, assumed = _circuits(panel, loads, now)
    grown = base.with_new(project, panel, new) if new else base
    then = grown.demand(chosen) if new else now
    recommended = None if then.fits else service_size(then.heaviest_amps, base.premises)
    conductors = (
        service_conductors(recommended, then.heaviest_amps, base.premises) if recommended else []
    )
    others = [each for each in methods if each not in (chosen, "measured")]
    by_others = tuple((each, grown.demand(each)) for each in others)
    return Upgrade(
        panel, base.premises, now, then, new, assumed, recommended, tuple(conductors), by_others,
    )  # fmt: skip


def _circuits(
    panel: Panel, loads: Sequence[NewLoad], now: Demand
) -> tuple[tuple[Circuit, ...], tuple[AssumedValue, ...]]:
    """Make a circuit of each load, on the lines with the least load so far."""
    lines, system = list(now.line_amps), now.calculation.system
    circuits: list[Circuit] = []
    assumed: list[AssumedValue] = []
    for place, each in enumerate(loads, 1):
        if not each.watts:
            continue
        new = new_circuit(panel, each, lines, id=f"proposed-{place}")
        circuits.append(new.circuit)
        assumed += new.assumed
        panel = panel.model_copy(update={"circuits": (*panel.circuits, new.circuit)})
        drawn = currents(system, lines_of(new.circuit, system), each.watts)
        lines = [amps + more for amps, more in zip(lines, magnitudes(drawn), strict=True)]
    return tuple(circuits), tuple(dict.fromkeys(assumed))
