"""Runs evals: python -m tests.evals [tool_choice] [registry] [extraction] [search] [...]

Offline and without keys, unless a model is named:

    --model gemini:<name>, or MODEL in the environment   ask a real model, with its key
    EMBEDDER=openai:<name>                               find tools by meaning too, with its key
    MEETINGS=<file.jsonl>, TRAFFIC=<folder>              run the evals over these as well
    TOKENS=<file.jsonl>                                  compare estimates of tokens with its counts
    PLANNER=<file.jsonl>                                 send the planner these messages instead
    JSON=1                                               all figures as the last line, as JSON

Exits with 1 when something could not be measured; no figure is too low.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from dev import problem
from rollcall.models.provider import OFFLINE
from tests.evals import scripts
from tests.evals.firestore import emulator
from tests.evals.planner import measure as planner
from tests.evals.registry import hebrew
from tests.evals.registry import measure as registry
from tests.evals.report import EvalResult

_PACKS = Path(__file__).parent / "packs"


def main() -> int:
    """Run the evals, print their results, and return 1 if something could not be measured."""
    evals = {
        **_evals_of_packs(),
        "registry": lambda model: registry.measure(),
        "hebrew": hebrew.measure,
        "planner": planner.measure,
        **scripts.configured_evals(),
    }
    options = _options(list(evals))
    logging.disable(logging.WARNING)
    console = Console(width=120)
    figures: dict[str, object] = {}
    unmeasured: list[str] = []
    with emulator():
        for name in options.evals:
            result = _measure(name, evals[name], options.model)
            _show(console, name, result)
            figures[name] = result.figures
            unmeasured += [f"{name}: {problem}" for problem in result.unmeasured]
    for line in unmeasured:
        console.print(f"[red]not measured:[/] {escape(line)}", soft_wrap=True)
    if os.environ.get("JSON") == "1":
        print(json.dumps({**figures, "unmeasured": unmeasured}, ensure_ascii=False))
    return 1 if unmeasured else 0


def _options(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.evals",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("evals", nargs="*", metavar="eval", help=f"out of {', '.join(names)}")
    parser.add_argument("--model", default=os.environ.get("MODEL") or OFFLINE)
    options = parser.parse_args()
    options.evals = list(dict.fromkeys(options.evals)) or names
    for name in set(options.evals) - set(names):
        parser.error(f"there is no eval {name!r}, or its data was not named; there are: {names}")
    return options


def _evals_of_packs() -> dict[str, Callable[[str], EvalResult]]:
    """The evals of each pack, from `packs/<pack>/suite.py`."""
    evals: dict[str, Callable[[str], EvalResult]] = {}
    for file in sorted(_PACKS.glob("*/suite.py")):
        evals |= import_module(f"tests.evals.packs.{file.parent.name}.suite").EVALS
    return evals


def _measure(name: str, eval: Callable[[str], EvalResult], model: str) -> EvalResult:
    try:
        return eval(model)
    except Exception as error:
        logging.getLogger("evals").exception("%s broke", name)
        return EvalResult([], {}, unmeasured=[f"{type(error).__name__}: {error}"])


def _show(console: Console, name: str, result: EvalResult) -> None:
    for table in result.tables:
        console.print(table)
    if result.notes:
        console.print(f"{name}, one by one:")
        for note in result.notes:
            console.print(f"  {escape(note)}", soft_wrap=True, highlight=False)
    console.print()


if __name__ == "__main__":
    problem.run(main)
