"""`registry doctor`: runs all checks."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from rollcall.agent.prices import read_prices
from rollcall.commands.app import require_app
from rollcall.commands.doctor import configuration, contents, deployment
from rollcall.commands.doctor.contents import check_likeness
from rollcall.commands.doctor.findings import Check, Finding, Google, guard, sign_in
from rollcall.commands.environment import Settings, read_settings
from rollcall.commands.output import announce, print_json
from rollcall.commands.place import Place, connect
from rollcall.commands.registry.records import read_agents, read_manifest, read_records
from rollcall.commands.screen import Column, load_screen
from rollcall.core.errors import FAILED, Problem
from rollcall.core.options import DEFAULT_REGION, collection_id
from rollcall.core.triggers import OnSchedule
from rollcall.registry.overrides import with_overrides
from rollcall.registry.sync import sync


def run(place: Place, options: Namespace) -> int:
    """Check a project; return 1 if a check failed."""
    announce(place, options)
    findings = [each.about(place.project) for each in examine(place)]
    if options.json:
        print_json({"project": place.project, "findings": [each.plain() for each in findings]})
    else:
        _show(findings)
    return FAILED if any(each.level == "fail" for each in findings) else 0


def examine(place: Place) -> Iterator[Finding]:
    """Run every check that has something to look at."""
    app = require_app(place.app)
    is_emulator = place.emulator is not None
    settings = read_settings(app.functions, place.project, emulator=is_emulator, shell=os.environ)
    if problems := app.catalog.problems():  # nothing can be compared with such code
        yield from (Finding("fail", "definitions", each) for each in problems)
        return
    yield Finding("ok", "definitions", "what the code declares can work")
    try:
        db = connect(place)
    except Problem as problem:
        topic = "emulator" if is_emulator else "credentials"
        mend = "python -m rollcall dev" if is_emulator else "gcloud auth application-default login"
        yield Finding("fail", topic, str(problem).splitlines()[0], mend)
        return
    yield Finding("ok", "project", str(place))
    reach = list(deployment.check_reachable(db))
    yield from reach
    if any(each.level == "fail" for each in reach):
        return
    yield from _registry(place, settings)
    yield from configuration.check_variables(settings)
    if is_emulator:
        yield from _on_emulator(place, settings)
    else:
        yield from _in_production(sign_in(place.project), place, settings)


def _registry(place: Place, settings: Settings) -> Iterator[Finding]:
    """What the documents tell, and the models that agents would use."""
    db = connect(place)
    catalog = require_app(place.app).catalog
    manifest = read_manifest(db)
    records, published = read_records(db, manifest), read_agents(db)
    entries = [each.entry for each in records if each.entry and not each.reason]
    changed_at = contents.last_change(db)
    production = place.emulator is None
    yield from contents.check_compiled(manifest, changed_at, production=production)
    yield from contents.check_code(
        sync(db, catalog.capabilities(), catalog.agents().values(), dry_run=True)
    )
    yield from contents.check_records(records)
    yield from contents.check_agents(published, records, profiles=catalog.agents())
    yield from check_likeness(entries)
    yield from contents.check_overrides(published)
    documents = {agent.id: agent.document for agent in published}
    profiles = [
        with_overrides(each, documents.get(each.id, {})) for each in catalog.agents().values()
    ]
    prices = read_prices(db.document(f"{collection_id('budgets')}/prices").get().to_dict())
    yield from configuration.check_models(
        settings, profiles, prices, today=datetime.now(UTC).date()
    )


def _on_emulator(place: Place, settings: Settings) -> Iterator[Finding]:
    for topic in ("indexes", "expiry", "rules", "functions", "schedules", "secrets"):
        yield Finding("skip", topic, "not on the emulator")
    yield Finding("skip", "app check", "the emulator never enforces it")
    auth = os.environ.get("FIREBASE_AUTH_EMULATOR_HOST")
    if auth is None:
        yield Finding("skip", "roles", "FIREBASE_AUTH_EMULATOR_HOST names no Auth emulator")
        return
    google = _auth_emulator(auth)
    yield from guard("roles", partial(deployment.check_admin, google, place.project))


def _auth_emulator(address: str) -> Google:
    import requests

    session = requests.Session()
    session.headers["Authorization"] = "Bearer owner"
    return Google(session, root=lambda service: f"http://{address}/{service}.googleapis.com")


def _in_production(google: Google, place: Place, settings: Settings) -> Iterator[Finding]:
    app = require_app(place.app)
    project = place.project
    region = settings.env.get("ROLLCALL_REGION") or DEFAULT_REGION
    triggers = app.catalog.function_triggers()
    scheduled = [name for name, each in triggers.items() if isinstance(each, OnSchedule)]
    indexes, rules = deployment.read_committed(app.root)
    yield Finding("ok", "credentials", f"those of {google.who}")

    def functions() -> Iterator[Finding]:
        found = deployment.read_functions(google, project)
        return deployment.check_functions(found, list(triggers), settings)

    checks: list[tuple[str, Check]] = [
        ("firestore", partial(deployment.check_mode, google, project, region=region)),
        ("indexes", partial(deployment.check_indexes, google, project, indexes)),
        ("expiry", partial(deployment.check_expiry, google, project, indexes)),
        ("rules", partial(deployment.check_rules, google, project, rules)),
        ("functions", functions),
        (
            "schedules",
            partial(deployment.check_jobs, google, project, region=region, scheduled=scheduled),
        ),
        ("secrets", partial(deployment.check_secrets, google, project, settings.secrets)),
        ("app check", partial(deployment.check_app_check, google, project, settings)),
        ("roles", partial(deployment.check_admin, google, project)),
    ]
    for topic, check in checks:
        yield from guard(topic, check)


def _show(findings: Sequence[Finding]) -> None:
    screen = load_screen()
    rows = [
        (
            each.level,
            each.topic,
            f"{each.text}\n→ {each.mend}" if each.mend else each.text,
        )
        for each in findings
    ]
    screen.say()
    screen.table([Column("", whole=True), Column("Check", whole=True), Column("")], rows)
    counts = Counter(each.level for each in findings)
    told = [f"{counts[level]} {level}" for level in ("fail", "warn", "ok", "skip")]
    screen.say()
    screen.say(", ".join(told), style="bold")
