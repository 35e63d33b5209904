"""Runs every benchmark and prints one table each: python -m tests.benchmarks [name ...]"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks import (
    cold_start,
    documents,
    first_answer,
    loop_overhead,
    streams,
    tool_choice,
    tool_search,
    tool_vectors,
)

BENCHMARKS: dict[str, Callable[[], Table]] = {
    "cold_start": cold_start.measure,
    "loop_overhead": loop_overhead.measure,
    "first_answer": first_answer.measure,
    "loop_flat": loop_overhead.measure_flat,
    "streams": streams.measure,
    "documents": documents.measure,
    "tool_choice": tool_choice.measure,
    "tool_search": tool_search.measure,
    "tool_vectors": tool_vectors.measure,
}


def main() -> None:
    benchmarks = {**BENCHMARKS, **_benchmarks_of_packs()}
    wanted = sys.argv[1:] or list(benchmarks)
    unknown = set(wanted) - set(benchmarks)
    if unknown:
        raise SystemExit(f"no benchmark {sorted(unknown)}; there are {sorted(benchmarks)}")
    logging.disable(logging.INFO)  # what functions say of each run is in nobody's table
    console = Console(width=110)
    for name in wanted:
        console.print(benchmarks[name]())


def _benchmarks_of_packs() -> dict[str, Callable[[], Table]]:
    """What is measured of each pack, in `packs/<pack>/suite.py`."""
    benchmarks: dict[str, Callable[[], Table]] = {}
    for file in sorted(Path(__file__).parent.glob("packs/*/suite.py")):
        pack = import_module(f"tests.benchmarks.packs.{file.parent.name}.suite")
        benchmarks |= pack.BENCHMARKS
    return benchmarks


if __name__ == "__main__":
    main()
