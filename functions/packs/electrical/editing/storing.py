"""A changed panel, put into the batch of a write."""

from __future__ import annotations

from packs.electrical.editing.proposing import checked_panel
from packs.electrical.projects.access import Opened
from packs.electrical.projects.documents import unchanged
from packs.electrical.projects.records import Circuit, Panel
from rollcall.core.context import ToolContext


def put_circuits(
    ctx: ToolContext, opened: Opened, panel: Panel, circuits: tuple[Circuit, ...]
) -> None:
    """Store other circuits in a panel, if nobody changes it, or anything else of the project,
    before the batch is committed: what the panel may carry depends on the other panels of its
    feeder, and whether a circuit may go on the project's motors.

    Raises:
        FailedPrecondition: They do not fit into the panel.
    """
    from google.cloud.firestore import SERVER_TIMESTAMP

    ordered = tuple(sorted(circuits, key=lambda circuit: circuit.circuit_number))
    held = checked_panel(panel, ordered).circuits
    snapshot = opened.snapshots[panel.id]
    stored = {"circuits": [circuit.dump() for circuit in held]}
    ctx.batch.update(snapshot.reference, stored, option=unchanged(snapshot))
    touched = {"updatedAt": SERVER_TIMESTAMP}
    ctx.batch.update(opened.reference, touched, option=unchanged(opened.snapshot))
