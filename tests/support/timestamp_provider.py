"""A model provider in a process of its own, whose answers write a file with the time they began.

    with stamping_provider() as environment: ...

It speaks OpenAI's Responses format. The first delta of the arguments of `write_file` has the first
line of the content, which is the time it was sent at: `time.monotonic_ns()`, the same clock in all
processes of a machine, between two `@`. The rest follows at a pace.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from tests.support.provider_replies import call_item, responses
from tests.support.steady_provider import Handler, provider_process, serve

STAMP = re.compile(r"@(\d{20})@")
_EMPTY = b"@" + b"0" * 20 + b"@"
_DELTA_CHARS = 60
_PAUSE_S = 0.02
_CONTENT = f"{_EMPTY.decode()}\n" + f"{'A long line. ' * 30}\n" * 4
"""Of few lines: clients that show the last ones show the first as well."""
_ARGUMENTS = json.dumps({"path": "new.txt", "content": _CONTENT})


@contextmanager
def timestamp_provider() -> Iterator[dict[str, str]]:
    """Run the provider; yields the environment that points SDKs at it, without keys."""
    with provider_process("tests.support.timestamp_provider") as environment:
        yield environment


def stamps(text: str) -> list[int]:
    """The times in a text, ns."""
    return [int(found) for found in STAMP.findall(text)]


class _Handler(Handler):
    def chunks(self) -> Iterable[bytes]:
        stamp = b""
        for chunk in responses(call_item("write_file", _ARGUMENTS), size=_DELTA_CHARS).chunks:
            if _EMPTY in chunk:
                stamp = stamp or b"@%020d@" % time.monotonic_ns()
                chunk = chunk.replace(_EMPTY, stamp)
            yield chunk
            time.sleep(_PAUSE_S)


if __name__ == "__main__":
    serve(_Handler)
