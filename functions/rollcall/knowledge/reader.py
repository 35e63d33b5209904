"""Reads files in a separate process with limited rights.

`read` starts `python -m rollcall.knowledge.reader KIND PATH` and yields its pages. That process
prints one JSON object per line: `{"pages": 12}`, then `{"page": 1, "text": ..., "large": [0]}` for
each page, and at last `{"done": true}` or `{"problem": "encrypted"}`. Before it opens the file it
limits its memory and time and gives up writing files; its environment holds no keys. So the worst
that a file can do is to end this process.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from rollcall.core.errors import InvalidArgument, Unavailable
from rollcall.core.extras import is_installed
from rollcall.core.text import decoded_text
from rollcall.core.texts import TEXTS
from rollcall.knowledge.pages import (
    MAX_CHARS,
    PROBLEMS,
    CannotRead,
    Page,
    cleaned,
    read_plain,
)

Kind = Literal["pdf", "docx", "text", "markdown"]

WALL_S = 400.0
"""How long reading one file may take, s."""
MEMORY_BYTES = 300_000_000
"""The memory limit of the process."""
CPU_S = 300
_FUNCTIONS = Path(__file__).parents[2]
_MAX_LINE_BYTES = 4_000_000

log = logging.getLogger("rollcall")


def read(kind: Kind, path: Path, *, seconds: float = WALL_S) -> Iterator[int | Page]:
    """Yield the number of pages of a file, and then each page.

    Raises:
        CannotRead: The file, or the rest of it, cannot be read.
    """
    if kind == "pdf" and not is_installed("pypdf"):
        raise CannotRead("no_reader")
    process = subprocess.Popen(
        [sys.executable, "-m", "rollcall.knowledge.reader", kind, str(path)],
        cwd=_FUNCTIONS,
        env={  # without the functions' variables, which hold keys
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        while line := process.stdout.readline(_MAX_LINE_BYTES):
            try:
                record = json.loads(line)
            except ValueError:
                break
            if not isinstance(record, dict):
                break
            if "pages" in record:
                yield int(record["pages"])
            elif "text" in record:
                yield Page(record["page"], record["text"], frozenset(record["large"]))
            elif record.get("problem") in PROBLEMS:
                raise CannotRead(record["problem"])
            elif record.get("done"):
                return
            else:
                break
        log.warning("the process that read a file ended without a last record")
        raise CannotRead("too_heavy")  # killed by its limits or the timer
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


def main() -> int:
    """Read a file in this process and print its pages."""
    _set_limits()
    try:
        _print_pages(sys.argv[1], Path(sys.argv[2]))
        _print({"done": True})
    except CannotRead as error:
        _print({"problem": error.problem})
    except (MemoryError, RecursionError):
        _print({"problem": "too_heavy"})
    return 0


def _set_limits() -> None:
    """Limit this process's memory, time and writing of files, as far as the system can."""
    if sys.platform == "win32":
        return
    import resource

    limits = {resource.RLIMIT_CPU: CPU_S, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if sys.platform == "linux":  # macOS accepts this limit but ignores it
        limits[resource.RLIMIT_AS] = MEMORY_BYTES
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))


def _print_pages(kind: str, path: Path) -> None:
    if not path.stat().st_size:
        raise CannotRead("empty")
    if kind == "pdf":
        from rollcall.knowledge.pdf import read_pdf

        pages = read_pdf(path)
    elif kind == "docx":
        from rollcall.knowledge.docx import read_docx

        pages = read_docx(path)
    else:
        pages = read_plain(path.read_bytes())
    total = 0
    for page in pages:
        if not isinstance(page, Page):
            _print({"pages": page})
            continue
        total += len(page.text)
        if total > MAX_CHARS:
            raise CannotRead("too_much_text")
        _print({"page": page.number, "text": page.text, "large": sorted(page.large)})


def _print(record: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


ATTACHED_CHARS = 200_000
"""How much of an attached PDF is read."""
ATTACHED_BYTES = 1_000_000
"""How much of an attached text is read."""
READ_S = 30.0
"""How long reading a PDF may take, and how long it waits for another to end."""

_one_at_a_time = Lock()
"""Held while a PDF is read: a reading process may need as much memory as this one."""


def text_of(content_type: str, content: bytes) -> str:
    """Return the text of an attached document, up to a limit; a PDF's has page numbers.

    Raises:
        InvalidArgument: It has no readable text; the message says why.
        Unavailable: Other documents are being read for too long.
    """
    if content_type != "application/pdf":
        end = ATTACHED_BYTES  # moved so that it does not divide a UTF-8 character
        while end < len(content) and content[end] & 0xC0 == 0x80 and end > ATTACHED_BYTES - 4:
            end -= 1
        text = decoded_text(content[:end])
        # In UTF-16 and UTF-32 the end may divide a character.
        return cleaned(text.rstrip("\ufffd") if end < len(content) else text)
    if not _one_at_a_time.acquire(timeout=READ_S):
        raise Unavailable(TEXTS.text("errors.reading_others"), retry_after_s=5)
    pages: list[str] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "attached.pdf"
            path.write_bytes(content)
            for each in read("pdf", path, seconds=READ_S):
                if isinstance(each, Page) and each.text.strip():
                    pages.append(f"[page {each.number}]\n{each.text.strip()}")
                if sum(map(len, pages)) > ATTACHED_CHARS:
                    break
        if not pages:
            raise CannotRead("no_text")
        return "\n\n".join(pages)
    except CannotRead as error:
        # The advice after the semicolon is for uploads and does not fit a message.
        raise InvalidArgument(error.reason()["en"].partition(";")[0]) from error
    finally:
        _one_at_a_time.release()


if __name__ == "__main__":
    sys.exit(main())
