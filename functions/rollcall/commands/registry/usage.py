"""`registry usage`: counts per variant, agent and tool."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rollcall.commands.app import Place, connect
from rollcall.commands.output import in_camel_case, moment, print_json, say, table
from rollcall.registry.segments import part
from rollcall.registry.usage import CURSOR, Counts, Row, Subject, summed, usage


def run(place: Place, options: Namespace) -> int:
    """Show the counts of the last days, today included."""
    db = connect(place)
    until = datetime.now(UTC).date()
    since = until - timedelta(days=options.days - 1)
    counted_at = (part(db, CURSOR).get().to_dict() or {}).get("countedAt")
    counts = usage(db, since, until)
    rows = [row for row in counts.items() if options.agent in (None, row[0].agent)]
    variants = sorted((row for row in rows if not row[0].tool), key=lambda row: str(row[0]))
    agents = list(summed((Subject(each.agent), counts) for each, counts in variants).items())
    tools = summed((Subject(tool=each.tool), counts) for each, counts in rows if each.tool)
    capabilities = sorted(tools.items(), key=lambda row: (-row[1].called, -row[1].offered))
    if options.json:
        print_json(
            {
                "since": since.isoformat(),
                "until": until.isoformat(),
                "countedAt": counted_at,
                "variants": [_plain(*row) for row in variants],
                "agents": [_plain(*row) for row in agents],
                "capabilities": [_plain(*row) for row in capabilities],
            }
        )
        return 0
    counted = f"counted {moment(counted_at)}" if counted_at else "never counted"
    say(f"runs begun {since} to {until} (UTC), {counted}")
    if not agents:
        say("No run was counted. The audit is counted by a scheduled function.")
        return 0
    for agent, _ in agents:
        if compared := [row for row in variants if row[0].variant and row[0].agent == agent.agent]:
            say(f"\nVariants of {agent.agent}")
            show_table("Runs", compared)
    say("\nAgents")
    show_table("Runs", agents)
    say("\nCapabilities")
    show_table("Calls", capabilities)
    say("\nTokens, US dollars and seconds are averages of a turn, or of a capability's call.")
    say("Offered are the tools of an average turn, or the turns that offered the capability.")
    say("Shares have the range in which the true one lies with 95 %.")
    return 0


def show_table(unit: str, rows: Sequence[Row]) -> None:
    """Show the counts of agents, of variants or of capabilities; `unit` is their first column."""
    lines = []
    for subject, counts in rows:
        number = counts.called if subject.tool else counts.turns
        tokens = counts.input_tokens + counts.output_tokens
        averages = "–", "–", "–"
        if number:  # a turn may have begun before these days
            averages = (
                f"{tokens / number:,.0f}",
                f"{counts.micro_usd / number / 1_000_000:.4f}",
                f"{counts.ms / number / 1_000:.1f}",
            )
        lines.append(
            (
                subject.tool or subject.variant or subject.agent or "–",
                f"{counts.runs or counts.called:,}",
                f"{counts.offered / (counts.turns or 1):,.1f}".removesuffix(".0"),
                f"{counts.missing + counts.missed:,}",
                str(counts.success),
                str(counts.rated_well),
                *averages,
            )
        )
    table(("", unit, "Offered", "Missed", "Succeed", "Rated well", "Tokens", "USD", "s"), lines)


def _plain(subject: Subject, counts: Counts) -> dict[str, Any]:
    return {
        "agent": subject.agent,
        "variant": subject.variant,
        "id": subject.tool,
        **in_camel_case(counts),
        "successInterval": counts.success.interval,
        "ratedWellInterval": counts.rated_well.interval,
    }
