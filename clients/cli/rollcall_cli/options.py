"""The command line of `rollcall`, and its validation."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, get_args

from rollcall_cli import __version__
from rollcall_cli.preapproval import Preapproval
from rollcall_cli.workspace import Permission

USAGE = 64
"""The exit code for wrong usage."""

Command = Callable[[argparse.Namespace, Mapping[str, str]], int]
"""Takes the options and the environment; returns an exit code."""


class _Parser(argparse.ArgumentParser):
    """A parser that exits with `USAGE` on errors: 2 means that something waits."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def parser(commands: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser of the command line; its result has the command's function as `command`.

    Args:
        commands: The functions of the commands, by name.
    """
    parser = _Parser(prog="rollcall", description="Talk to Rollcall's agents.")
    parser.add_argument("--version", action="version", version=f"rollcall {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, help: str, *kinds: Callable[[Any], None]) -> Any:
        added = subparsers.add_parser(name, help=help, description=help)
        added.set_defaults(command=commands[name])
        for kind in kinds:
            kind(added)
        return added

    login = add("login", "sign in to a Firebase project")
    login.add_argument("--project", help="the project's id")
    login.add_argument("--region", help="where its functions are; us-central1 unless said")
    login.add_argument("--prefix", help="its ROLLCALL_PREFIX, if it is deployed with one")
    login.add_argument("--api-key", help="its web API key, which is no secret")
    login.add_argument(
        "--email", help="e-mail address to sign in with; you are asked for the password"
    )
    login.add_argument(
        "--custom-token",
        action="store_true",
        help="sign in with a token that your server made; you are asked for it",
    )
    login.add_argument(
        "--anew", action="store_true", help="ask for everything again, as if never signed in"
    )
    add("logout", "forget the sign-in")

    chat = add("chat", "talk to an agent", _place_options, _agent_options)
    chat.add_argument("--thread", metavar="ID", help="go on in this thread")

    asking = add("ask", "ask one question", _place_options, _agent_options)
    asking.add_argument("question", nargs="?", help="read from standard input if left out")
    asking.add_argument("--json", action="store_true", help="print the run's result as JSON")
    asking.add_argument("--thread", metavar="ID", help="ask in this thread")
    asking.add_argument(
        "--yes-to",
        type=_yes_to,
        action="append",
        default=[],
        metavar="TOOL[=WHAT]",
        help="approve beforehand: write_file=src/*, 'run_command=pytest -q', send_message",
    )

    threads = add("threads", "list your threads", _place_options)
    threads.add_argument("--json", action="store_true", help="as JSON")

    exporting = add("export", "write a thread as Markdown", _place_options)
    exporting.add_argument("thread", metavar="THREAD", help="its id")
    exporting.add_argument("--out", type=_path, metavar="FILE.md", help="instead of printing it")
    return parser


def _place_options(parser: Any) -> None:
    parser.add_argument(
        "--emulator",
        action="store_true",
        help="use the emulators that run here, as their sample user",
    )


def _agent_options(parser: Any) -> None:
    parser.add_argument("--agent", help="which agent; workspace with --root, messaging without")
    parser.add_argument(
        "--root", type=_path, metavar="FOLDER", help="a folder that the agent may work in"
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=get_args(Permission),
        help="allow what is refused in the folder otherwise; may be repeated",
    )
    parser.add_argument(
        "--pass-env",
        type=_variable,
        action="append",
        default=[],
        metavar="NAME",
        help="let commands see this environment variable; may be repeated",
    )
    parser.add_argument(
        "--locale",
        choices=("en", "he"),
        help="language of the answers; that of each message unless said",
    )


def _yes_to(text: str) -> Preapproval:
    try:
        return Preapproval.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _path(text: str) -> Path:
    if not text:  # which would mean the folder that one is in
        raise argparse.ArgumentTypeError("the name is empty; . is the folder you are in")
    return Path(text)


def _variable(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name of a variable: give the name alone, as in --pass-env JAVA_HOME"
        )
    return text
