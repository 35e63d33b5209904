"""`check` looks for wrong definitions in code, and `sync` publishes what code declares;
`disable` and `enable` overrule a status, effective at once.

`check` and `sync` print plain lines, since a deploy's hook runs them.
"""

from __future__ import annotations

import getpass
import os
from argparse import Namespace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.commands.app import Place, connect, find_app, require_app
from rollcall.commands.output import quantity, say
from rollcall.commands.registry.records import named_agent, object_in, path_of, read_agents
from rollcall.core.errors import Problem
from rollcall.core.options import collection_id
from rollcall.core.shapes import CAPABILITY_ID, Status
from rollcall.registry.access import CATEGORY
from rollcall.registry.compiler import compile_registry
from rollcall.registry.documents import AGENTS, CAPABILITIES
from rollcall.registry.snapshot import FRESH_S
from rollcall.registry.sync import sync

if TYPE_CHECKING:
    from google.cloud.firestore import Client


def check(options: Namespace) -> int:
    """Say that the definitions are sound.

    Raises:
        Problem: Some are not.
    """
    app = require_app(find_app())
    app.load_environment("", emulator=False, env=os.environ)
    app.check_definitions()
    for _, text in app.catalog.undeclared_tools():
        say(f"warning: {text}")
    capabilities, agents = app.catalog.capabilities(), app.catalog.agents()
    count = quantity(len(capabilities), "capability", "capabilities")
    say(f"{count} and {quantity(len(agents), 'agent', 'agents')}: no definition is wrong")
    return 0


def run(place: Place, options: Namespace) -> int:
    """Bring the registry up to the code; refused documents are told, and are no failure."""
    app = require_app(place.app)
    app.check_codebase()
    app.check_definitions()
    catalog = app.catalog
    db = connect(place)
    report = sync(
        db,
        catalog.capabilities(),
        catalog.agents().values(),
        dry_run=options.dry_run,
        embedder=catalog.deployment.embedder,
    )
    compiled = report.compiled
    unknown = [text for word, text in catalog.undeclared_tools() if not _is_registered(db, word)]
    would = "would be " if options.dry_run else ""
    for path in report.written:
        say(f"{would}written    {path}")
    for path in report.withdrawn:
        say(f"{would}withdrawn  {path}")
    for path, owner in report.taken.items():
        say(f"left alone {path}: {owner} has this id")
    for text in unknown:
        say(f"warning    {text}")
    say(f"{len(report.unchanged)} unchanged")
    if compiled is None:
        print("nothing was written")
        return 0
    for id, why in sorted(compiled.refused.items()):
        say(f"refused    {CAPABILITIES}/{id}: {why}")
    count = quantity(compiled.count, "capability", "capabilities")
    say(f"compiled {count}, digest {compiled.digest}")
    return 0


def _is_registered(db: Client, word: str) -> bool:
    """Whether a document has this id, or, of a word such as "category:office", the category."""
    from google.cloud.firestore import FieldFilter

    capabilities = db.collection(collection_id(CAPABILITIES))
    if word.startswith(CATEGORY):
        has_category = FieldFilter("category", "==", word.removeprefix(CATEGORY))
        return bool(capabilities.where(filter=has_category).limit(1).get())
    return bool(CAPABILITY_ID.fullmatch(word)) and capabilities.document(word).get().exists


def disable(place: Place, options: Namespace) -> int:
    """Disable a capability or an agent."""
    return _overrule(place, options, status=Status.DISABLED.value, reason=options.reason)


def enable(place: Place, options: Namespace) -> int:
    """Undo `disable`, or set another status."""
    return _overrule(place, options, status=options.status, reason=None)


def _user_name() -> str:
    """Who runs this, on this computer."""
    try:
        return getpass.getuser()
    except (KeyError, ImportError, OSError):  # a container may run under an id that has no name
        return "unknown"


def _overrule(place: Place, options: Namespace, *, status: str | None, reason: str | None) -> int:
    """Change the override of the status and leave all others.

    Raises:
        Problem: There is no such document.
    """
    from google.cloud.firestore import DELETE_FIELD

    path = path_of(options.id)
    kind, _, id = path.partition("/")
    db = connect(place)
    document = db.document(f"{collection_id(kind)}/{id}")
    before = document.get().to_dict()
    if before is None:
        if kind == AGENTS:
            named_agent(id, read_agents(db))
        raise Problem(f"There is no {path}; `registry list` names the capabilities there are.")
    note: Any = {"by": _user_name(), "at": datetime.now(UTC), "text": reason}
    document.update(
        {
            "overrides.status": status or DELETE_FIELD,
            "overrides.note": note if status else DELETE_FIELD,
        }
    )
    compiled = compile_registry(db, embedder=require_app(place.app).catalog.deployment.embedder)
    then = object_in(before, "overrides").get("status") or before.get("status")
    now = status or str(before.get("status"))
    say(f"{path}: {then} → {now}")
    print(
        f"compiled, digest {compiled.digest}\nit takes effect with the next run; in processes that "
        f"are warm, at the latest {FRESH_S:.0f} s from now"
    )
    if kind == CAPABILITIES and (why := compiled.refused.get(id)):
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
