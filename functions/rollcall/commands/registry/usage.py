"""`registry usage`: counts per variant, agent and tool."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rollcall.commands.app import Place, connect
from rollcall.commands.output import in_camel_case, moment, print_json, say, table
from rollcall.registry.segments import part
from rollcall.registry.usage import CURSOR, Row, Share, Usage, difference, usage

NONE = "–"


def run(place: Place, options: Namespace) -> int:
    """Show the counts of the last days, today included."""
    db = connect(place)
    today = datetime.now(UTC).date()
    found = usage(db, today - timedelta(days=options.days - 1), today)
    counted = (part(db, CURSOR).get().to_dict() or {}).get("countedAt")
    agents = [row for row in found.by_agent() if options.agent in (None, row.agent)]
    if options.json:
        variants = [variant for row in agents for variant in found.by_variant(row.agent or "")]
        print_json(
            {
                "since": found.since.isoformat(),
                "until": found.until.isoformat(),
                "countedAt": counted,
                "variants": [_plain_run(row) for row in variants],
                "agents": [_plain_run(row) for row in agents],
                "capabilities": [_plain_tool(row) for row in found.by_capability(options.agent)],
            }
        )
    else:
        _show(found, agents, options.agent, counted)
    return 0


def share_in_short(share: Share) -> str:
    """Return a share with its 95 % interval, such as "83% (70–91)"."""
    if share.value is None:
        return NONE
    low, high = share.interval
    return f"{share.value:.0%} ({100 * low:.0f}–{100 * high:.0f})"


def compare_variants(rows: Sequence[Row]) -> list[str]:
    """Return how each variant differs from the first, if beyond accident."""
    first, *others = rows
    told = []
    for row in others:
        for name, one, other in (
            ("succeed", row.success, first.success),
            ("are rated well", row.rated_well, first.rated_well),
        ):
            low, high = difference(one, other)
            if low > 0 or high < 0:
                word, least, most = ("more", low, high) if low > 0 else ("fewer", -high, -low)
                told.append(
                    f"{row.variant} against {first.variant}: {100 * least:.0f} to "
                    f"{100 * most:.0f} points {word} {name}"
                )
    names = ", ".join(str(row.variant) for row in others)
    return told or [f"{names} against {first.variant}: no difference that is beyond accident"]


def _plain_run(row: Row) -> dict[str, Any]:
    return {
        "agent": row.agent,
        "variant": row.variant,
        **in_camel_case(row.counts),
        "success": _plain_share(row.success),
        "ratedWell": _plain_share(row.rated_well),
        "complete": _plain_share(row.complete),
        "offeredPerTurn": row.per_turn(row.counts.offered),
        "calledPerTurn": row.per_turn(row.counts.called),
        "tokensPerTurn": row.per_turn(row.tokens),
        "usdPerTurn": row.per_turn(row.usd),
        "msPerTurn": row.per_turn(row.counts.ms),
    }


def _plain_tool(row: Row) -> dict[str, Any]:
    return {
        "id": row.tool,
        **in_camel_case(row.counts),
        "success": _plain_share(row.success),
        "ratedWell": _plain_share(row.rated_well),
        "msPerCall": row.ms_per_call,
        "tokens": row.tokens,
        "usd": row.usd,
    }


def _plain_share(share: Share) -> dict[str, Any]:
    low, high = share.interval
    return {"n": share.n, "of": share.of, "value": share.value, "low": low, "high": high}


def _show(found: Usage, agents: Sequence[Row], agent: str | None, counted: datetime | None) -> None:
    until = f"counted {moment(counted)}" if counted else "never counted"
    days = f"{found.since}" if found.since == found.until else f"{found.since} to {found.until}"
    say(f"runs begun {days} (UTC), {until}")
    if not agents:
        others = ", ".join(row.agent or NONE for row in found.by_agent())
        if others:
            say(f"No run of {agent} was counted, but of: {others}.")
        else:
            say("No run was counted. The audit is counted by a scheduled function.")
        return
    for row in agents:
        variants = found.by_variant(row.agent or "")
        if any(each.variant for each in variants):
            say(f"\nVariants of {row.agent}")
            show_runs([(each.variant or NONE, each) for each in variants])
            for line in compare_variants(variants) if len(variants) > 1 else ():
                say(line)
    say("\nAgents")
    show_runs([(row.agent or NONE, row) for row in agents])
    say("\nCapabilities")
    show_tools(found.by_capability(agent))
    say("\nShares with the range in which the true one lies with 95 %.")


Columns = Sequence[tuple[str, Callable[[Row], str]]]
"""The columns of a table, each with what it says of a row."""


def _number(value: float | None, form: str) -> str:
    return NONE if value is None else format(value, form)


_RUNS: Columns = (
    ("Runs", lambda row: f"{row.counts.runs:,}"),
    ("Offered", lambda row: _number(row.per_turn(row.counts.offered), ",.1f")),
    ("Called", lambda row: _number(row.per_turn(row.counts.called), ",.1f")),
    ("Succeed", lambda row: share_in_short(row.success)),
    ("Rated well", lambda row: share_in_short(row.rated_well)),
    ("Nothing missed", lambda row: share_in_short(row.complete)),
    ("Tokens", lambda row: _number(row.per_turn(row.tokens), ",.0f")),
    ("USD", lambda row: _number(row.per_turn(row.usd), ".4f")),
    ("s", lambda row: _number(row.per_turn(row.counts.ms / 1_000), ".1f")),
)
_TOOLS: Columns = (
    ("Offered", lambda row: f"{row.counts.offered:,}"),
    ("Called", lambda row: f"{row.counts.called:,}"),
    ("Missed", lambda row: f"{row.counts.missed:,}"),
    ("Succeed", lambda row: share_in_short(row.success)),
    ("Rated well", lambda row: share_in_short(row.rated_well)),
    ("ms", lambda row: _number(row.ms_per_call, ",.0f")),
    ("Tokens", lambda row: f"{row.tokens:,}"),
    ("USD", lambda row: f"{row.usd:.2f}"),
)


def show_runs(rows: Sequence[tuple[str, Row]]) -> None:
    _table("", rows, _RUNS)
    say("Tools, tokens, US dollars and seconds for each turn.")


def show_tools(rows: Sequence[Row]) -> None:
    _table("Capability", [(row.tool or NONE, row) for row in rows], _TOOLS)


def _table(first: str, rows: Sequence[tuple[str, Row]], columns: Columns) -> None:
    cells = [(name, *(cell(row) for _, cell in columns)) for name, row in rows]
    table([first, *(title for title, _ in columns)], cells)
