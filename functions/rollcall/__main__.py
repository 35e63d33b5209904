"""The command line: what can be asked for, which function does it, and how it is run.

`python -m rollcall sync` publishes what code declares; `python -m rollcall -h` lists the rest.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any

from rollcall.commands.app import find_app
from rollcall.commands.place import Place, choose
from rollcall.core.errors import FAILED, AgentError, Problem
from rollcall.core.shapes import Role, Status

_STATUSES = [status.value for status in Status]
_ROLES = [role.value for role in Role]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for; where that is not known, the program ends with the subcommand's usage."""
    options, unknown = parser().parse_known_args(arguments)
    if unknown:
        options.wrong(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def parser() -> argparse.ArgumentParser:
    """`python -m rollcall sync` and `python -m rollcall registry <subcommand>`."""
    top = argparse.ArgumentParser(
        prog="python -m rollcall",
        description="Develop an app with Rollcall, try its deployment, and operate its registry.",
        epilog="exit codes: 0 done, 1 a check or the command failed, 2 wrong usage",
    )
    commands = top.add_subparsers(required=True, metavar="command")
    _add_init(commands)
    _add_dev(commands)
    _add_ask(commands)
    _add_call(commands)
    _add_smoke(commands)
    _add_sync(commands)
    _add_rules(commands)
    _add_check(commands)
    _add_types(commands)
    registry = commands.add_parser("registry", help="show and change the registry")
    _add_registry(registry.add_subparsers(required=True, metavar="subcommand"))
    return top


def _add_dev(commands: Any) -> None:
    what = "run the app on the emulators and load its changes"
    dev = _command(commands, "dev", "dev.run", what)
    dev.set_defaults(is_local=True)


def _add_ask(commands: Any) -> None:
    what = "send a message to an agent on the running emulators"
    ask = _command(commands, "ask", "ask.run", what)
    ask.epilog = (
        "exit codes: 0 answered, 1 it failed, 2 wrong usage, 3 something waits for a person"
    )
    ask.add_argument("message", help="in quotation marks")
    ask.add_argument("--agent", help="its id; not needed where the app has one agent")
    ask.add_argument("--thread", metavar="ID", help="continue this thread")
    decision = ask.add_mutually_exclusive_group()
    yes, no = "approve whatever waits", "reject whatever waits"
    decision.add_argument("--yes", dest="decision", action="store_const", const=True, help=yes)
    decision.add_argument("--no", dest="decision", action="store_const", const=False, help=no)
    _add_user(ask)
    ask.set_defaults(is_local=True)


def _add_call(commands: Any) -> None:
    what = "call a function on the running emulators"
    call = _command(commands, "call", "ask.call", what)
    call.add_argument("function", help="its name, such as list_capabilities")
    call.add_argument("data", nargs="?", type=_json, default={}, help="JSON; {} if left out")
    _add_user(call)
    call.set_defaults(is_local=True)


def _add_user(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--as",
        dest="user",
        metavar="USER",
        default="developer",
        help="an e-mail address or a user's id, who is made if need be; developer if left out",
    )


def _add_smoke(commands: Any) -> None:
    what = (
        "prove that a deployment works: sign-in, a run, an approval, rules, indexes, queue, clock"
    )
    smoke = _command(commands, "smoke", "smoke.run", what, json=True)
    smoke.add_argument("--model", metavar="PROVIDER:NAME", help="the model that has to answer")
    smoke.add_argument("--api-key", metavar="KEY", help="the project's web API key")
    smoke.add_argument("--region", help="where the functions run; ROLLCALL_REGION if left out")
    smoke.add_argument("--agent", help="the agent to ask; the first one if left out")


def _add_registry(commands: Any) -> None:
    _add_list(commands)
    show = _command(commands, "show", "registry.show.run", "all that is known of one", json=True)
    show.add_argument("id", help="a capability's id, or agents/<id>")
    _add_sync(commands)
    disable = _command(
        commands, "disable", "registry.overrides.disable", "disable a capability or an agent"
    )
    disable.add_argument("id", help="a capability's id, or agents/<id>")
    disable.add_argument("--reason", help="why; kept with the override")
    enable = _command(
        commands, "enable", "registry.overrides.enable", "undo disable, or set another status"
    )
    enable.add_argument("id", help="a capability's id, or agents/<id>")
    enable.add_argument("--status", choices=_STATUSES[:-1], help="set this one instead")
    _add_search(commands)
    _command(commands, "doctor", "doctor.command.run", "check a project", json=True)
    _add_usage(commands)
    _add_enrich(commands)


def _add_init(commands: Any) -> None:
    what = "make an app, or add Rollcall to an existing one"
    init = commands.add_parser("init", help=what, description=f"{what[0].upper()}{what[1:]}.")
    init.add_argument(
        "dir",
        nargs="?",
        help="the app's folder; otherwise this one, or that of firebase.json above",
    )
    init.add_argument(
        "--prefix", help='prefix of the platform\'s own names, such as "rc": rc_run_agent'
    )
    init.add_argument("--yes", action="store_true", help="write without asking")
    init.set_defaults(run=_later("init.command.run"), wrong=init.error, is_local=True)


def _add_sync(commands: Any) -> None:
    sync = _command(
        commands, "sync", "sync.run", "publish what code declares to Firestore", json=True
    )
    sync.add_argument("--dry-run", action="store_true", help="only say what would be written")


def _add_rules(commands: Any) -> None:
    what = "compose firestore.rules and firestore.indexes.json"
    rules = commands.add_parser("rules", help=what, description=f"{what.capitalize()} of the app.")
    rules.add_argument("--check", action="store_true", help="only say whether they are up to date")
    rules.set_defaults(run=_later("rules.run"), wrong=rules.error, is_local=True)


def _add_check(commands: Any) -> None:
    what = "check the definitions of capabilities and agents"
    check = commands.add_parser("check", help=what, description=f"{what.capitalize()}.")
    check.set_defaults(run=_later("sync.check"), wrong=check.error, is_local=True)


def _add_types(commands: Any) -> None:
    what = "write the capabilities as TypeScript for the JavaScript client"
    types = commands.add_parser("types", help=what, description=f"{what.capitalize()}.")
    types.add_argument("file", nargs="?", help="where to; rollcall.d.ts in the app's folder")
    types.add_argument("--check", action="store_true", help="only say whether it is up to date")
    types.set_defaults(run=_later("types.run"), wrong=types.error, is_local=True)


def _add_list(commands: Any) -> None:
    list_ = _command(commands, "list", "registry.list.run", "what is registered", json=True)
    list_.add_argument("--status", choices=[*_STATUSES, "refused"])
    list_.add_argument("--agent", help="those that this agent names")
    list_.add_argument("--locale", choices=["en", "he"], default="en", help="of the names shown")


def _add_search(commands: Any) -> None:
    search = _command(
        commands,
        "search",
        "registry.search.run",
        "what a run would be offered for a message",
        json=True,
    )
    search.add_argument("text", help="the message, in quotation marks")
    search.add_argument("--agent", help="this agent's tools; all where left out")
    search.add_argument("--role", choices=_ROLES, default=Role.USER.value)
    search.add_argument("--tenant")
    search.add_argument("--locale", choices=["en", "he"], default="en", help="of the names shown")


def _add_usage(commands: Any) -> None:
    usage = _command(
        commands, "usage", "registry.usage.run", "what was offered, called and paid", json=True
    )
    usage.add_argument("--days", type=_days, default=7, help="how far back; 7 where left out")
    usage.add_argument("--agent")


def _add_enrich(commands: Any) -> None:
    enrich = _command(
        commands,
        "enrich",
        "registry.enrich.run",
        "have a model write what users would say",
        json=True,
    )
    enrich.add_argument("--only", metavar="ID", action="append", help="only this one; repeatable")
    enrich.add_argument("--force", action="store_true", help="also where phrases are up to date")
    enrich.add_argument("--dry-run", action="store_true", help="only say which would be written")


def _command(
    commands: Any, name: str, runs: str, help: str, *, json: bool = False
) -> argparse.ArgumentParser:
    """Add a subcommand; `runs` is `<module>.<function>` of `rollcall.commands`."""
    command: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help)
    command.add_argument("--project", help="project id; otherwise GCLOUD_PROJECT")
    if json:
        command.add_argument("--json", action="store_true", help="JSON instead of tables")
    command.set_defaults(run=_later(runs), wrong=command.error, is_local=False)
    return command


