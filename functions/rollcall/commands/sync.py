"""`check` looks for wrong definitions in code, and `sync` publishes what code declares.

Both print plain lines, since a deploy's hook runs them.
"""

from __future__ import annotations

from argparse import Namespace

from rollcall.commands.app import find_app, require_app
from rollcall.commands.output import announce, print_json, say
from rollcall.commands.place import Place, connect
from rollcall.registry.documents import CAPABILITIES
from rollcall.registry.sync import Report, sync


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
