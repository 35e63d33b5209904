"""`registry disable` and `registry enable`: overrides of a status, effective at once."""

from __future__ import annotations

import getpass
from argparse import Namespace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.commands.app import require_app
from rollcall.commands.output import announce, say
from rollcall.commands.place import Place, connect
from rollcall.commands.registry.records import named_agent, object_in, path_of, read_agents
from rollcall.core.errors import Problem
from rollcall.core.options import collection_id
from rollcall.core.shapes import Status
from rollcall.registry.compiler import compile_registry
from rollcall.registry.documents import AGENTS
from rollcall.registry.snapshot import FRESH_S

if TYPE_CHECKING:
    from google.cloud.firestore import Client


def disable(place: Place, options: Namespace) -> int:
    """Disable a capability or an agent."""
    return _overrule(place, options, status=Status.DISABLED.value, reason=options.reason)


def enable(place: Place, options: Namespace) -> int:
    """Undo `disable`, or set another status."""
    return _overrule(place, options, status=options.status, reason=None)


def _overrule(place: Place, options: Namespace, *, status: str | None, reason: str | None) -> int:
    path = path_of(options.id)
    announce(place, options, writes=True)
    db = connect(place)
    before = _write(db, path, status=status, reason=reason)
    now = status or str(before.get("status"))
    compiled = compile_registry(db, embedder=require_app(place.app).deployment.embedder)
    then = object_in(before, "overrides").get("status") or before.get("status")
    say(f"{path}: {then} → {now}")
    print(
        f"compiled, digest {compiled.digest}\nit takes effect with the next run; in processes that "
        f"are warm, at the latest {FRESH_S:.0f} s from now"
    )
    if why := compiled.refused.get(path.rpartition("/")[2]):
        say(f"it is refused all the same: {why}")
    if status is None and now == Status.DISABLED:
        print(_still_disabled(before, options.id))
    return 0


def _write(db: Client, path: str, *, status: str | None, reason: str | None) -> dict[str, Any]:
    """Change the override and leave all others; the document as it was before.

    Raises:
        Problem: There is no such document.
    """
    from google.cloud.firestore import DELETE_FIELD

    kind, _, id = path.partition("/")
    reference = db.document(f"{collection_id(kind)}/{id}")
    before = reference.get().to_dict()
    if before is None:
        if kind == AGENTS:
            named_agent(id, read_agents(db))
        raise Problem(f"There is no {path}; `registry list` names the capabilities there are.")
    note: Any = {"by": getpass.getuser(), "at": datetime.now(UTC), "text": reason}
    reference.update(
        {
            "overrides.status": status or DELETE_FIELD,
            "overrides.note": note if status else DELETE_FIELD,
        }
    )
    return before


def _still_disabled(document: dict[str, Any], id: str) -> str:
    if document.get("declaredStatus") == Status.DISABLED:
        why = "its code declares it so, or is gone"
    else:
        why = "its document says so itself"
    return f"it is still disabled: {why}. Overrule that with `registry enable {id} --status active`"
