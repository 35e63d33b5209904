"""`registry show`: one capability or agent."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.commands.app import require_app
from rollcall.commands.output import (
    announce,
    in_camel_case,
    moment,
    named,
    noted,
    print_json,
    short,
)
from rollcall.commands.place import Place, connect
from rollcall.commands.registry.records import (
    Agent,
    Record,
    agents_of,
    named_agent,
    object_in,
    path_of,
    read_agents,
    read_manifest,
    record_of,
)
from rollcall.commands.screen import Column, Screen, load_screen
from rollcall.core.errors import Problem
from rollcall.core.options import collection_id
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.registry.capabilities import unknown_overrides
from rollcall.registry.documents import AGENTS, CAPABILITIES
from rollcall.registry.entries import Entry
from rollcall.registry.health import Health, health
from rollcall.registry.overrides import unread_overrides
from rollcall.registry.usage import Row, usage

if TYPE_CHECKING:
    from google.cloud.firestore import Client


_LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern")


def show_arguments(screen: Screen, schema: dict[str, Any]) -> None:
    properties = schema.get("properties", {})
    screen.title("Arguments")
    if not properties:
        screen.say("none", style="dim")
        return
    required = set(schema.get("required", ()))
    columns = [
        Column("Name", whole=True),
        Column("Type", whole=True),
        Column("Needed", whole=True),
        Column("Description"),
    ]
    rows = [
        (name, kind_of(item), "yes" if name in required else "", _description(item))
        for name, item in properties.items()
    ]
    screen.table(columns, rows)


def show_examples(screen: Screen, examples: Sequence[dict[str, Any]]) -> None:
    if examples:
        screen.title("Examples")
        rows = [
            (str(each.get("userRequest", "")), short(each.get("parameters"))) for each in examples
        ]
        screen.table([Column("Request"), Column("Arguments")], rows)


def kind_of(item: Any) -> str:
    """An argument's type in short, such as "string[]" or "number | string"."""
    if not isinstance(item, dict):
        return "any"  # as `true` says in a JSON schema
    if "anyOf" in item:
        kinds = dict.fromkeys(map(kind_of, item["anyOf"]))
        return " | ".join(kind for kind in kinds if kind != "null")
    kind = item.get("type", "any")
    if isinstance(kind, list):
        return " | ".join(str(each) for each in kind if each != "null")
    if kind == "array":
        return f"{kind_of(item.get('items') or {})}[]"
    return str(kind)


def _description(item: dict[str, Any]) -> str:
    parts = [str(item.get("description", "")).strip()]
    if enum := item.get("enum"):
        parts.append(f"One of {', '.join(map(str, enum))}.")
    if limits := [f"{name} {item[name]}" for name in _LIMITS if name in item]:
        parts.append(f"({', '.join(limits)})")
    if item.get("default") not in (None, "", []):
        parts.append(f"Default: {short(item['default'])}.")
    return " ".join(filter(None, parts))


_APART = {"id", "name", "names", "instructions", "overrides", "schemaVersion", "status"}
"""Fields that are shown in their own place, or not at all."""


def run_agent(place: Place, db: Client, id: str, options: Namespace) -> int:
    """Show one agent.

    Raises:
        Problem: There is none of this id.
    """
    document = db.document(f"{collection_id(AGENTS)}/{id}").get().to_dict()
    agent = named_agent(id, read_agents(db)) if document is None else Agent(id, document)
    has_code = agent.has_code(require_app(place.app).catalog.agents())
    if options.json:
        print_json({**agent.document, "offeredStatus": agent.status, "hasCode": has_code})
        return 0
    _show(agent, has_code=has_code)
    return 0


def _show(agent: Agent, *, has_code: bool) -> None:
    screen = load_screen()
    document = agent.document
    screen.say()
    screen.say(f"{agent.id}   {named(document.get('names'))}", style="bold")
    rows = [("status", agent.status + ("*" if "status" in agent.overrides else ""))]
    if not has_code:
        rows.append(("code", "none declares it: it is a document alone, and nobody can ask it"))
    rows += [("unread", what) for what in unread_overrides(document)]
    rows += [
        (key, moment(value) if hasattr(value, "strftime") else short(value))
        for key, value in sorted(document.items())
        if key not in _APART and value not in (None, "", [], {})
    ]
    screen.pairs(rows)
    overruled = [(key, short(value)) for key, value in sorted(agent.overrides.items())]
    if overruled:
        screen.title("Overruled by an operator")
        screen.pairs([(key, value) for key, value in overruled if key != "note"])
    if note := noted(agent.overrides):
        screen.say(note, style="dim")
    screen.title("Instructions")
    screen.say(str(agent.overrides.get("instructions") or document.get("instructions", "")), left=2)


USAGE_DAYS = 7


