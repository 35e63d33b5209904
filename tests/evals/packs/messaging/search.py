"""Whether search shows the messages that answer a question, and what that costs.

Asked as the demo user, over all of the sample company's conversations. `recall@k` is the mean
share of a question's messages among the first k, `found@k` the share of questions with at least
one of them there; the rank of the first counts into the MRR. Reads are documents that Firestore
bills for a search.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packs.messaging.search import search_all_conversations
from rollcall.core.context import ToolContext, User
from rollcall.core.text import language
from tests.evals.packs.messaging.company import Company
from tests.evals.report import EvalResult, mean, table
from tests.support.firestore_operations import count_operations

QUESTIONS = Path(__file__).parent / "sample_questions.json"
_PREFIX = "sample-"
_CUTS = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """A question, the messages that answer it, and those found, in order."""

    question: str
    wanted: frozenset[str]
    found: tuple[str, ...]
    reads: int

    def recall(self, cut: int) -> float:
        return len(self.wanted & set(self.found[:cut])) / len(self.wanted)

    @property
    def rank(self) -> int | None:
        """The place of the first message wanted, from 1."""
        places = [place for place, id in enumerate(self.found, start=1) if id in self.wanted]
        return places[0] if places else None


def measure(company: Company) -> EvalResult:
    """Search for every question of `sample_questions.json`."""
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))["questions"]
    searched, unmeasured = [], []
    for item in questions:
        wanted = frozenset(_PREFIX + id for id in item["messages"])
        if not wanted or not wanted <= company.messages.keys():
            unmeasured.append(f"{item['question']!r} asks for messages that are not there")
            continue
        try:
            searched.append(_search(company, item["question"], wanted))
        except Exception as error:
            unmeasured.append(f"{item['question']!r}: {type(error).__name__}: {error}")
    groups = {"all": searched} | {
        name: [item for item in searched if language(item.question) == name]
        for name in ("en", "he")
    }
    figures = {name: _figures(some) for name, some in groups.items()}
    kind = "words" if company.embedder is None else f"words and {company.embedder.id}"
    columns = [name for name in figures["all"] if name != "questions"]
    rows = [[name, *group.values()] for name, group in figures.items()]
    missed = [
        f"{item.question!r}: first one at {item.rank or 'none'}"
        for item in searched
        if item.rank is None or item.rank > _CUTS[-1]
    ]
    summary = table(f"Search by {kind}", ["", "questions", *columns], rows)
    return EvalResult([summary], dict(figures), notes=missed, unmeasured=unmeasured)


def _search(company: Company, question: str, wanted: frozenset[str]) -> SearchOutcome:
    ctx = ToolContext(User(company.asker), company)
    with count_operations() as cost:
        answer = search_all_conversations(ctx, query=question, limit=_CUTS[-1])
    found = tuple(result.message_id for result in answer.results)
    return SearchOutcome(question, wanted, found, cost.reads)


def _figures(searched: Sequence[SearchOutcome]) -> dict[str, Any]:
    figures: dict[str, Any] = {"questions": len(searched)}
    for cut in _CUTS:
        figures[f"recall@{cut}"] = mean([item.recall(cut) for item in searched])
    for cut in _CUTS:
        figures[f"found@{cut}"] = mean([float(item.recall(cut) > 0) for item in searched])
    figures["mrr"] = mean([1 / item.rank if item.rank else 0.0 for item in searched])
    figures["meanReads"] = mean([float(item.reads) for item in searched])
    return figures
