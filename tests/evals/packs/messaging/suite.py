"""What is measured of the messaging pack: over the sample company, and over recorded meetings.

MEETINGS=meetings.jsonl python -m tests.evals
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tests.evals.packs.messaging import extraction, search, tool_choice
from tests.evals.packs.messaging.company import open_company
from tests.evals.report import EvalResult, share, table
from tests.evals.scripts import failed_eval, run

_MEETINGS = re.compile(r"^(\d+) of (\d+) questions", re.MULTILINE)
_RATE = re.compile(r"imported (\d+) turns of (\d+) meetings at (\d+) a second")


def meetings(path: str) -> EvalResult:
    """Questions about meetings, by search_all_conversations: the share in the top 10."""
    printed = run("tests.evals.packs.messaging.meetings", path)
    rate, found = _RATE.search(printed), _MEETINGS.search(printed)
    if not rate or not found:
        return failed_eval("the command", printed)
    figures = {
        "turns": int(rate[1]),
        "meetings": int(rate[2]),
        "turnsPerSecond": int(rate[3]),
        "questions": int(found[2]),
        "found@10": int(found[1]),
        "share": share(int(found[1]), int(found[2])),
    }
    return EvalResult([table("Meetings", list(figures), [list(figures.values())])], figures)


EVALS: dict[str, Callable[[str], EvalResult]] = {
    "search": lambda model: search.measure(open_company(model)),
    "extraction": lambda model: extraction.measure(open_company(model)),
    "tool_choice": lambda model: tool_choice.measure(open_company(model)),
}
"""By name; each is given the model to measure."""

if _path := os.environ.get("MEETINGS"):
    EVALS["meetings"] = lambda model: meetings(_path)
