"""The command line: its parser, and the dispatch of each subcommand to its function.

`python -m rollcall -h` lists the subcommands.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pkgutil import resolve_name
from typing import Any

from rollcall.commands.app import Place, choose, find_app
from rollcall.core.errors import FAILED, USAGE, AgentError, Problem
from rollcall.core.shapes import Role, Status
from rollcall.core.texts import clipped

_STATUSES = [status.value for status in Status]
_ROLES = [role.value for role in Role]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line. On an error the program exits with the subcommand's usage; without a
    subcommand it exits with a list of them."""
    options, unknown = parser().parse_known_args(arguments)
    if unknown:
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if "run" not in options:
        options.parser.print_help(sys.stderr)
        sys.exit(USAGE)
    return options


def parser() -> argparse.ArgumentParser:
    """Return the parser of `python -m rollcall`, with all subcommands."""
    top = argparse.ArgumentParser(
        prog="python -m rollcall",
        description="Develop an app with Rollcall, try its deployment, and operate its registry.",
        epilog="exit codes: 0 done, 1 a check or the command failed, 2 wrong usage",
    )
    top.set_defaults(parser=top)
    commands = top.add_subparsers(metavar="command")
    _add_app_commands(commands)
    _add_emulator_commands(commands)
    _add_project_commands(commands)
    what = "show, check and change the registry"
    registry = commands.add_parser("registry", help=what, description=_sentence(what))
    registry.set_defaults(parser=registry)
    _add_registry(registry.add_subparsers(metavar="subcommand"))
    return top


def _add_app_commands(commands: Any) -> None:
    """Add the commands that read and write an app's files, and need no project."""
    what = "make an app, or add Rollcall to an existing one"
    init = _command(commands, "init", "init.command:run", what, is_local=True)
    where = "the app's folder; otherwise this one, or that of firebase.json above"
    init.add_argument("dir", nargs="?", help=where)
    what = 'prefix of the platform\'s own names, such as "rc": rc_run_agent'
    init.add_argument("--prefix", help=what)
    what = "add the web app too; FOLDER is for its files, otherwise one in Hosting's"
    init.add_argument("--web", nargs="?", const="", metavar="FOLDER", help=what)
    init.add_argument("--yes", action="store_true", help="write without asking")

    what = "compose firestore.rules and firestore.indexes.json of the app"
    rules = _command(commands, "rules", "rules:run", what, is_local=True)
    rules.add_argument("--check", action="store_true", help="only say whether they are up to date")

    what = "check the definitions of capabilities and agents"
    _command(commands, "check", "sync:check", what, is_local=True)

    what = "write the capabilities as TypeScript for the JavaScript client"
    types = _command(commands, "types", "types:run", what, is_local=True)
    types.add_argument(
        "file", nargs="?", help="where to; rollcall.d.ts in the app's folder if left out"
    )


def _add_emulator_commands(commands: Any) -> None:
    """Add the commands that start the emulators, or call the app on them."""
    what = "run the app on the emulators and load its changes"
    dev = _command(commands, "dev", "dev:run", what, is_local=True)

    what = "send a message to an agent on the running emulators"
    ask = _command(commands, "ask", "ask:run", what, is_local=True)
    ask.epilog = (
        "exit codes: 0 answered, 1 it failed, 2 wrong usage, 3 something waits for a person"
    )
    ask.add_argument("message", help="what to say, in quotation marks")
    ask.add_argument("--agent", help="its id; not needed where the app has one agent")
    ask.add_argument("--thread", metavar="ID", help="continue this thread")
    decision = ask.add_mutually_exclusive_group()
    yes, no = "approve every write that waits", "reject every write that waits"
    decision.add_argument("--yes", dest="decision", action="store_const", const=True, help=yes)
    decision.add_argument("--no", dest="decision", action="store_const", const=False, help=no)

    what = "call a function on the running emulators"
    call = _command(commands, "call", "ask:call", what, is_local=True)
    call.add_argument("function", help="its name, such as list_capabilities")
    call.add_argument("data", nargs="?", type=_json, default={}, help="JSON; {} if left out")

    who = "an e-mail address or a user's id, who is made if need be; developer if left out"
    for command in (ask, call):
        command.add_argument(
            "--as", dest="user", metavar="USER", type=_user, default="developer", help=who
        )
    for command in (dev, ask, call):
        command.add_argument("--project", help="the emulators' project id; otherwise .firebaserc's")


def _add_project_commands(commands: Any) -> None:
    """Add the commands that try a project and publish to it."""
    what = (
        "prove that a deployment works: sign-in, a run, an approval, rules, indexes, queue, clock"
    )
    smoke = _command(commands, "smoke", "smoke:run", what, json=True, writes=True)
    smoke.add_argument("--model", metavar="PROVIDER:NAME", help="the model that has to answer")
    key = "the project's web API key; that of its first web app if left out"
    smoke.add_argument("--api-key", metavar="KEY", help=key)

    what = "publish what code declares to Firestore"
    sync = _command(commands, "sync", "sync:run", what, writes=True)
    sync.add_argument("--dry-run", action="store_true", help="only say what would be written")


