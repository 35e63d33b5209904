"""Export of a thread as Markdown."""

from __future__ import annotations

from pathlib import Path

from rollcall_cli.problem import Problem
from rollcall_cli.store import Result, Store
from rollcall_cli.transcript import markdown


def thread_as_markdown(store: Store, thread_id: str) -> str:
    """Render a thread with all its runs.

    Raises:
        CallError: There is no such thread of the user.
    """
    thread, log = store.thread(thread_id), store.log(thread_id)
    results: dict[str, Result] = {}
    for run_id in dict.fromkeys(str(document["runId"]) for document in log):
        if (result := store.result(thread_id, run_id)) is not None:
            results[run_id] = result
    return markdown(thread, log, results)


def write(text: str, file: Path) -> None:
    """Write a new file.

    Raises:
        Problem: It exists, or cannot be written.
    """
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise Problem("file_exists", file=file) from None
    except OSError as error:
        raise Problem("unwritable", file=file, why=error.strerror) from error
