"""`python -m seed import`: imports a user's own conversations."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from seed.errors import UnusableInput
from seed.messaging.records import ID_CHARS, Problem
from seed.screen import Screen
from seed.target import app_platform

if TYPE_CHECKING:
    from seed.messaging.imports import Outcome

SHOWN_PROBLEMS = 50
_FORMATS = ("jsonl", "slack")


def add_to(commands: Any, *, target: argparse.ArgumentParser) -> None:
    """Add the subcommand; `target` has the options of where to write."""
    own = commands.add_parser(
        "import", parents=[target], help="import your own conversations; see docs/import.md"
    )
    own.add_argument("path", type=Path, help="a .jsonl file; a Slack export's folder or zip")
    own.add_argument("--format", choices=_FORMATS, required=True)
    own.add_argument(
        "--as", dest="user", metavar="UID", type=_uid, required=True, help="whose they are"
    )
    own.add_argument(
        "--map",
        type=_mapping,
        action="extend",
        nargs="+",
        default=[],
        metavar="SLACKID=UID",
        help="which user a Slack user is here; repeat or list",
    )
    own.add_argument(
        "--problems", type=Path, help="write every problem to this file, as JSON Lines"
    )
    own.set_defaults(run=run)


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Import the path of the options; return 1 if something could not be imported, otherwise 0.

    Raises:
        UnusableInput: Nothing could be done.
    """
    from seed.messaging.formats import open_input
    from seed.messaging.imports import Import
    from seed.messaging.spool import Spool

    platform = app_platform()
    with ExitStack() as stack:
        report = stack.enter_context(_problems(screen, options.problems))
        job = Import(
            db=platform.db,
            user=options.user,
            source=options.format,
            report=report,
            embedder=platform.embedder,
            text_model=platform.text_model,
        )
        reading = open_input(
            options.format, options.path, user=options.user, uids=dict(options.map)
        )
        spool = stack.enter_context(Spool())
        with screen.bar("Reading", total=reading.size) as bar:
            outcome = job.gather(reading.items(bar.advance), spool)
        began = time.monotonic()
        with screen.bar("Importing", total=spool.count()) as bar, screen.translate_errors():
            job.write(spool, outcome, bar.move_to)
    _show(screen, outcome, seconds=time.monotonic() - began)
    if not outcome.messages and not outcome.problems:
        raise UnusableInput(f"{options.path} holds no messages")
    return 1 if outcome.problems else 0


@contextmanager
def _problems(screen: Screen, path: Path | None) -> Iterator[Callable[[Problem], None]]:
    """Report problems as they come: the first ones on the screen, all in a file if asked."""
    count = 0
    try:
        file = path.open("w", encoding="utf-8") if path else None
    except OSError as error:
        raise UnusableInput(f"{path} cannot be written: {error.strerror}") from error

    def report(problem: Problem) -> None:
        nonlocal count
        count += 1
        if count <= SHOWN_PROBLEMS:
            screen.print_error(f"{problem.place}: {problem.reason}")
        if file:
            line = {"place": problem.place, "reason": problem.reason}
            file.write(json.dumps(line) + "\n")

    try:
        yield report
    finally:
        if file:
            file.close()
        if count > SHOWN_PROBLEMS:
            where = f"all in {path}" if path else "--problems <file> keeps all"
            screen.print_error(f"... and {count - SHOWN_PROBLEMS:,} more; {where}")


def _show(screen: Screen, outcome: Outcome, *, seconds: float) -> None:
    """Show the counts of an import, its rate and its peak memory."""
    table = Table("", show_header=False)
    table.add_column(justify="right")
    rows = {
        "Conversations": outcome.conversations,
        "Messages new": outcome.added,
        "Messages changed": outcome.changed,
        "Messages unchanged": outcome.unchanged,
        "Not imported": outcome.problems,
    }
    for name, count in [*rows.items(), *sorted(outcome.notes.items())]:
        table.add_row(name, f"{count:,}")
    screen.show(table)
    seconds = max(seconds, 1e-9)
    screen.say(
        f"{outcome.messages:,} messages in {seconds:,.1f} s, "
        f"{outcome.messages / seconds:,.0f} a second; peak memory {_peak_mb():,.0f} MB"
    )


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def _uid(text: str) -> str:
    if not text.strip() or len(text) > ID_CHARS or "/" in text or not text.isprintable():
        raise argparse.ArgumentTypeError(f"a user id has 1 to {ID_CHARS} characters without '/'")
    return text


def _mapping(text: str) -> tuple[str, str]:
    slack_id, sign, uid = text.partition("=")
    if not sign or not slack_id:
        raise argparse.ArgumentTypeError(f"{text!r} is not SLACKID=UID")
    return slack_id, _uid(uid)
