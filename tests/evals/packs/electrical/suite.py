"""The questions of an engineer that the tests answer by scripted calls, asked of a model.

A call counts as right if it is the one that the question's row names, or one of its `alsoRight`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.evals.planner.cases import Case
from tests.evals.planner.measure import count_verdicts, send_all
from tests.evals.report import EvalResult

QUESTIONS = Path(__file__).parents[3] / "emulator" / "packs" / "electrical" / "questions.jsonl"


def questions() -> list[Case]:
    """The questions as messages to the pack's agent, in the project that they are about."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Case(
            id=f"question-{number}",
            language=row["locale"],
            kind=row["tool"],
            agent="electrical",
            message=row["question"],
            right=(
                {"calls": [{"tool": row["tool"], "arguments": row["arguments"]}]},
                *row.get("alsoRight", ()),
            ),
            context={"projectId": row["project"]} if "project" in row else {},
            before=tuple(row.get("before", ())),
        )
        for number, row in enumerate(rows, 1)
    ]


def measure(model: str) -> EvalResult:
    """Ask every question once."""
    return count_verdicts(
        f"An electrical engineer's questions with {model}", model, send_all(questions(), model)
    )


EVALS: dict[str, Callable[[str], EvalResult]] = {"electrical_questions": measure}