def show_health(screen: Screen, seen: Health | None) -> None:
    """Show the results of calls and scheduled checks."""
    if seen is None:
        return
    screen.title("Health")
    tries = f", tried again {moment(seen.again_at)}" if seen.again_at else ""
    since = f" since {moment(seen.since)}" if seen.since else ""
    rows = [("state", f"{seen.state}{' on trial' if seen.on_trial else ''}{since}{tries}")]
    if seen.success is not None:
        times = (
            f", half within {seen.p50_ms:,} ms, 95 % within {seen.p95_ms:,} ms"
            if (seen.p50_ms is not None and seen.p95_ms is not None)
            else ""
        )
        calls = seen.ok + seen.failed
        rows.append(("last 10 min", f"{seen.success:.0%} of {calls:,} calls succeeded{times}"))
    if seen.today_ok or seen.today_failed:
        rows.append(("today", f"{seen.today_ok:,} succeeded, {seen.today_failed:,} failed"))
    if failure := seen.failure:
        at = moment(datetime.fromtimestamp(failure.at, UTC))
        rows.append(("last failure", f"{at}, {failure.code}: {failure.message}"))
    screen.pairs(rows)


def show_usage(screen: Screen, used: Row | None) -> None:
    if used is None:
        return
    counts = used.counts
    screen.title(f"Usage of the last {USAGE_DAYS} days")
    screen.say(
        f"offered {counts.offered:,}, called {counts.called:,} (in {counts.missed:,} runs without "
        f"having been chosen), succeeded {used.success}, rated well {used.rated_well}"
    )


def usage_of(db: Client, id: str) -> Row | None:
    """Return the counts of a capability in the last days; None if it was not used."""
    today = datetime.now(UTC).date()
    found = usage(db, today - timedelta(days=USAGE_DAYS - 1), today)
    return next((row for row in found.by_capability() if row.tool == id), None)


_OVERRULABLE = {
    "status": "declaredStatus",
    "minRole": "minRole",
    "tenants": None,
    "approval": "approval",
    "keywords": "keywords",
    "examples": "examples",
    "phrases": None,
}
"""What an operator may overrule, and the field in which it is declared."""


def run(place: Place, options: Namespace) -> int:
    """Show one capability, or `agents/<id>`."""
    collection, _, id = path_of(options.id).partition("/")
    announce(place, options)
    db = connect(place)
    if collection == AGENTS:
        return run_agent(place, db, id, options)
    record = find_record(db, id)
    declared = require_app(place.app).catalog.agents()
    naming = agents_of(record, read_agents(db))
    agents = [(agent, word) for agent, word in naming if agent.has_code(declared)]
    alone = [agent.id for agent, _ in naming if not agent.has_code(declared)]
    seen = health(db).get(record.id)
    lately = usage_of(db, record.id)
    if options.json:
        print_json(_plain(record, agents, alone, seen, lately))
        return 0
    screen = load_screen()
    _show_head(screen, record)
    _show_overrides(screen, record)
    if record.entry:
        show_arguments(screen, record.entry.spec.parameters)
        show_examples(screen, record.entry.spec.examples)
    _show_phrases(screen, record.document)
    _show_agents(screen, agents, alone)
    _show_approval(screen, record)
    show_health(screen, seen)
    show_usage(screen, lately)
    return 0


def find_record(db: Client, id: str) -> Record:
    """One capability as it is stored.

    Raises:
        Problem: There is none of this id.
    """
    document = db.document(f"{collection_id(CAPABILITIES)}/{id}").get().to_dict()
    if document is None:
        raise Problem(f"There is no capability {id!r}; `registry list` names those there are.")
    manifest = read_manifest(db)
    health, refused = manifest.get("health") or {}, manifest.get("refused") or {}
    return record_of(id, document, health=health, refused=refused)


def policy_in_words(policy: ApprovalPolicy) -> str:
    """Return when approval is needed and whose, as a sentence."""
    occasions = {
        "always": "before every write",
        "never": "never",
        "once_per_thread": "once in each thread",
        "outside": f"where {policy.argument} matches none of: {', '.join(policy.patterns) or '-'}",
        "above": f"where {policy.argument} is above {policy.threshold:g}"
        if policy.threshold is not None
        else "above a threshold",
    }
    who = (
        f"someone of the role {policy.decider_role.value}, who is not the asker,"
        if (policy.decider_role)
        else "the user"
    )
    if policy.ask == "never":
        return "nobody is asked"
    return f"{who} is asked {occasions[policy.ask]}; an answer counts for {policy.expires_s:,} s"


def _plain(
    record: Record,
    agents: Sequence[tuple[Agent, str]],
    alone: Sequence[str],
    seen: Health | None,
    used: Row | None,
) -> dict[str, Any]:
    entry = record.entry
    return {
        "id": record.id,
        "status": record.status,
        "refused": record.reason,
        "health": record.health,
        "seen": _health_json(seen) if seen else None,
        "usage": in_camel_case(used.counts) if used else None,
        "declared": {
            key: value
            for key, value in record.document.items()
            if key not in ("overrides", "enriched")
        },
        "overrides": record.overrides,
        "enriched": record.document.get("enriched"),
        "offered": _entry_json(entry) if entry and not record.reason else None,
        "agents": [{"id": agent.id, "by": word, "status": agent.status} for agent, word in agents],
        "agentsWithoutCode": alone,
    }


