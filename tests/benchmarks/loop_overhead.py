"""A run's own cost: CPU of the loop with an adapter, over a loop by hand on the same bare SDK.

One message, three tools called one after another, an answer; five tools with schemas as people
write them (`loops/capabilities.py`). By hand (`loops/sdk_loops.py`) is what a competent author
writes on the SDK: a client that is kept, the SDK's typed calls, arguments parsed, functions called,
results appended; no events, checks, bounds, deadlines or redaction. Ours is the whole loop: the
adapter, the router with validated arguments, threads, events, numbered sources; all but Firestore.

The provider is a process of its own on loopback, which answers at once, so that none of its work
counts. CPU is user and system time of all threads of this process (`time.process_time`), by run,
once a client is there: the first runs are thrown away. The two alternate, so that a busy moment
strikes both; compared are medians, as a ratio. Streamed is compared with streamed, plain with
plain. The long answer is a text of 2,000 pieces, streamed: CPU for each piece.

`measure_flat` runs the same conversation, from choosing the tools to the answer, in registries of 5
and of 500 tools, of which the same five are offered.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest import mock

from msgspec.structs import replace
from rich.table import Table

from rollcall.agent.budget import Budget
from rollcall.agent.loop import run
from rollcall.agent.router import Router
from rollcall.agent.run_setup import RunContext, new_turn
from rollcall.agent.turn import Turn
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext, User
from rollcall.core.messages import UserMessage
from rollcall.core.profile import AgentProfile
from rollcall.models.base import load_model
from rollcall.registry.entries import Entry
from rollcall.registry.snapshot import Snapshot
from tests.benchmarks.loops import sdk_loops
from tests.benchmarks.loops.capabilities import ANSWER, FUNCTIONS, QUESTION
from tests.benchmarks.loops.provider import provider
from tests.support.catalogs import catalog
from tests.support.registries import registry_documents, registry_of, tool
from tests.support.scripted_turn import MemoryJournal, turn

ROUNDS, LONG_ROUNDS, FLAT_ROUNDS = 20, 4, 60
WARM_UP = 2
LONG_PIECES = 2_000
USER = User("ann")
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass
class Pair:
    """Two implementations of the same conversation, and the seconds of each in each round."""

    name: str
    hand: Callable[[], str]
    ours: Callable[[], str]
    cpu_s: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    wall_s: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))

    def play(self, rounds: int, answer: str) -> None:
        """Run both in turn, `rounds` times."""
        for number in range(WARM_UP + rounds):
            for place, work in enumerate((self.hand, self.ours)):
                began, cpu = time.perf_counter(), time.process_time()
                text = work()
                cpu, wall = time.process_time() - cpu, time.perf_counter() - began
                if text != answer:
                    raise RuntimeError(f"{self.name}: another answer: {text[:200]!r}")
                if number >= WARM_UP:
                    self.cpu_s[place].append(cpu)
                    self.wall_s[place].append(wall)

    def ratio(self) -> tuple[float, float, float]:
        """Medians of both, s of CPU, and how the second compares with the first."""
        hand, ours = map(statistics.median, self.cpu_s)
        return hand, ours, ours / hand

    def wall_ratio(self) -> float:
        """The same of time as it passes."""
        hand, ours = map(statistics.median, self.wall_s)
        return ours / hand


def measure() -> Table:
    """Play the conversation on each API, plain and streamed, and read a long answer."""
    title = f"CPU of a run over a loop by hand on the bare SDK, medians of {ROUNDS}"
    table = Table(title=title)
    for column in ("run", "by hand", "Rollcall", "ratio", "ratio of time"):
        table.add_column(column, justify="left" if column == "run" else "right")
    with _provider():
        for pair in _conversations():
            pair.play(ROUNDS, ANSWER)
            _add(table, pair, "ms", 1_000)
        for pair in _long_answers():
            pair.play(LONG_ROUNDS, "word " * LONG_PIECES)
            _add(table, pair, "µs a piece", 1_000_000 / LONG_PIECES)
    return table


def measure_flat() -> Table:
    """Play the conversation in registries of 5 and of 500 tools."""
    title = f"CPU of a run, tools chosen and all, medians of {FLAT_ROUNDS}"
    table = Table(title=title)
    for column in ("run", "5 registered", "500 registered", "ratio", "ratio of time"):
        table.add_column(column, justify="left" if column == "run" else "right")
    own = registry_documents(_desk().values())
    others = [tool(f"report_{n}", f"Write report number {n} of the archive.") for n in range(495)]
    few, many = registry_of(*own), registry_of(*own, *others)
    with _provider():
        for name, streamed in (("OpenAI chat, plain", False), ("OpenAI chat, streamed", True)):
            works = [_chosen(registry, streamed=streamed) for registry in (few, many)]
            os.environ["OPENAI_API"] = "chat"
            pair = Pair(name, *works)
            pair.play(FLAT_ROUNDS, ANSWER)
            _add(table, pair, "ms", 1_000)
    return table


def _add(table: Table, pair: Pair, unit: str, factor: float) -> None:
    hand, ours, ratio = pair.ratio()
    costs = (f"{cost * factor:.1f} {unit}" for cost in (hand, ours))
    table.add_row(pair.name, *costs, f"{ratio:.2f}", f"{pair.wall_ratio():.2f}")


def _conversations() -> Iterator[Pair]:
    forms: list[tuple[str, str, Callable[[str], str], bool]] = [
        ("OpenAI responses", "responses", sdk_loops.responses, False),
        ("OpenAI responses", "responses", sdk_loops.responses_streamed, True),
        ("OpenAI chat", "chat", sdk_loops.chat, False),
        ("OpenAI chat", "chat", sdk_loops.chat_streamed, True),
        ("Gemini", "", sdk_loops.gemini, False),
        ("Gemini", "", sdk_loops.gemini_streamed, True),
        ("Anthropic", "messages", sdk_loops.anthropic, False),
        ("Anthropic", "messages", sdk_loops.anthropic_streamed, True),
    ]
    for name, api, hand, streamed in forms:
        os.environ["OPENAI_API"] = api if api != "messages" else ""
        model = {"": "gemini:g", "messages": "anthropic:c"}.get(api, "openai:gpt-test")
        how = "streamed" if streamed else "plain"
        yield Pair(f"{name}, {how}", _by_hand(hand, model), _ours(model, streamed=streamed))


def _long_answers() -> Iterator[Pair]:
    name = f"long-{LONG_PIECES}"
    forms: list[tuple[str, str, Callable[[str], str], str]] = [
        ("OpenAI responses", "responses", sdk_loops.responses_streamed, f"openai:{name}"),
        ("OpenAI chat", "chat", sdk_loops.chat_streamed, f"openai:{name}"),
        ("Gemini", "", sdk_loops.gemini_streamed, f"gemini:{name}"),
        ("Anthropic", "", sdk_loops.anthropic_streamed, f"anthropic:{name}"),
    ]
    for title, api, hand, model in forms:
        os.environ["OPENAI_API"] = api
        yield Pair(f"{title}, a long answer", _by_hand(hand, model), _ours(model, streamed=True))


def _by_hand(loop: Callable[[str], str], model: str) -> Callable[[], str]:
    return lambda: loop(model.partition(":")[2])


def _ours(model: str, *, streamed: bool) -> Callable[[], str]:
    entries = {entry.id: entry for entry in registry_documents(_desk().values())}
    tools = tuple(entry.spec for entry in entries.values())
    asked = (UserMessage.of(QUESTION),)

    def work() -> str:
        made = turn(
            load_model(model),
            messages=asked,
            instructions=sdk_loops.INSTRUCTIONS,
            dispatch=_router(entries),
            streamed=streamed,
        )
        made = replace(made, request=replace(made.request, tools=tools))
        return _answer(made)

    return work


def _chosen(registry: Snapshot, *, streamed: bool) -> Callable[[], str]:
    """The whole of a run but Firestore: the tools chosen, the turn prepared, the loop."""
    profile = AgentProfile(
        id="desk",
        name={"en": "Desk"},
        instructions=sdk_loops.INSTRUCTIONS,
        tools=("*",),
        pinned=tuple(FUNCTIONS),
        models=("openai:gpt-test",),
    )

    def work() -> str:
        context = _context(registry, profile)
        chosen = context.choose_tools([])
        context = context.with_tools({**chosen, "offered": list(FUNCTIONS), "findsMore": False})
        nobody: Any = None
        made = new_turn(
            context,
            nobody,
            history=[UserMessage.of(QUESTION)],
            run_id="r1",
            deadline=time.monotonic() + 60,
            budget=Budget(),
            streamed=streamed,
        )
        well = replace(made.dispatch, health=dict)  # which is read from Firestore
        return _answer(replace(made, dispatch=well, journal=MemoryJournal()))

    return work


def _context(registry: Snapshot, profile: AgentProfile) -> RunContext:
    platform: Any = SimpleNamespace(catalog=catalog, db=None, text_model=None)
    return RunContext(
        platform=platform,
        user=USER,
        profile=profile,
        registry=registry,
        message=QUESTION,
        locale="en",
        now=NOW,
        client_context=None,
    )


def _router(entries: dict[str, Entry]) -> Router:
    platform: Any = SimpleNamespace(catalog=catalog)
    return Router(platform, ToolContext(USER, now=NOW), time.monotonic() + 60, dict(entries))


def _answer(made: Turn) -> str:
    steps = run(made)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            if failed := [each.error for each in end.value.calls if each.error]:
                raise RuntimeError(f"a tool failed: {failed[0]}") from None
            text: str = end.value.answer.text
            return text


@cache
def _desk() -> dict[str, Capability]:
    return {name: Capability.of(function) for name, function in FUNCTIONS.items()}


@contextmanager
def _provider() -> Iterator[None]:
    """The provider, and an environment that leads everybody to it."""
    with provider() as url, mock.patch.object(catalog, "find_capability", _desk().__getitem__):
        environment = {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "sk-bench-key",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GOOGLE_API_KEY": "",
            "GEMINI_API_KEY": "bench-key",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "bench-key",
        }
        with mock.patch.dict(os.environ, environment):
            yield
