"""`python -m seed standards`: a school's own curriculum standards from JSON Lines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packs.education.courses import checked_id
from packs.education.curriculum import STANDARDS, Standard
from rollcall.core.errors import AgentError
from rollcall.core.inputs import validate
from seed.errors import UnusableInput
from seed.screen import Screen
from seed.target import app_platform

_AT_ONCE = 200
_MAX_BYTES = 20_000_000


def add_to(commands: Any, *, target: argparse.ArgumentParser) -> None:
    """Add the subcommand; `target` has the options of where to write."""
    own = commands.add_parser(
        "standards",
        parents=[target],
        help="import curriculum standards of your own; see docs/education.md",
    )
    own.add_argument("path", type=Path, help="a .jsonl file: a standard a line, with its id")
    own.set_defaults(run=run)


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Import the file: 1 where a line could not be imported, otherwise 0.

    Raises:
        UnusableInput: The file cannot be read, or has no standard in it.
    """
    good: dict[str, dict[str, Any]] = {}
    problems = 0
    for number, line in _lines(options.path):
        try:
            id, standard = read_line(line)
            if id in good:
                raise ValueError(f"the id {id!r} stands in an earlier line")
            good[id] = standard
        except (ValueError, AgentError) as error:
            problems += 1
            screen.print_error(f"line {number}: {error}")
    if not good:
        raise UnusableInput(f"{options.path} holds no standard that could be imported")
    db = app_platform().db
    ids = list(good)
    for start in range(0, len(ids), _AT_ONCE):
        batch = db.batch()
        for id in ids[start : start + _AT_ONCE]:
            batch.set(db.collection(STANDARDS).document(id), good[id])
        batch.commit()
    screen.say(f"{len(good):,} standards imported, {problems:,} not")
    return 1 if problems else 0


def read_line(line: str) -> tuple[str, dict[str, Any]]:
    """Return a line's id, and the standard as it is stored.

    Raises:
        ValueError: It is not JSON, or not an object.
        InvalidArgument: A field is wrong; says which and what is accepted.
    """
    data = json.loads(line)
    if not isinstance(data, dict) or not isinstance(data.get("id"), str):
        raise ValueError('has to be an object with an "id"')
    fields = {key: value for key, value in data.items() if key != "id"}
    standard = validate(Standard, fields, field="standard")
    stored = {**standard.model_dump(mode="json", by_alias=True), "schemaVersion": 1}
    return checked_id(data["id"], "standard", "id"), stored


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UnusableInput(f"{path} is larger than {_MAX_BYTES:,} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnusableInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnusableInput(f"{path} is not UTF-8: {error}") from error
    return ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())
