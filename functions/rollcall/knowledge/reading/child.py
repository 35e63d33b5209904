"""Reads one file in a process of its own: python -m rollcall.knowledge.reading.child KIND PATH

It says what it finds on its standard output, a JSON object a line: `{"pages": 12}`, then
`{"page": 1, "text": ..., "large": [0]}` for each, and at last `{"done": true}` or
`{"problem": "encrypted"}`. Before it looks at the file it gives up the right to more memory and
time, and to writing files; the environment it is started with holds no keys. So the worst that a
file can do is to end this process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollcall.knowledge.reading.pages import MOST_CHARS, CannotRead, Page

MEMORY_BYTES = 300_000_000
CPU_S = 300


def main() -> int:
    kind, path = sys.argv[1], Path(sys.argv[2])
    _bound()
    try:
        for each in _read(kind, path):
            _say(each)
        _say({"done": True})
    except CannotRead as error:
        _say({"problem": error.problem})
    except (MemoryError, RecursionError):
        _say({"problem": "too_heavy"})
    return 0


def _bound() -> None:
    """Give up the right to more; systems that know no such bounds have none."""
    if sys.platform == "win32":
        return
    import resource

    wanted = {
        resource.RLIMIT_CPU: CPU_S,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform == "linux":  # macOS takes the number and goes on as before
        wanted[resource.RLIMIT_AS] = MEMORY_BYTES
    for which, most in wanted.items():
        resource.setrlimit(which, (most, most))


def _read(kind: str, path: Path) -> Iterator[dict[str, Any]]:
    total = 0
    for each in _pages(kind, path):
        if not isinstance(each, Page):
            yield {"pages": each}
            continue
        total += len(each.text)
        if total > MOST_CHARS:
            raise CannotRead("too_much_text")
        yield {"page": each.number, "text": each.text, "large": sorted(each.large)}


def _pages(kind: str, path: Path) -> Iterator[int | Page]:
    if not path.stat().st_size:
        raise CannotRead("empty")
    if kind == "pdf":
        from rollcall.knowledge.reading.pdf import read_pdf

        yield from read_pdf(path)
    else:
        from rollcall.knowledge.reading.plain import read_plain

        yield from read_plain(path.read_bytes())


def _say(what: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(what, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
