"""Which importer reads what, and how much there is to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from seed.errors import Unusable
from seed.messaging.jsonl import read_jsonl
from seed.messaging.records import Item
from seed.messaging.slack import count_days, read_slack


@dataclass(frozen=True, slots=True)
class Reading:
    """An input, its size as its importer counts, and its items, given how to report progress."""

    size: int
    items: Callable[[Callable[[int], None]], Iterator[Item]]


def reader(format: str, path: Path, *, user: str, uids: Mapping[str, str]) -> Reading:
    """Prepare to read a path in one of the formats.

    Raises:
        Unusable: It cannot be read in this format.
    """
    if format == "slack":
        return Reading(
            count_days(path),
            lambda on_read: read_slack(path, user=user, uids=uids, on_read=on_read),
        )
    if not path.is_file():
        raise Unusable(f"{path}: no such file")
    return Reading(path.stat().st_size, lambda on_read: read_jsonl(path, on_read=on_read))
