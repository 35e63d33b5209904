"""`registry enrich`: has the configured model write what users would say for each tool."""

from __future__ import annotations

from argparse import Namespace

from rollcall.commands.app import require_app
from rollcall.commands.output import announce, in_camel_case, print_json, say
from rollcall.commands.place import Place, connect
from rollcall.core.errors import FAILED
from rollcall.registry.compiler import compile_registry
from rollcall.registry.enrichment import Report, enrich


def run(place: Place, options: Namespace) -> int:
    """Write phrases where there are none of today's, and compile; 1 where some could not be."""
    announce(place, options, writes=not options.dry_run)
    db = connect(place)
    platform = require_app(place.app).deployment
    model = None if options.dry_run else platform.text_model
    embedder = None if options.dry_run else platform.embedder
    report = enrich(db, model, only=options.only, force=options.force, dry_run=options.dry_run)
    is_due = report.written and not options.dry_run
    compiled = compile_registry(db, embedder=embedder) if is_due else None
    if options.json:
        print_json({**in_camel_case(report), "digest": compiled.digest if compiled else None})
    else:
        _print(report, is_dry=options.dry_run)
        if compiled:
            print(f"compiled, digest {compiled.digest}")
    return FAILED if report.failed else 0


def _print(report: Report, *, is_dry: bool) -> None:
    verb = "would be asked" if is_dry else "written"
    for id in report.written:
        say(f"{verb}  {id}")
    for id, why in report.skipped.items():
        say(f"left alone  {id}: {why}")
    for id, why in report.failed.items():
        say(f"failed  {id}: {why}")
    say(f"{report.requests} requests, about {report.tokens:,} tokens")
