"""Which tools are called for a question, and whether the answer cites its sources.

Every question of `questions.jsonl` is a thread of its own, sent to `run_agent` in this process as
the demo user. A question is right when all tools it must call were called and none it must not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rollcall.core.context import Call, User
from rollcall.endpoints.run_agent import run_agent
from tests.evals.packs.messaging.cases import Case, read_cases
from tests.evals.packs.messaging.company import Company
from tests.evals.report import EvalResult, mean, share, table

_MARK = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_MODEL = "ROLLCALL_MODEL"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A question and the run's result, or the error that ended it."""

    case: Case
    result: dict[str, Any]
    error: str = ""

    @property
    def called(self) -> list[str]:
        return [call["tool"] for call in self.result.get("toolCalls", [])]

    @property
    def mistakes(self) -> list[str]:
        return self.case.mistakes(self.called)

    @property
    def lacks_sources(self) -> bool:
        """Whether the answer should cite a message and does not."""
        return self.case.wants_sources and not self.marks

    @property
    def marks(self) -> set[int]:
        """The numbers of sources in the answer's text."""
        found = _MARK.findall(self.result.get("message", ""))
        return {int(number) for numbers in found for number in numbers.split(",")}


def measure(company: Company) -> EvalResult:
    """Ask every question once."""
    with _model(company.model):
        asked = [_ask(company, case) for case in read_cases()]
    broken = [f"{item.case.id}: {item.error}" for item in asked if item.error]
    done = [item for item in asked if not item.error]
    groups = {"all": done}
    groups |= {name: _where(done, language=name) for name in ("en", "he")}
    kinds = dict.fromkeys(item.case.kind for item in asked)
    groups |= {kind: [item for item in done if item.case.kind == kind] for kind in kinds}
    figures = {name: _figures(company, some) for name, some in groups.items()}
    return EvalResult(
        tables=[_table(company, figures)],
        figures={
            "model": company.model,
            **figures,
            "wrong": _wrong(done),
            "uncited": [item.case.id for item in done if item.lacks_sources],
        },
        notes=[_in_words(item) for item in done if item.mistakes or item.lacks_sources],
        unmeasured=broken,
    )


@contextmanager
def _model(name: str) -> Iterator[None]:
    """Have `run_agent` use this model, whatever keys the environment holds."""
    before = os.environ.get(_MODEL)
    os.environ[_MODEL] = name
    try:
        yield
    finally:
        os.environ.pop(_MODEL)
        if before is not None:
            os.environ[_MODEL] = before


def _ask(company: Company, case: Case) -> RunOutcome:
    call = Call(User(company.asker), {"agent": "messaging", "message": case.question})
    events = run_agent(company, call)
    try:
        while True:
            next(events)
    except StopIteration as end:
        return RunOutcome(case, end.value)
    except Exception as error:
        return RunOutcome(case, {}, f"{type(error).__name__}: {error}")


def _where(asked: Sequence[RunOutcome], *, language: str) -> list[RunOutcome]:
    return [item for item in asked if item.case.language == language]


def _figures(company: Company, asked: Sequence[RunOutcome]) -> dict[str, Any]:
    to_cite = [item for item in asked if item.case.wants_sources]
    sources = [source for item in asked for source in item.result.get("citations", [])]

    def count(some: Sequence[RunOutcome], test: Callable[[RunOutcome], bool]) -> int:
        return sum(map(test, some))

    return {
        "questions": len(asked),
        "right": count(asked, lambda item: not item.mistakes),
        "rightShare": share(count(asked, lambda item: not item.mistakes), len(asked)),
        "meanSteps": mean([item.result["steps"] for item in asked]),
        "meanCalls": mean([len(item.called) for item in asked]),
        "failedCalls": sum(_failed_calls(item) for item in asked),
        "stopped": count(asked, lambda item: "stopReason" in item.result),
        "needCitations": len(to_cite),
        "citedShare": share(count(to_cite, lambda item: not item.lacks_sources), len(to_cite)),
        "strayMarks": sum(len(item.marks - _numbers(item)) for item in asked),
        "citations": len(sources),
        "citationsThatExist": sum(_exists(company, source) for source in sources),
    }


def _failed_calls(item: RunOutcome) -> int:
    return sum(call["status"] != "done" for call in item.result.get("toolCalls", []))


def _numbers(item: RunOutcome) -> set[int]:
    return {source["n"] for source in item.result.get("citations", [])}


def _exists(company: Company, source: dict[str, Any]) -> bool:
    """Whether a citation names a readable message, in its conversation, which the asker is in."""
    message = company.messages.get(source.get("messageId", ""))
    if message is None or message.encrypted:
        return False
    talk = company.talk_of[message.id]
    return talk.id == source.get("conversationId") and company.asker in talk.participant_ids


def _wrong(asked: Sequence[RunOutcome]) -> list[dict[str, Any]]:
    return [
        {"id": item.case.id, "called": item.called, "mistakes": item.mistakes}
        for item in asked
        if item.mistakes
    ]


def _in_words(item: RunOutcome) -> str:
    called = ", ".join(item.called) or "nothing"
    found = [*item.mistakes, *(["cites nothing"] if item.lacks_sources else [])]
    return f"{item.case.id} {item.case.question!r} called {called}: {'; '.join(found)}"


_COLUMNS = {
    "questions": "questions",
    "right": "right",
    "rightShare": "share",
    "meanSteps": "steps",
    "meanCalls": "calls",
    "failedCalls": "failed calls",
    "citedShare": "cite a source",
    "strayMarks": "stray marks",
}


def _table(company: Company, figures: dict[str, dict[str, Any]]) -> Any:
    every = figures["all"]
    exist = f"{every['citationsThatExist']} of {every['citations']} citations name a message"
    rows = [[name, *(group[key] for key in _COLUMNS)] for name, group in figures.items()]
    made = table(f"Choosing tools with {company.model}", ["", *_COLUMNS.values()], rows)
    made.caption = exist + " that is there and the asker's to read"
    return made
