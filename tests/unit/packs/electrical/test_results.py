"""What every calculation returns to an app that calls its function, and to a model."""

from __future__ import annotations

from typing import Any

from packs.electrical.conductor_sizing import check_conductor_sizing
from packs.electrical.hand_calculations import derate_conductors
from packs.electrical.nec_search import search_nec
from packs.electrical.nec_tables import lookup_nec_table
from packs.electrical.voltage_drop import calculate_voltage_drop
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext, User
from tests.support.for_every import for_every

DROP = {"voltage": 120, "lengthFt": 100, "conductorSize": "12", "loadAmps": 16}


@for_every(
    ("function", "arguments", "kind"),
    [
        (check_conductor_sizing, {"loadAmps": 16}, "table"),
        (derate_conductors, {"conductorSize": "4", "ambientC": 40}, "table"),
        (lookup_nec_table, {"table": "310.16", "size": "4"}, "table"),
        (search_nec, {"query": "250.66", "source": "code"}, "table"),
        (calculate_voltage_drop, DROP, "chart"),
    ],
)
def test_a_direct_call_returns_its_display_which_no_model_reads(
    function: Any, arguments: dict[str, Any], kind: str
) -> None:
    ctx = ToolContext(User("ann"))
    called = Capability.of(function)
    data = called.call(ctx, arguments)
    assert ctx.display is not None
    assert data["display"] == ctx.display.dump()
    assert data["display"]["type"] == kind
    shown = called.call_visibly(ctx, arguments)
    assert "display" not in shown and shown["answer"] == data["answer"]
