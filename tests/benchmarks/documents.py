"""What reading a document of 500 dense pages takes: memory, CPU time, Firestore operations; and
what a search over it reads.

Memory is sampled: that of this process and of the one that reads the file, together. It is compared
with a function's 512 MB, of which this process, with the test's own libraries, has more than a
function has.
"""

from __future__ import annotations

import os
import random
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client
from rich.table import Table

from dev.emulators import running
from tests.support.firestore_operations import count_operations
from tests.support.knowledge import ANN, Library
from tests.support.pdfs import Line, pdf

PAGES, LINES, WORDS_A_LINE = 500, 40, 12
_EVERY_S = 0.05


def measure() -> Table:
    """Upload, read and search one document, on the emulator."""
    if "FIRESTORE_EMULATOR_HOST" in os.environ:
        return _measure()
    with running():
        return _measure()


def _measure() -> Table:
    db = Client(project=f"demo-bench-{os.getpid()}", credentials=AnonymousCredentials())
    library = Library(db)
    id = library.upload(ANN, _dense(), "dense.pdf")
    idle = _rss_mb(os.getpid())
    before = time.process_time()
    with count_operations() as reading, _peak() as peak:
        library.run_queue()
    own_s = time.process_time() - before
    child_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with count_operations() as first:
        library.search(ANN, "section 77")
    with count_operations() as second:
        library.search(ANN, "section 78")
    current = library.record(id)["current"]
    table = Table(title=f"A document of {current['pages']} pages, {current['passages']} passages")
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_row("memory before, MB", f"{idle:.0f}")
    table.add_row("memory at most, both processes, MB", f"{peak[0]:.0f}")
    table.add_row("of it the reading process, MB", f"{peak[1]:.0f}")
    table.add_row("CPU, reading process and indexing, s", f"{child_s:.1f} + {own_s:.1f}")
    table.add_row("Firestore reads and writes", f"{reading.reads} and {reading.writes}")
    table.add_row("reads of the first and the next search", f"{first.reads} and {second.reads}")
    return table


def _dense() -> bytes:
    rng = random.Random(5)
    letters = "abcdefghijklmnoprstuvw"
    known = ["".join(rng.choices(letters, k=rng.randint(3, 11))) for _ in range(8_000)]
    often = [1 / (rank + 20) for rank in range(len(known))]
    pages: list[list[Line]] = []
    for number in range(1, PAGES + 1):
        lines = [" ".join(rng.choices(known, often, k=WORDS_A_LINE)) + "." for _ in range(LINES)]
        pages.append([(f"{number}.1 Section {number}", 14), *lines])
    return pdf(pages)


@contextmanager
def _peak() -> Iterator[list[float]]:
    """The most memory, MB, that this process and its children had at once; and the children."""
    peak = [0.0, 0.0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY_S):
            children = sum(map(_rss_mb, _children()))
            peak[0] = max(peak[0], _rss_mb(os.getpid()) + children)
            peak[1] = max(peak[1], children)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def _children() -> list[int]:
    """The processes that read; one that is only being started still shows this one's memory."""
    tasks = Path("/proc/self/task").glob("*/children")
    started = [int(pid) for task in tasks for pid in task.read_text().split()]
    return [pid for pid in started if _reads(pid)]


def _reads(pid: int) -> bool:
    try:
        return b"rollcall.knowledge.reader" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _rss_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0.0
    return pages * resource.getpagesize() / 1e6
