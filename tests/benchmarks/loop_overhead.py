"""The loop's own cost: a turn with one tool, over the same turn written by hand on the bare SDK.

Both talk to the same local server that speaks OpenAI's Responses wire format, so that what differs
is ours: events, checks, threads for the tools, numbering of sources.
"""

from __future__ import annotations

import json
import statistics
import time
from functools import cache
from typing import Any

from rich.table import Table

from rollcall.agent.loop import run
from rollcall.models.base import load_model
from tests.support.fake_providers import FakeProviders
from tests.support.provider_replies import responses_call, responses_text
from tests.support.scripted import turn

ROUNDS = 60
TOOL = {
    "type": "function",
    "name": "look_up",
    "description": "Look it up.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
}


def measure() -> Table:
    """Time both on one server, alternating."""
    with FakeProviders() as fake:
        bare, ours = [], []
        for number in range(ROUNDS + 5):
            for times, work in ((bare, _bare_turn), (ours, _our_turn)):
                fake.openai(responses_call("look_up", '{"query": "x"}'), responses_text("Found."))
                started = time.perf_counter()
                work()
                if number >= 5:  # the first few warm up connections and imports
                    times.append(time.perf_counter() - started)
    table = Table(title=f"A turn with one tool call, median of {ROUNDS}")
    for column in ("loop", "ms", "ratio"):
        table.add_column(column, justify="left" if column == "loop" else "right")
    base = statistics.median(bare)
    for name, times in (("by hand on the openai SDK", bare), ("Rollcall", ours)):
        median = statistics.median(times)
        table.add_row(name, f"{median * 1000:.1f}", f"{median / base:.2f}")
    return table


def _our_turn() -> None:
    for _ in run(turn(load_model("openai:gpt-test"), {"look_up": lambda progress, query: query})):
        pass


def _bare_turn() -> None:
    client = _client()
    items: list[Any] = [{"role": "user", "content": "What is new?"}]
    for _ in range(5):
        final = None
        stream = client.responses.create(
            model="gpt-test", input=items, tools=[TOOL], stream=True, store=False
        )
        for event in stream:
            if event.type == "response.completed":
                final = event.response
        calls = [item for item in final.output if item.type == "function_call"]
        if not calls:
            return
        items += final.output
        for call in calls:
            output = json.dumps(json.loads(call.arguments)["query"])
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": output}
            )


@cache
def _client() -> Any:
    from openai import OpenAI

    return OpenAI(max_retries=0)
