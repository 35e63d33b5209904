"""Runs every benchmark and prints one table each: python -m tests.benchmarks [name ...]"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from tests.benchmarks import (
    cold_start,
    documents,
    firestore_cost,
    first_character,
    hops,
    inspection,
    loop_overhead,
    streams,
    tool_choice,
    tool_search,
    tool_vectors,
)

BENCHMARKS: dict[str, Callable[[], Table]] = {
    "cold_start": cold_start.measure,
    "loop_overhead": loop_overhead.measure,
    "loop_flat": loop_overhead.measure_flat,
    "streams": streams.measure,
    "first_character": first_character.measure,
    "firestore_cost": firestore_cost.measure,
    "hops": hops.measure,
    "intake": hops.measure_intake,
    "documents": documents.measure,
    "tool_choice": tool_choice.measure,
    "tool_search": tool_search.measure,
    "tool_vectors": tool_vectors.measure,
    "inspection": inspection.measure,
}


def main() -> None:
    wanted = sys.argv[1:] or list(BENCHMARKS)
    unknown = set(wanted) - set(BENCHMARKS)
    if unknown:
        raise SystemExit(f"no benchmark {sorted(unknown)}; there are {sorted(BENCHMARKS)}")
    logging.disable(logging.INFO)  # what functions say of each run is in nobody's table
    console = Console(width=110)
    for name in wanted:
        console.print(BENCHMARKS[name]())


if __name__ == "__main__":
    main()