def _later(runs: str) -> Callable[..., int]:
    """Import a command's module when it is run: parsing needs none of it."""
    module, _, function = runs.rpartition(".")

    def run(*arguments: Any) -> int:
        found: int = getattr(import_module(f"rollcall.commands.{module}"), function)(*arguments)
        return found

    return run


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is not JSON: {error}") from error


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
        if isinstance(stream, TextIOWrapper):  # one that cannot hold Hebrew shows it as \u05d0
            stream.reconfigure(errors="backslashreplace")
    try:
        if options.is_local:  # it reads and writes files, and needs no project
            return int(options.run(options))
        place = choose(options.project, os.environ, find_app())
        code = int(options.run(place, options))
        sys.stdout.flush()  # here, where a reader who has left is known
        return code
    except Problem as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    except AgentError as error:
        print(error.message, error.hint or "", sep="\n", file=sys.stderr)
        return FAILED
    except (GoogleAPIError, GoogleAuthError) as error:
        print(_refusal(place, error), file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _refusal(place: Place, error: Exception) -> str:
    """What Google's libraries say, in one line and with what to look at."""
    words = " ".join(str(error).split())[:500]
    return f"Firestore did not do it ({place}): {words}\n`registry doctor` looks for the reason."


def _quieten() -> None:
    """Keep warnings off the screen: what they say of the registry, commands print themselves."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    logging.getLogger("rollcall").addHandler(handler)


if __name__ == "__main__":
    _quieten()
    sys.exit(main())