def _health_json(health: Health) -> dict[str, Any]:
    found: dict[str, Any] = in_camel_case(health)
    if health.failure:
        found["failure"]["at"] = datetime.fromtimestamp(health.failure.at, UTC)
    return found


def _entry_json(entry: Entry) -> dict[str, Any]:
    """As processes read it."""
    found: dict[str, Any] = in_camel_case(entry)
    del found["phrases"]
    return {**found, "policy": entry.policy.dump() if entry.policy else None}


def _show_head(screen: Screen, record: Record) -> None:
    document, entry = record.document, record.entry
    names = entry.names if entry else {"en": str(document.get("name", ""))}
    unknown = unknown_overrides(record.overrides)
    screen.say()
    screen.say(f"{record.id}   {named(names)}", style="bold")
    screen.say(entry.spec.description if entry else str(document.get("description", "")), left=2)
    screen.say()
    rows = [
        ("status", record.status + ("*" if "status" in record.overrides else "")),
        ("health", record.health),
        ("category", str(document.get("category", ""))),
        ("effect", str(document.get("effect", "write"))),
        ("role", f"{entry.min_role.value} and above" if entry else str(document.get("minRole"))),
        ("tenants", _tenants(record)),
        ("runs", _target(record)),
        ("related", ", ".join(entry.spec.related) if entry else ""),
        ("version", str(document.get("version", 1))),
        ("digest", entry.digest if entry else ""),
        ("updated", moment(document.get("lastUpdated"))),
    ]
    if record.reason:
        rows.insert(1, ("why", record.reason))
    if unknown:
        rows.insert(1, ("unread", f"{', '.join(unknown)} of overrides: nothing by that name"))
    screen.pairs([(name, value) for name, value in rows if value])


def _target(record: Record) -> str:
    """Where it runs, with the whole target."""
    execution = record.document.get("execution")
    if not isinstance(execution, dict):
        return record.where
    kind = execution.get("type")
    if record.document.get("source") == "code":
        return f"{record.where}, as {kind}"
    method = f"{execution.get('method', 'POST')} " if kind == "api_endpoint" else ""
    secret = "" if execution.get("requiresAuth", True) else ", without a secret"
    return f"{kind}: {method}{execution.get('target')}{secret}"


def _tenants(record: Record) -> str:
    tenants = record.entry.tenants if record.entry else None
    if tenants is None:
        return ""
    return ", ".join(sorted(tenants)) or "nobody's"


def _show_overrides(screen: Screen, record: Record) -> None:
    overrides = record.overrides
    rows = [
        (key, short(_declared_value(record.document, declared)), short(overrides[key]))
        for key, declared in _OVERRULABLE.items()
        if key in overrides
    ]
    if rows:
        screen.title("Overruled by an operator")
        screen.table([Column("Field", whole=True), Column("Declared"), Column("Overruled")], rows)
    if note := noted(overrides):
        screen.say(note, style="dim")


def _declared_value(document: dict[str, Any], field: str | None) -> Any:
    """What stands under an override; code's documents keep its status apart."""
    if field == "declaredStatus":
        return document.get(field) or document.get("status")
    return document.get(field) if field else None


def _show_phrases(screen: Screen, document: dict[str, Any]) -> None:
    rows: list[tuple[str, str, str]] = []
    by_whom = (("enriched", "a model"), ("overrides", "an operator"))
    given = {field: object_in(object_in(document, field), "phrases") for field, _ in by_whom}
    for field, who in by_whom:
        for locale, phrases in sorted(given[field].items()):
            if field == "enriched" and locale in given["overrides"]:
                continue  # a person's word replaces it
            listed = phrases if isinstance(phrases, list) else [phrases]
            rows += [(locale, str(phrase), who) for phrase in listed]
    if rows:
        screen.title("Phrases it is found by")
        screen.table(
            [Column("", whole=True), Column("Phrase"), Column("Written by", whole=True)], rows
        )


def _show_agents(screen: Screen, agents: Sequence[tuple[Agent, str]], alone: Sequence[str]) -> None:
    screen.title("Agents that may use it")
    rows = [
        (agent.id, word, agent.status, str(agent.document.get("minRole", "user")))
        for agent, word in agents
    ]
    if rows:
        columns = ("Agent", "Named by", "Status", "Role")
        screen.table([Column(title, whole=True) for title in columns], rows)
    else:
        screen.say("none: no agent names it, its category or *", style="dim")
    if alone:
        why = "which no code declares, so nobody can ask them"
        screen.say(f"named by documents alone, {why}: {', '.join(alone)}", style="dim")


def _show_approval(screen: Screen, record: Record) -> None:
    entry = record.entry
    if entry is None:
        return
    screen.title("Approval")
    if not entry.spec.writes:
        screen.say("It only reads: nobody is asked.")
        return
    held = "the function's source" if entry.codebase else "where it is reached"
    screen.say(
        f"Where a model calls it: {policy_in_words(combined(entry.policy))}. An agent may be "
        "stricter."
    )
    screen.say(
        f"An approval holds on to the arguments and to the digest {entry.digest}. It is void once "
        f"the description, the arguments' schema, the version or {held} has changed."
    )
