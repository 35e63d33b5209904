"""check_service_upgrade on stored projects."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from google.cloud.firestore import Client

from packs.electrical.service_upgrade import ProposedLoad, check_service_upgrade
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied

AtWork = Callable[..., ToolContext]


@pytest.fixture(scope="module")
def db(module_db: Client) -> Client:
    """One for all tests, which only read."""
    return module_db


@pytest.fixture
def house(sample_projects: Client, at_work: AtWork) -> ToolContext:
    return at_work(project="house")


def _load(description: str, watts: float) -> ProposedLoad:
    return ProposedLoad(description=description, watts=watts)


def test_a_service_that_suffices(house: ToolContext) -> None:
    found = check_service_upgrade(
        house, proposed_loads=[_load("EV charger", 11_500), _load("hot tub", 6_000)]
    )
    assert (found.method, found.current_service_amps) == ("existing", 200)
    assert not found.needs_upgrade and found.recommended_service is None
    assert found.proposed_additional_va == 17_500
    assert found.proposed_demand_va == 7_000  # at 40 %: 220.83(A)
    assert found.total_load_va == found.current_load_va + found.proposed_demand_va
    wire = found.dump()
    assert {"currentLoadVA", "proposedAdditionalVA", "totalLoadVA"} <= set(wire)
    assert house.display is not None and house.display.type == "chart"


def test_a_service_that_does_not(house: ToolContext) -> None:
    found = check_service_upgrade(
        house, proposed_loads=[_load("Instant water heater", 27_000), _load("EV charger", 19_200)]
    )
    assert found.needs_upgrade and found.projected_utilization > 100
    assert found.recommended_service == 400
    sizes = {each.material: (each.size, each.article) for each in found.recommended_conductors}
    assert sizes == {"copper": ("400", "310.12"), "aluminum": ("600", "310.12")}
    assert "230.79(C)" in {each.article for each in found.citations}


def test_a_measured_peak_counts_125_percent(house: ToolContext) -> None:
    found = check_service_upgrade(house, total_additional_watts=9_600, measured_peak_va=24_000)
    assert (found.method, found.current_load_va, found.total_load_va) == (
        "measured",
        30_000,
        39_600,
    )


def test_loads_and_another_sum_are_refused(house: ToolContext) -> None:
    with pytest.raises(InvalidArgument, match="5000 W") as refused:
        check_service_upgrade(
            house, proposed_loads=[_load("oven", 4_000)], total_additional_watts=5_000
        )
    assert refused.value.field == "totalAdditionalWatts"
    same = check_service_upgrade(
        house, proposed_loads=[_load("oven", 4_000)], total_additional_watts=4_000
    )
    assert same.proposed_additional_va == 4_000


def test_without_proposed_loads_it_says_how_loaded_the_service_is(
    sample_projects: Client, at_work: AtWork
) -> None:
    found = check_service_upgrade(at_work(project="office", locale="he"))
    assert (found.method, found.phases, found.service_voltage) == ("standard", 3, 480)
    assert found.current_load_va == found.total_load_va
    assert found.recommendation == "החיבור מספיק."


def test_conductors_that_are_too_small_do_not_ask_for_a_larger_service(
    sample_projects: Client, at_work: AtWork
) -> None:
    found = check_service_upgrade(at_work(project="office"), total_additional_watts=150_000)
    assert (found.required_amps, found.limiting_amps, found.recommended_service) == (389, 380, 400)
    assert found.recommendation == (
        "The heaviest line, 389 A, is above the rating of the service conductors (500 kcmil, "
        "380 A), which must be replaced; a service of 400 A is large enough."
    )


def test_a_dwelling_method_is_refused_elsewhere(sample_projects: Client, at_work: AtWork) -> None:
    with pytest.raises(FailedPrecondition, match="dwellings"):
        check_service_upgrade(at_work(project="workshop"), method="existing")
    with pytest.raises(PermissionDenied):
        check_service_upgrade(at_work("stranger"), project_id="house")
