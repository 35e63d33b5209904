"""The evals' requests of teachers, and the least share that must be right."""

from __future__ import annotations

from collections import Counter

from packs.education.agents import EDUCATION
from rollcall.core.context import User
from rollcall.core.messages import UserMessage
from rollcall.core.shapes import Role
from rollcall.models.base import ModelRequest
from rollcall.models.offline import Model
from rollcall.registry.selection import ToolRequest, select
from rollcall.registry.snapshot import Snapshot
from tests.evals.packs.education.requests import QUERIES, asked, offered_share
from tests.evals.planner import cases
from tests.evals.planner.cases import Case, Reply, verdict
from tests.evals.registry.queries import read_queries
from tests.evals.registry.tools import capability_documents, compile_registry
from tests.support.catalogs import catalog
from tests.unit.models.planner.kit import message_of

BAR = 0.92
PLANNED = 0.9


def test_most_requests_are_hebrew() -> None:
    spoken = Counter(each.language for each in read_queries(QUERIES))
    assert spoken["he"] >= 3 * spoken["en"]


def test_the_right_tool_is_offered_with_all_packs_registered() -> None:
    for agent, some in asked().items():
        share = offered_share(some)
        assert share is not None and share >= BAR, agent


def reply_to(case: Case, registry: Snapshot) -> Reply:
    """What the offline planner does first, with the tools that its agent is offered."""
    wanted = ToolRequest(EDUCATION, User("demo", Role.TEACHER), case.message)
    chosen = select(registry, wanted).ids
    tools = tuple(registry.content.entries[id].spec for id in EDUCATION.tools if id in chosen)
    request = ModelRequest("", (UserMessage.of(case.message),), tools)
    made = message_of(list(Model().stream(request)))
    calls = tuple((each.name, dict(each.arguments or {})) for each in made.tool_calls)
    return Reply(calls, made.text, asks=made.text.rstrip().endswith("?"))


def test_teachers_requests_in_plain_words_call_their_tools_without_a_model() -> None:
    registry = compile_registry(capability_documents())
    defaults = {
        each.id: {
            name: of["default"]
            for name, of in each.json_schema["properties"].items()
            if "default" in of
        }
        for each in catalog.capabilities()
    }
    every = cases.read_cases(cases.PACKS.parent / "planner" / "teachers.jsonl")
    found = {each.id: verdict(each, reply_to(each, registry), defaults) for each in every}
    assert [id for id, each in found.items() if each == "wrong"] == []
    assert Counter(found.values())["right"] >= PLANNED * len(every), found
