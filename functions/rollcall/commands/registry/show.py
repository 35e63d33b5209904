"""`registry show`: one capability or agent."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rollcall.commands.app import Place, connect, require_app
from rollcall.commands.output import (
    Column,
    Screen,
    in_camel_case,
    load_screen,
    moment,
    named,
    noted,
    print_json,
    short,
)
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
from rollcall.core.errors import Problem
from rollcall.core.options import collection_id
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.registry.capabilities import unknown_overrides
from rollcall.registry.documents import AGENTS, read_overrides
from rollcall.registry.entries import Entry
from rollcall.registry.health import Health, health

_LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern")
_APART = {"id", "name", "names", "instructions", "overrides", "schemaVersion", "status"}
"""Fields of an agent that are shown in their own place, or not at all."""
_OVERRULABLE = {
    "status": "declaredStatus",
    "minRole": "minRole",
    "tenants": "",
    "approval": "approval",
    "keywords": "keywords",
    "examples": "examples",
    "phrases": "",
}
"""What an operator may overrule, and the field in which it is declared."""


def run(place: Place, options: Namespace) -> int:
    """Show one capability, or `agents/<id>`.

    Raises:
        Problem: There is none of this id.
    """
    collection, _, id = path_of(options.id).partition("/")
    db = connect(place)
    declared = require_app(place.app).catalog.agents()
    document = db.document(f"{collection_id(collection)}/{id}").get().to_dict()
    if collection == AGENTS:
        agent = named_agent(id, read_agents(db)) if document is None else Agent(id, document)
        has_code = agent.has_code(declared)
        if options.json:
            print_json({**agent.document, "offeredStatus": agent.status, "hasCode": has_code})
        else:
            _show_agent(load_screen(), agent, has_code=has_code)
        return 0
    if document is None:
        raise Problem(f"There is no capability {id!r}; `registry list` names those there are.")
    manifest = read_manifest(db)
    states, refused = manifest.get("health") or {}, manifest.get("refused") or {}
    record = record_of(id, document, health=states, refused=refused)
    naming = agents_of(record, read_agents(db))
    agents = [(agent, word) for agent, word in naming if agent.has_code(declared)]
    alone = [agent.id for agent, _ in naming if not agent.has_code(declared)]
    seen = health(db).get(record.id)
    if options.json:
        print_json(_plain(record, agents, alone, seen))
        return 0
    screen = load_screen()
    _show_head(screen, record)
    _show_overrides(screen, record)
    if record.entry:
        _show_declared(screen, record.entry)
    _show_phrases(screen, record.document)
    _show_agents(screen, agents, alone)
    if record.entry:
        _show_approval(screen, record.entry)
    if seen:
        _show_health(screen, seen)
    return 0


def _plain(
    record: Record,
    agents: Sequence[tuple[Agent, str]],
    alone: Sequence[str],
    seen: Health | None,
) -> dict[str, Any]:
    entry, document = record.entry, record.document
    observed: dict[str, Any] | None = in_camel_case(seen)
    if observed and seen and seen.failure:
        observed["failure"]["at"] = datetime.fromtimestamp(seen.failure.at, UTC)
    offered: dict[str, Any] | None = None
    if entry and not record.reason:  # as processes read it
        offered = {**in_camel_case(entry), "policy": entry.policy.dump() if entry.policy else None}
        del offered["phrases"]
    apart = ("overrides", "enriched")
    return {
        "id": record.id,
        "status": record.status,
        "refused": record.reason,
        "health": record.health,
        "seen": observed,
        "declared": {key: value for key, value in document.items() if key not in apart},
        "overrides": record.overrides,
        "enriched": document.get("enriched"),
        "offered": offered,
        "agents": [{"id": agent.id, "by": word, "status": agent.status} for agent, word in agents],
        "agentsWithoutCode": alone,
    }


def _show_agent(screen: Screen, agent: Agent, *, has_code: bool) -> None:
    document = agent.document
    screen.say()
    screen.say(f"{agent.id}   {named(document.get('names'))}", style="bold")
    rows = [("status", agent.status + ("*" if "status" in agent.overrides else ""))]
    if not has_code:
        rows.append(("code", "none declares it: it is a document alone, and nobody can ask it"))
    rows += [("unread", problem) for problem in read_overrides(document)[1]]
    rows += [
        (key, moment(value) if hasattr(value, "strftime") else short(value))
        for key, value in sorted(document.items())
        if key not in _APART and value not in (None, "", [], {})
    ]
    screen.pairs(rows)
    if agent.overrides:
        screen.title("Overruled by an operator")
        overruled = sorted(agent.overrides.items())
        screen.pairs([(key, short(value)) for key, value in overruled if key != "note"])
    if note := noted(agent.overrides):
        screen.say(note, style="dim")
    screen.title("Instructions")
    screen.say(str(agent.overrides.get("instructions") or document.get("instructions", "")), left=2)


def _show_head(screen: Screen, record: Record) -> None:
    document, entry = record.document, record.entry
    runs = record.where
    if isinstance(execution := document.get("execution"), dict):  # with the whole target
        kind = execution.get("type")
        method = f"{execution.get('method', 'POST')} " if kind == "api_endpoint" else ""
        secret = "" if execution.get("requiresAuth", True) else ", without a secret"
        is_code = document.get("source") == "code"
        target = f"{kind}: {method}{execution.get('target')}{secret}"
        runs = f"{record.where}, as {kind}" if is_code else target
    tenants = entry.tenants if entry else None
    rows = [("status", record.status + ("*" if "status" in record.overrides else ""))]
    if unknown := unknown_overrides(record.overrides):
        rows.append(("unread", f"{', '.join(unknown)} of overrides: nothing by that name"))
    rows += [
        ("why", record.reason or ""),
        ("health", record.health),
        ("category", str(document.get("category", ""))),
        ("effect", str(document.get("effect", "write"))),
        ("role", f"{entry.min_role.value} and above" if entry else str(document.get("minRole"))),
        ("tenants", "" if tenants is None else ", ".join(sorted(tenants)) or "nobody's"),
        ("runs", runs),
        ("related", ", ".join(entry.spec.related) if entry else ""),
        ("version", str(document.get("version", 1))),
        ("digest", entry.digest if entry else ""),
        ("updated", moment(document.get("lastUpdated"))),
    ]
    screen.say()
    screen.say(f"{record.id}   {named(record.names)}", style="bold")
    screen.say(entry.spec.description if entry else str(document.get("description", "")), left=2)
    screen.say()
    screen.pairs([(name, value) for name, value in rows if value])


def _show_overrides(screen: Screen, record: Record) -> None:
    document, overrides = record.document, record.overrides
    declared = {
        **document,
        "declaredStatus": document.get("declaredStatus") or document.get("status"),
    }
    rows = [
        (key, short(declared.get(field)), short(overrides[key]))
        for key, field in _OVERRULABLE.items()
        if key in overrides
    ]
    if rows:
        screen.title("Overruled by an operator")
        screen.table([Column("Field", whole=True), Column("Declared"), Column("Overruled")], rows)
    if note := noted(overrides):
        screen.say(note, style="dim")


def _show_declared(screen: Screen, entry: Entry) -> None:
    schema = entry.spec.parameters
    required = set(schema.get("required", ()))
    rows = [
        (name, kind_of(item), "yes" if name in required else "", _description(item))
        for name, item in schema.get("properties", {}).items()
    ]
    screen.title("Arguments")
    if rows:
        columns = [Column(title, whole=True) for title in ("Name", "Type", "Needed")]
        screen.table([*columns, Column("Description")], rows)
    else:
        screen.say("none", style="dim")
    if examples := entry.spec.examples:
        said = [
            (str(each.get("userRequest", "")), short(each.get("parameters"))) for each in examples
        ]
        screen.title("Examples")
        screen.table([Column("Request"), Column("Arguments")], said)


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


def _show_phrases(screen: Screen, document: dict[str, Any]) -> None:
    by_hand = object_in(object_in(document, "overrides"), "phrases")
    by_model = object_in(object_in(document, "enriched"), "phrases")
    # A person's word replaces the model's.
    left = {locale: each for locale, each in by_model.items() if locale not in by_hand}
    rows = [
        (locale, str(phrase), who)
        for given, who in ((left, "a model"), (by_hand, "an operator"))
        for locale, phrases in sorted(given.items())
        for phrase in (phrases if isinstance(phrases, list) else [phrases])
    ]
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


def _show_approval(screen: Screen, entry: Entry) -> None:
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


def policy_in_words(policy: ApprovalPolicy) -> str:
    """Return when approval is needed and whose, as a sentence."""
    if policy.ask == "never":
        return "nobody is asked"
    occasions = {
        "always": "before every write",
        "once_per_thread": "once in each thread",
        "outside": f"where {policy.argument} matches none of: {', '.join(policy.patterns) or '-'}",
        "above": f"where {policy.argument} is above {policy.threshold or 0:g}",
    }
    role = policy.decider_role
    who = f"someone of the role {role.value}, who is not the asker," if role else "the user"
    return f"{who} is asked {occasions[policy.ask]}; an answer counts for {policy.expires_s:,} s"


def _show_health(screen: Screen, seen: Health) -> None:
    """Show the results of calls and scheduled checks."""
    tries = f", tried again {moment(seen.again_at)}" if seen.again_at else ""
    since = f" since {moment(seen.since)}" if seen.since else ""
    rows = [("state", f"{seen.state}{' on trial' if seen.on_trial else ''}{since}{tries}")]
    if seen.success is not None:
        times = ""
        if seen.p50_ms is not None and seen.p95_ms is not None:
            times = f", half within {seen.p50_ms:,} ms, 95 % within {seen.p95_ms:,} ms"
        calls = seen.ok + seen.failed
        rows.append(("last 10 min", f"{seen.success:.0%} of {calls:,} calls succeeded{times}"))
    if seen.today_ok or seen.today_failed:
        rows.append(("today", f"{seen.today_ok:,} succeeded, {seen.today_failed:,} failed"))
    if failure := seen.failure:
        at = moment(datetime.fromtimestamp(failure.at, UTC))
        rows.append(("last failure", f"{at}, {failure.code}: {failure.message}"))
    screen.title("Health")
    screen.pairs(rows)
