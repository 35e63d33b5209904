"""`registry doctor`: runs all checks, and has those of the registry: compiled, up to date with the
code, and with tools that differ."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.agent.prices import read_prices
from rollcall.commands.app import Place, connect, require_app
from rollcall.commands.doctor import configuration, deployment
from rollcall.commands.doctor.configuration import Settings, read_settings
from rollcall.commands.doctor.deployment import (
    check_against,
    check_expiry,
    check_indexes,
    check_rules,
)
from rollcall.commands.doctor.findings import (
    Finding,
    Google,
    fail,
    firebase,
    guard,
    name_list,
    ok,
    report,
    rollcall,
    sign_in,
    skip,
    warn,
)
from rollcall.commands.output import quantity
from rollcall.commands.registry.records import (
    DOWN,
    HEALTHY,
    Agent,
    Record,
    agents_of,
    read_agents,
    read_manifest,
    read_records,
)
from rollcall.core.definition import close, read_text
from rollcall.core.errors import Problem
from rollcall.core.options import DEFAULT_REGION, collection_id, function_name
from rollcall.core.shapes import Status
from rollcall.core.text import terms
from rollcall.core.triggers import OnSchedule
from rollcall.emulators.jsonc import read_jsonc
from rollcall.registry.capabilities import unknown_overrides
from rollcall.registry.documents import AGENTS, CAPABILITIES, read_overrides, with_overrides
from rollcall.registry.entries import Entry
from rollcall.registry.sync import Report, sync

if TYPE_CHECKING:
    from google.cloud.firestore import Client


def run(place: Place, options: Namespace) -> int:
    """Check a project; return 1 if a check failed."""
    return report(examine(place), place.project, as_json=options.json)


def examine(place: Place) -> Iterator[Finding]:
    """Run every check that has something to look at."""
    app = require_app(place.app)
    is_emulator = place.emulator is not None
    settings = read_settings(app.functions, place.project, emulator=is_emulator, shell=os.environ)
    if problems := app.definition_problems():  # nothing can be compared with such code
        yield from guard("definitions", map(fail, problems))
        return
    yield ok("what the code declares can work", topic="definitions")
    try:
        db = connect(place)
    except Problem as problem:
        topic = "emulator" if is_emulator else "credentials"
        mend = "python -m rollcall dev" if is_emulator else "gcloud auth application-default login"
        yield fail(str(problem).splitlines()[0], mend, topic=topic)
        return
    yield ok(str(place), topic="project")
    reach = list(guard("firestore", deployment.check_reachable(db)))
    yield from reach
    if any(each.level == "fail" for each in reach):
        return
    yield from _registry(db, place, settings)
    yield from guard("settings", configuration.check_variables(settings))
    if is_emulator:
        yield from _on_emulator(place)
    else:
        yield from _in_production(sign_in(place.project), place, settings)


def _registry(db: Client, place: Place, settings: Settings) -> Iterator[Finding]:
    """What the documents tell, and the models that agents would use."""
    catalog = require_app(place.app).catalog
    manifest = read_manifest(db)
    records, published = read_records(db, manifest), read_agents(db)
    entries = [each.entry for each in records if each.entry and not each.reason]
    in_production = place.emulator is None
    difference = sync(db, catalog.capabilities(), catalog.agents().values(), dry_run=True)
    documents = {agent.id: agent.document for agent in published}
    profiles = [
        with_overrides(each, documents.get(each.id, {})) for each in catalog.agents().values()
    ]
    prices = read_prices(db.document(f"{collection_id('budgets')}/prices").get().to_dict())
    today = datetime.now(UTC).date()
    checks = (
        ("registry", check_compiled(manifest, last_change(db), production=in_production)),
        ("registry", check_code(difference)),
        ("registry", check_records(records)),
        ("health", check_health(records)),
        ("agents", check_agents(published, records, profiles=catalog.agents())),
        ("retrieval", check_similarity(entries)),
        ("agents", check_overrides(published)),
        ("models", configuration.check_models(settings, profiles, prices, today=today)),
    )
    for topic, check in checks:
        yield from guard(topic, check)


def _on_emulator(place: Place) -> Iterator[Finding]:
    for topic in ("indexes", "expiry", "rules", "functions", "schedules", "secrets"):
        yield skip("not on the emulator", topic=topic)
    yield skip("the emulator never enforces it", topic="app check")
    auth = os.environ.get("FIREBASE_AUTH_EMULATOR_HOST")
    if auth is None:
        yield skip("FIREBASE_AUTH_EMULATOR_HOST names no Auth emulator", topic="roles")
        return
    import requests

    session = requests.Session()
    session.headers["Authorization"] = "Bearer owner"
    root = f"http://{auth}/{{service}}.googleapis.com"
    yield from guard("roles", deployment.check_admin(Google(session, place.project, root=root)))


def _in_production(google: Google, place: Place, settings: Settings) -> Iterator[Finding]:
    app = require_app(place.app)
    region = settings.env.get("ROLLCALL_REGION") or app.region or DEFAULT_REGION
    triggers = app.catalog.function_triggers()
    scheduled = [name for name, each in triggers.items() if isinstance(each, OnSchedule)]
    rules, indexes = app.firestore_files
    yield ok(f"those of {google.who}", topic="credentials")
    checks = (
        ("firestore", deployment.check_mode(google, region=region)),
        (
            "indexes",
            check_against(indexes, lambda file: check_indexes(google, read_jsonc(file))),
        ),
        ("expiry", check_against(indexes, lambda file: check_expiry(google, read_jsonc(file)))),
        ("rules", check_against(rules, lambda file: check_rules(google, read_text(file)))),
        ("functions", deployment.check_functions(google, list(triggers), region=region)),
        ("schedules", deployment.check_jobs(google, region=region, scheduled=scheduled)),
        ("secrets", deployment.check_secrets(google, settings.secrets)),
        ("app check", deployment.check_app_check(google, settings)),
        ("roles", deployment.check_admin(google)),
    )
    for topic, check in checks:
        yield from guard(topic, check)


SYNC = rollcall("sync")
MAX_REFUSED = 20
"""How many are reported one by one."""
MAX_DOWN = 4
"""How many tools of an agent are named where all are down."""
_DAILY = timedelta(hours=25)
_SOON = timedelta(minutes=2)


def check_compiled(
    manifest: Mapping[str, Any], changed_at: datetime | None, *, production: bool
) -> Iterator[Finding]:
    """Check that the registry is compiled and fresh.

    Args:
        changed_at: When a document of the registry was last written.
    """
    if "digest" not in manifest:
        yield fail("it was never compiled: agents have no tools", SYNC)
        return
    at = manifest["compiledAt"]
    count = quantity(manifest["count"], "capability", "capabilities")
    yield ok(f"{count}, compiled {_ago(at)}, digest {manifest['digest']}")
    late = changed_at and manifest["asOf"] < changed_at < datetime.now(UTC) - _SOON
    if late and changed_at:
        yield fail(
            f"a document was changed {_ago(changed_at)}, and it was not compiled since: is the "
            f"trigger on {collection_id(CAPABILITIES)} deployed?",
            SYNC,
        )
    if production and datetime.now(UTC) - at > _DAILY:
        function = function_name("sync_registry")
        yield warn(
            f"it was not published for more than a day: the scheduled function {function} does "
            "that at 03:00",
            firebase(f"functions:log --only {function}"),
        )


def check_code(report: Report) -> Iterator[Finding]:
    """Check that the registry is what this code declares, by a dry run of a sync."""
    if report.taken:
        yield fail(
            f"declared here, but the id is another codebase's or a document's: "
            f"{name_list(report.taken)}",
            "rename the function, or delete the document",
        )
    stale = [*report.written, *report.withdrawn]
    if stale:
        yield fail(
            f"{len(stale)} documents are not as this code declares them: {name_list(stale)}", SYNC
        )
    else:
        yield ok(f"{len(report.unchanged)} documents are as code declares them")


def check_records(records: Sequence[Record]) -> Iterator[Finding]:
    """Report refused entries and those that are out of order."""
    refused = [record for record in records if record.reason]
    for record in refused[:MAX_REFUSED]:
        yield warn(
            f"{record.id} is refused: {record.reason}",
            f"correct {collection_id(CAPABILITIES)}/{record.id}",
        )
    if (more := len(refused) - MAX_REFUSED) > 0:
        mend = rollcall("registry list --status refused")
        yield warn(f"{more} more are refused", mend)
    for record in records:
        if unknown := unknown_overrides(record.overrides):
            yield warn(
                f"{record.id} has overrides that mean nothing: {name_list(unknown)}",
                f"correct overrides in {collection_id(CAPABILITIES)}/{record.id}",
            )


def check_health(records: Sequence[Record]) -> Iterator[Finding]:
    """Report entries whose calls fail."""
    for record in records:
        if not record.reason and record.health != HEALTHY:
            yield warn(f"{record.id} is {record.health}", rollcall(f"registry show {record.id}"))


def check_agents(
    agents: Sequence[Agent], records: Sequence[Record], *, profiles: Container[str]
) -> Iterator[Finding]:
    """Check that agents have code, and that agents and capabilities find one another.

    Args:
        profiles: Ids of the agents that this code declares.
    """
    if not agents:
        yield fail("there is none", SYNC)
        return
    for agent in agents:
        where = f"{collection_id(AGENTS)}/{agent.id}"
        if agent.has_code(profiles):
            continue
        if agent.status == Status.DISABLED:
            yield ok(f"{where} is disabled, and no code declares it")
        else:  # an agent is code: its document tells of it, and holds an operator's overrides
            yield warn(
                f"{where} ({agent.status}) is a document alone: no code declares this agent, so "
                "nobody can ask it",
                f"declare an AgentProfile of the id {agent.id!r} in a pack and deploy, or delete "
                f"{where}",
            )
    agents = [agent for agent in agents if agent.has_code(profiles)]
    used = [record for record in records if record.status not in ("refused", Status.DISABLED)]
    known = {word for record in used for word in record.words}
    all_words = {word for record in records for word in record.words}
    for agent in agents:
        offered = [record for record in used if agents_of(record, [agent])]
        yield from _agent(agent, offered, known=known, all_words=all_words)
    alone = [record.id for record in used if not agents_of(record, agents)]
    if alone:
        yield warn(
            f"no agent offers {name_list(alone)}: only a client's own calls reach that",
            "name it in an agent's tools, or disable it",
        )


def _agent(
    agent: Agent, offered: Sequence[Record], *, known: set[str], all_words: set[str]
) -> Iterator[Finding]:
    missing = [word for word in agent.tools if word not in all_words]
    off = [word for word in agent.tools if word in all_words and word not in known]
    where = f"{collection_id(AGENTS)}/{agent.id}"
    if agent.tools and not known.intersection(agent.tools):
        yield fail(f"{where} has no tool that may be offered")
    elif missing:
        yield warn(
            f"{where} names what there is not: "
            f"{name_list(f'{word}{close(word, all_words)}' for word in missing)}",
            "correct the profile's tools, or register them",
        )
    if off:
        yield warn(f"{where}: disabled or refused are {name_list(off)}")
    if offered and all(record.health == DOWN for record in offered):
        yield warn(
            f"{where} ({agent.status}) has no tool at present, all are down: "
            f"{name_list((record.id for record in offered), most=MAX_DOWN)}",
            rollcall(f"registry list --agent {agent.id}"),
        )
    elif not missing and not off:
        yield ok(f"{where} ({agent.status}) finds all its tools")


def check_overrides(agents: Sequence[Agent]) -> Iterator[Finding]:
    """Report overrides of agents that cannot be read; runs only log them."""
    for agent in agents:
        _, problems = read_overrides(agent.document)
        for problem in problems:
            mend = f"correct overrides in {collection_id(AGENTS)}/{agent.id}"
            yield warn(f"agent {agent.id}: {problem}", mend)


def last_change(db: Client) -> datetime | None:
    """Return when a document of the registry was last written."""
    times = [
        document.update_time
        for name in (CAPABILITIES, AGENTS)
        for document in db.collection(collection_id(name)).select([]).stream()
    ]
    return max(times, default=None)


def _ago(at: datetime) -> str:
    """How long ago, in the largest fitting unit."""
    seconds = max((datetime.now(UTC) - at).total_seconds(), 0)
    for name, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name} ago"
    return f"{seconds:.0f} s ago"


ALIKE = 0.85
"""The share of words that two descriptions may have in common."""
MAX_PAIRS = 10
"""How many pairs are named."""


def check_similarity(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Report names and descriptions that a model cannot tell apart."""
    held: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        for locale, name in entry.names.items():
            held.setdefault((locale, name.casefold().strip()), []).append(entry.id)
    for (locale, name), ids in held.items():
        if len(ids) > 1:
            what = f"one name ({locale}: {name}) for {name_list(ids)}"
            yield warn(f"{what}: people cannot tell them apart")
    if pairs := alike(entries):
        named = [f"{one} and {other} ({share:.0%})" for one, other, share in pairs]
        yield warn(
            "described by nearly the same words, so that a model takes one for the other: "
            f"{name_list(named, most=MAX_PAIRS)}",
            "say in each description what the other does not do",
        )


def alike(entries: Sequence[Entry]) -> list[tuple[str, str, float]]:
    """Return pairs whose descriptions share `ALIKE` of their words or more, most alike first.

    Two such descriptions share one of their rarest words: of the words of each at most the share
    `1 - ALIKE` is missing in the other. So only those with a rare word in common are compared.
    """
    described = [frozenset(terms(entry.spec.description)) for entry in entries]
    counts = Counter(word for words in described for word in words)
    having: defaultdict[str, list[int]] = defaultdict(list)
    found = []
    for place, words in enumerate(described):
        by_rarity = sorted(words, key=lambda word: (counts[word], word))
        rarest = by_rarity[: len(words) - int(ALIKE * len(words)) + 1]
        for other in {each for word in rarest for each in having[word]}:
            both = len(words & described[other])
            share = both / (len(words) + len(described[other]) - both)
            if share >= ALIKE:
                found.append((entries[other].id, entries[place].id, share))
        for word in rarest:
            having[word].append(place)
    return sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))
