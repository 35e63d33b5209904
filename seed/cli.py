"""The command line of `python -m seed`: what is asked for, and what came of it as an exit code.

0: all good · 1: something could not be imported, everything else was · 2: nothing could be done
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rollcall.store.seeding import KINDS, Kind
from seed.loading import load_all
from seed.records import ID_CHARS, Unusable
from seed.screen import Screen
from seed.target import choose

_FORMATS = ("jsonl", "slack")


def run(arguments: Sequence[str]) -> int:
    """Read the command line, do it, and return the exit code."""
    options = _parser().parse_args(arguments)
    screen = Screen()
    try:
        target = choose(project=options.project, production=options.production, env=os.environ)
        screen.say(f"Writing to {target}")
        if options.command == "import":
            return _import(options, screen)
        kinds: frozenset[Kind] = frozenset({options.only}) if options.only else KINDS
        load_all(target, kinds, screen)
        return 0
    except Unusable as problem:
        screen.complain(str(problem))
        return 2
    except KeyboardInterrupt:
        screen.complain("stopped; run it again to go on where it was")
        return 130


def _import(options: argparse.Namespace, screen: Screen) -> int:
    from rollcall.agent.platform import deployment
    from seed.importing import Import
    from seed.reading import reader
    from seed.spool import Spool

    platform = deployment()
    with ExitStack() as stack:
        report = stack.enter_context(screen.problems(options.problems))
        job = Import(
            db=platform.db,
            user=options.user,
            source=options.format,
            report=report,
            embedder=platform.embedder,
            text_model=platform.text_model,
        )
        reading = reader(options.format, options.path, user=options.user, uids=dict(options.map))
        spool = stack.enter_context(Spool())
        with screen.bar("Reading", total=reading.size) as bar:
            outcome = job.gather(reading.items(bar.advance), spool)
        screen.start_clock()
        with screen.bar("Importing", total=spool.count()) as bar, screen.rejections():
            job.write(spool, outcome, bar.move_to)
    screen.imported(outcome)
    if not outcome.messages and not outcome.problems:
        raise Unusable(f"{options.path} holds no messages")
    return 1 if outcome.problems else 0


def _parser() -> argparse.ArgumentParser:
    target = argparse.ArgumentParser(add_help=False)
    target.add_argument("--project", help="project id; the emulator's where left out")
    target.add_argument(
        "--production", action="store_true", help="write to a real project, not to the emulator"
    )
    parser = argparse.ArgumentParser(
        prog="python -m seed",
        parents=[target],
        description="Load reference and sample data, the demo user and the registry.",
    )
    parser.add_argument("--only", choices=sorted(KINDS), help="load only data of this kind")
    commands = parser.add_subparsers(dest="command")
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
    return parser


def _uid(text: str) -> str:
    if not text.strip() or len(text) > ID_CHARS or "/" in text or not text.isprintable():
        raise argparse.ArgumentTypeError(f"a user id has 1 to {ID_CHARS} characters without '/'")
    return text


def _mapping(text: str) -> tuple[str, str]:
    slack_id, sign, uid = text.partition("=")
    if not sign or not slack_id:
        raise argparse.ArgumentTypeError(f"{text!r} is not SLACKID=UID")
    return slack_id, _uid(uid)
