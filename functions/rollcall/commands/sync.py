"""`check` looks for wrong definitions in code, and `sync` publishes what code declares;
`disable` and `enable` overrule a status, effective at once.

`check` and `sync` print plain lines, since a deploy's hook runs them.
"""

from __future__ import annotations

import getpass
from argparse import Namespace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.commands.app import Place, connect, find_app, require_app
from rollcall.commands.output import announce, print_json, say
from rollcall.commands.registry.records import named_agent, object_in, path_of, read_agents
from rollcall.core.errors import Problem
from rollcall.core.options import collection_id
from rollcall.core.shapes import Status
from rollcall.registry.compiler import compile_registry
from rollcall.registry.documents import AGENTS, CAPABILITIES
from rollcall.registry.snapshot import FRESH_S
from rollcall.registry.sync import Report, sync

if TYPE_CHECKING:
    from google.cloud.firestore import Client


def check(options: Namespace) -> int:
    """Say that the definitions are sound.

    Raises:
        Problem: Some are not.
    """
    app = require_app(find_app())
    app.check_definitions()
    capabilities, agents = app.catalog.capabilities(), app.catalog.agents()
    say(f"{len(capabilities)} capabilities and {len(agents)} agents: no definition is wrong")
    return 0


def run(place: Place, options: Namespace) -> int:
    """Bring the registry up to the code; refused documents are told, and are no failure."""
    app = require_app(place.app)
    app.check_codebase()
    app.check_definitions()
    catalog = app.catalog
    announce(place, options, writes=not options.dry_run)
    report = sync(
        connect(place),
        catalog.capabilities(),
        catalog.agents().values(),
        dry_run=options.dry_run,
        embedder=app.deployment.embedder,
    )
    if options.json:
        print_json(_plain(report))
    else:
        _print(report, is_dry=options.dry_run)
    return 0


def _plain(report: Report) -> dict[str, object]:
    compiled = report.compiled
    return {
        "written": report.written,
        "withdrawn": report.withdrawn,
        "unchanged": report.unchanged,
        "taken": list(report.taken),
        "digest": compiled.digest if compiled else None,
        "count": compiled.count if compiled else None,
        "refused": compiled.refused if compiled else {},
    }


def _print(report: Report, *, is_dry: bool) -> None:
    would = "would be " if is_dry else ""
    for path in report.written:
        say(f"{would}written    {path}")
    for path in report.withdrawn:
        say(f"{would}withdrawn  {path}")
    for path, owner in report.taken.items():
        say(f"left alone {path}: {owner} has this id")
    say(f"{len(report.unchanged)} unchanged")
    if report.compiled is None:
        print("nothing was written")
        return
    for id, why in sorted(report.compiled.refused.items()):
        say(f"refused    {CAPABILITIES}/{id}: {why}")
    say(f"compiled {report.compiled.count} capabilities, digest {report.compiled.digest}")


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
        why = "its document says so itself"
        if before.get("declaredStatus") == Status.DISABLED:
            why = "its code declares it so, or is gone"
        print(
            f"it is still disabled: {why}. Overrule that with "
            f"`registry enable {options.id} --status active`"
        )
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
