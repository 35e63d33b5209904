"""calculate_voltage_drop and check_conductor_sizing as functions, over stored projects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.electrical.conductor_sizing import check_conductor_sizing
from packs.electrical.voltage_drop import calculate_voltage_drop
from rollcall.agent.direct_call import direct_call
from rollcall.core.capability import Capability
from rollcall.core.context import Call, ToolContext, User
from rollcall.core.errors import InvalidArgument, NotFound, PermissionDenied
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from tests.support.local_functions import LocalPlatform

AtWork = Callable[..., ToolContext]
BOTH = pytest.mark.parametrize("capability", [calculate_voltage_drop, check_conductor_sizing])

pytestmark = pytest.mark.usefixtures("sample_projects")


def call(ctx: ToolContext, capability: Any, **given: Any) -> dict[str, Any]:
    """Call with wire names, as the platform does."""
    result: dict[str, Any] = Capability.of(capability).call(ctx, given)
    return result


@BOTH
def test_it_answers_as_a_function_of_its_own(db: Client, capability: Any) -> None:
    sync(db, [Capability.of(capability)], [])
    snapshot.forget()
    data = {
        "arguments": {"circuitDescription": "EV charger"},
        "context": {"projectId": "house"},
        "locale": "he",
    }
    result = direct_call(Capability.of(capability))(LocalPlatform(db), Call(User("dan"), data))
    assert (result["projectId"], result["circuitName"]) == ("house", "EV charger")
    assert result["citations"][0]["code"] == "NEC"


def test_a_circuit_is_named_by_id_number_words_or_selector(at_work: AtWork) -> None:
    by_words = call(
        at_work(project="house"), calculate_voltage_drop, circuitDescription="EV charger"
    )
    by_number = call(
        at_work(project="house"),
        calculate_voltage_drop,
        circuitNumber=by_words["circuitNumber"],
        panelName=by_words["panelName"],
    )
    by_id = call(at_work(project="house"), calculate_voltage_drop, circuitId=by_words["circuitId"])
    assert by_words == by_number == by_id
    for selector in ("longest", "highest_load", "worst"):
        found = call(at_work(project="office"), calculate_voltage_drop, selector=selector)
        assert found["selector"] == selector
        assert found["compared"] >= len(found["ranking"]) > 1


def test_the_seeds_fields_are_all_there(at_work: AtWork) -> None:
    drop = call(at_work(project="workshop"), calculate_voltage_drop, selector="worst")
    assert drop.keys() >= {
        "circuitName", "circuitNumber", "panelName", "voltageDropPercent", "voltageDropVolts",
        "receivingEndVoltage", "compliant", "recommendation",
    }  # fmt: skip
    size = call(at_work(project="workshop"), check_conductor_sizing,
                circuitDescription="Bench receptacles")  # fmt: skip
    assert size.keys() >= {
        "conductorSize", "loadAmps", "ampacity", "compliant", "necReference", "recommendation",
    }  # fmt: skip
    assert (drop["compliant"], size["compliant"]) == (False, False)


def test_the_result_is_shown_and_cited(at_work: AtWork) -> None:
    ctx = at_work(project="office")
    call(ctx, calculate_voltage_drop, circuitNumber=8, panelName="LP2")
    assert ctx.display is not None
    assert (ctx.display.type, ctx.display.chart is not None) == ("chart", True)
    assert {each.code for each in ctx.citations} == {"NEC"}
    assert any(each.title.startswith("NEC 2023 Chapter 9 Table 9") for each in ctx.citations)


@BOTH
def test_nobody_looks_into_a_project_of_others(at_work: AtWork, capability: Any) -> None:
    with pytest.raises(PermissionDenied):
        call(at_work("rina", project="house"), capability, circuitNumber=1)


@BOTH
def test_a_circuit_that_is_not_there_or_could_be_several_is_refused(
    at_work: AtWork, capability: Any
) -> None:
    with pytest.raises(NotFound):
        call(at_work(project="house"), capability, circuitDescription="sauna")
    with pytest.raises(InvalidArgument, match="which circuit") as caught:
        call(at_work(project="house"), capability, circuitNumber=1)
    assert caught.value.field == "circuitNumber"