def _add_registry(commands: Any) -> None:
    one = "a capability's id, or agents/<id>"

    what = "list the registered capabilities"
    list_ = _command(commands, "list", "registry.records:run", what, json=True)
    list_.add_argument("--status", choices=[*_STATUSES, "refused"], help="only those of this one")
    list_.add_argument("--agent", help="only those that this agent names")

    what = "show everything about a capability or an agent"
    show = _command(commands, "show", "registry.show:run", what, json=True)
    show.add_argument("id", help=one)

    what = "disable a capability or an agent"
    disable = _command(commands, "disable", "sync:disable", what, writes=True)
    disable.add_argument("id", help=one)
    disable.add_argument("--reason", help="why; kept with the override")

    what = "undo disable, or set another status"
    enable = _command(commands, "enable", "sync:enable", what, writes=True)
    enable.add_argument("id", help=one)
    enable.add_argument("--status", choices=_STATUSES[:-1], help="set this one instead")

    what = "show which tools a run would be offered for a message"
    search = _command(commands, "search", "registry.search:run", what, json=True)
    search.add_argument("text", help="the message, in quotation marks")
    search.add_argument("--agent", help="of this agent's tools; of all if left out")
    role = "of the user who says it; user if left out"
    search.add_argument("--role", choices=_ROLES, default=Role.USER.value, help=role)
    search.add_argument("--tenant", help="of the user who says it; none if left out")

    what = "check a project, and say how to fix what is wrong"
    _command(commands, "doctor", "doctor.command:run", what, json=True)

    what = "show what was offered, called and spent"
    usage = _command(commands, "usage", "registry.usage:run", what, json=True)
    usage.add_argument("--days", type=_days, default=7, help="how far back; 7 if left out")
    usage.add_argument("--agent", help="only what this agent did")

    what = "have a model write phrases by which each tool is found"
    _command(commands, "enrich", "registry.enrich:run", what, writes=True)


def _command(
    commands: Any,
    name: str,
    runs: str,
    help: str,
    *,
    json: bool = False,
    writes: bool = False,
    is_local: bool = False,
) -> argparse.ArgumentParser:
    """Add a subcommand.

    Args:
        runs: The function that runs it, `<module>:<function>` in `rollcall.commands`.
        json: Whether it has the option --json.
        writes: Whether it writes to the project, if --dry-run is not given.
        is_local: Whether it runs without a project's Firestore.
    """
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=help, description=_sentence(help)
    )
    if not is_local:
        project = "project id; otherwise GCLOUD_PROJECT, or the app's emulators if they run"
        command.add_argument("--project", help=project)
    if json:
        command.add_argument("--json", action="store_true", help="JSON instead of text")
    command.set_defaults(
        run=runs, parser=command, is_local=is_local, writes=writes, json=False, dry_run=False
    )
    return command


def _sentence(phrase: str) -> str:
    return f"{phrase[0].upper()}{phrase[1:]}."


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is not JSON: {error}") from error


def _user(text: str) -> str:
    is_user = re.fullmatch(r"[^@\s]+@[^@\s]+" if "@" in text else r".{1,128}", text)
    if is_user is None:
        raise argparse.ArgumentTypeError(f"{text!r} is neither an e-mail address nor a user's id")
    return text


def _days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 366:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days from 1 to 366")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run one subcommand, and return the exit code."""
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError

    options = parse(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an ASCII terminal then shows Hebrew as \u05d0
            stream.reconfigure(errors="backslashreplace")
    place: Place | None = None
    try:
        # The command's module is imported here: parsing needs none of it.
        run: Callable[..., int] = resolve_name(f"rollcall.commands.{options.run}")
        if options.is_local:
            return run(options)
        place = choose(options.project, os.environ, find_app())
        verb = "Writing to" if options.writes and not options.dry_run else "Reading"
        out = sys.stderr if options.json else sys.stdout  # stdout has only the JSON
        print(f"{verb} {place}", file=out, flush=True)
        code = run(place, options)
        sys.stdout.flush()  # here, where a BrokenPipeError is still caught
        return code
    except Problem as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    except AgentError as error:
        print(error.message, error.hint or "", sep="\n", file=sys.stderr)
        return FAILED
    except (GoogleAPIError, GoogleAuthError) as error:
        where = f" ({place})" if place else ""
        print(f"Firestore did not do it{where}: {clipped(str(error), 500)}", file=sys.stderr)
        print("`registry doctor` looks for the reason.", file=sys.stderr)
        return FAILED
    except (KeyboardInterrupt, EOFError):  # the second is Ctrl-D at a question
        return 130
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a file that cannot be read or written, a network that is down
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(clipped(what, 500), file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    # Only errors are shown: commands print the registry's warnings themselves.
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    logging.getLogger("rollcall").addHandler(handler)
    sys.exit(main())
