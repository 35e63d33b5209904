"""The tools that are offered for a teacher's requests, with all packs registered."""

from __future__ import annotations

from pathlib import Path

from packs.education.agents import EDUCATION
from tests.evals.registry.measure import ANYTHING, QueryResult, ask
from tests.evals.registry.queries import read_queries
from tests.evals.registry.tools import capability_documents, compile_registry
from tests.evals.report import EvalResult, share, table

QUERIES = Path(__file__).parent / "queries.jsonl"


def asked() -> dict[str, list[QueryResult]]:
    """What the teachers' agent, and an agent that may use anything, are offered for each request
    that they have a tool for."""
    registry, queries = compile_registry(capability_documents()), read_queries(QUERIES)
    own = [each for each in queries if each.gold <= set(EDUCATION.tools)]
    return {
        "education": ask(registry, EDUCATION, own),
        "anything": ask(registry, ANYTHING, queries),
    }


def offered_share(some: list[QueryResult]) -> float | None:
    """How often the right tool is among those that are offered."""
    return share(sum(each.query.gold <= each.offered for each in some), len(some))


def measure(model: str) -> EvalResult:
    """Choose tools for all requests; no model takes part."""
    figures = {}
    notes = []
    for agent, some in asked().items():
        hebrew = [each for each in some if each.query.language == "he"]
        figures[agent] = {
            "requests": len(some),
            "offered": offered_share(some),
            "hebrew": len(hebrew),
            "hebrewOffered": offered_share(hebrew),
            "tools": round(sum(len(each.offered) for each in some) / len(some), 1),
        }
        notes += [
            f"{agent}: {each.query.query!r} lacks {', '.join(each.query.gold)}"
            for each in some
            if not each.query.gold <= each.offered
        ]
    rows = [[name, *values.values()] for name, values in figures.items()]
    columns = ["", *next(iter(figures.values()))]
    return EvalResult([table("Teachers' requests", columns, rows)], figures, notes=notes)
