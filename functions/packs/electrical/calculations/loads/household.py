"""Dryers and cooking appliances of dwellings: 220.54 and 220.55, one phase or three."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from packs.electrical.calculations.loads.phases import currents
from packs.electrical.calculations.loads.premises import Premises
from packs.electrical.calculations.loads.steps import Load, Step, of_kinds, step, va_of
from packs.electrical.nec.demand import dryer_demand_w, range_demand_w
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Words

COOKING_KINDS: tuple[LoadType, ...] = ("range", "cooktop", "oven")
COOKING_LEAST_VA = 1_750.0
"""Smaller cooking appliances are appliances like others (Table 220.55)."""

COOKING_MOST_VA = 27_000.0
"""Table 220.55 ends here."""

Demand = Callable[[Sequence[float]], float]


def dryers(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.54: 5000 VA at least for each, and Table 220.54 for five or more."""
    found = [load for load in of_kinds(loads, "dryer") if load.va]
    if found:
        yield _row(_DRYERS, found, premises, "220.54", dryer_demand_w)


def cooking(loads: Sequence[Load], premises: Premises) -> Iterator[Step]:
    """220.55: household cooking appliances above 1750 W by the table and its notes."""
    found = of_kinds(loads, *COOKING_KINDS)
    by_table = [load for load in found if COOKING_LEAST_VA < load.va <= COOKING_MOST_VA]
    if by_table:
        yield _row(_COOKING, by_table, premises, "220.55", range_demand_w)
    beyond = [load for load in found if load.va > COOKING_MOST_VA]
    if beyond:
        yield step(_COOKING_BEYOND, beyond, premises.system, premises.at("220.55"))


def small_cooking(loads: Sequence[Load]) -> list[Load]:
    """Cooking appliances that are below the table."""
    return [load for load in of_kinds(loads, *COOKING_KINDS) if load.va <= COOKING_LEAST_VA]


def _row(
    what: Words, loads: Sequence[Load], premises: Premises, number: str, demand: Demand
) -> Step:
    of, article = premises.system, premises.at(number)
    if of.lines == 2 or len(loads) < 2 or any(_pair(load) is None for load in loads):
        va = demand([load.va for load in loads])
        return step(what, loads, of, article, demand_va=va, table=article)
    va = _equivalent(loads, demand)
    return Step(what, va_of(loads), va, article, article, currents(of, range(of.lines), va))


def _equivalent(loads: Sequence[Load], demand: Demand) -> float:
    """One-phase appliances on three phases: the demand of twice the most that stand between two
    lines, half of it for each phase, three times. Those with the largest ratings are taken."""
    most = max(Counter(_pair(load) for load in loads).values())
    ratings = sorted((load.va for load in loads), reverse=True)[: 2 * most]
    ratings += ratings[:1] * (2 * most - len(ratings))
    return demand(ratings) / 2 * 3


def _pair(load: Load) -> tuple[int, ...] | None:
    """The two lines that it stands between; None if it does not."""
    lines = tuple(line for line, amps in enumerate(load.drawn) if abs(amps) > 1e-9)
    return lines if len(lines) == 2 else None


_DRYERS = Words(en="Clothes dryers", he="מייבשי כביסה")
_COOKING = Words(en="Household cooking appliances", he="מכשירי בישול ביתיים")
_COOKING_BEYOND = Words(
    en="Cooking appliances above 27 kW, at their rating",
    he="מכשירי בישול מעל 27 kW, לפי הספקם הנקוב",
)
