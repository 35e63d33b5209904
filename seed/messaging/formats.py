"""The formats that conversations are imported from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from seed.errors import UnusableInput
from seed.messaging.jsonl import read_jsonl
from seed.messaging.records import Item
from seed.messaging.slack import count_days, read_slack


@dataclass(frozen=True, slots=True)
class Input:
    """An input: its size in the units of its importer, and a function that yields its items and
    reports progress in these units."""

    size: int
    items: Callable[[Callable[[int], None]], Iterator[Item]]


def open_input(format: str, path: Path, *, user: str, uids: Mapping[str, str]) -> Input:
    """Open a path in one of the formats.

    Raises:
        UnusableInput: The path cannot be read in this format.
    """
    if format == "slack":
        return Input(
            count_days(path),
            lambda on_read: read_slack(path, user=user, uids=uids, on_read=on_read),
        )
    if not path.is_file():
        raise UnusableInput(f"{path}: no such file")
    return Input(path.stat().st_size, lambda on_read: read_jsonl(path, on_read=on_read))
