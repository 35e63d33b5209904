"""The command `rollcall`."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import NoReturn

from rollcall_cli import export, settings
from rollcall_cli.ask import AskOptions, ask, report_error, report_interrupt
from rollcall_cli.chat import Chat
from rollcall_cli.console import print_json, tidy
from rollcall_cli.dialogue import Dialogue
from rollcall_cli.dialogue_view import DialogueView
from rollcall_cli.http import CallError
from rollcall_cli.options import Command, parser
from rollcall_cli.problem import Problem
from rollcall_cli.screen import Screen
from rollcall_cli.session import Session, login, logout, start_session
from rollcall_cli.thread_list import show_threads
from rollcall_cli.wording import language_in, language_of, text_in
from rollcall_cli.workspace import ToolError, Workspace, hide_process

PROBLEM = 1
"""The exit code for a `Problem`."""

_FOR_FOLDERS = "workspace"
_LISTED = 50
_QUESTION_CHARS = 32_000


def run() -> NoReturn:
    """Run the command and leave with its exit code."""
    signal.signal(signal.SIGTERM, _end)  # ends what was started, as Ctrl-C does
    _open_streams()
    try:
        code = main(sys.argv[1:], os.environ)
        sys.stdout.flush()
    except OSError as error:
        # The rest of the buffer would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader of the output is gone
            code = 128 + signal.SIGPIPE
        else:
            print(f"rollcall: {error}", file=sys.stderr)
            code = PROBLEM
    sys.exit(code)


def _open_streams() -> None:
    """Open streams that the shell closed, and escape characters that the output cannot encode."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest that is free: this one
            setattr(sys, name, open(opened, "w" if number else "r", encoding="utf-8"))  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def main(arguments: list[str], env: Mapping[str, str]) -> int:
    """Run the command line; return an exit code."""
    options = parser(_COMMANDS).parse_args(arguments)
    as_json = getattr(options, "json", False)
    locale = _locale(options, env)
    command: Command = options.command
    try:
        return command(options, env)
    except (Problem, ToolError) as problem:
        told = problem.message.say(locale) if isinstance(problem, Problem) else str(problem)
        if as_json:
            print_json({"error": {"code": "failed-precondition", "message": told}})
        print(tidy(told), file=sys.stderr)
        return PROBLEM
    except CallError as error:
        return report_error(error, as_json=as_json, locale=locale)
    except KeyboardInterrupt:
        return report_interrupt(as_json=as_json, locale=locale)


def _locale(options: argparse.Namespace, env: Mapping[str, str]) -> str:
    """The language asked for, that of the question, or that of the environment."""
    asked, question = getattr(options, "locale", None), getattr(options, "question", None)
    return asked or (language_of(question) if question else language_in(env))


def _end(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _logout(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    return logout(env)


def _chat(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    session = start_session(env, emulator=options.emulator)
    agent = _agent(options, session)
    with _workspace(options, env) as workspace:
        screen = Screen(env=env, locale=options.locale)
        view = DialogueView(
            session.functions,
            screen,
            agent=agent,
            uid=session.user.uid,
            tools=workspace,
            replay=session.store.events,
            take=session.store.take_calls,
            locale=options.locale,
        )
        if options.root:
            folder = options.root.resolve()
            begin = text_in(screen.language, "begin_in", agent=agent, folder=folder)
        else:
            begin = text_in(screen.language, "begin", agent=agent)
        screen.say_line(begin, "dim")
        if _lacks_folder(agent, options):
            screen.say_line(text_in(screen.language, "no_folder"), "dim")
        return Chat(screen, session, view).stay(thread=options.thread)


def _ask(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    question = _question(options)
    session = start_session(env, emulator=options.emulator)
    agent = _agent(options, session)
    if _lacks_folder(agent, options):
        print(text_in(options.locale or language_of(question), "no_folder"), file=sys.stderr)
    with _workspace(options, env) as workspace:
        dialogue = Dialogue(
            session.functions,
            agent=agent,
            replay=session.store.events,
            take=session.store.take_calls,
            client_tools=workspace.tools if workspace else (),
            locale=options.locale,
        )
        dialogue.thread_id = options.thread
        asking = AskOptions(
            uid=session.user.uid,
            tools=workspace,
            yes_to=options.yes_to,
            as_json=options.json,
            locale=options.locale,
            chat=_chat_command(options),
        )
        return ask(dialogue, question, asking)


def _chat_command(options: argparse.Namespace) -> str:
    """The chat command for the same deployment and folder."""
    place = ["--emulator"] if options.emulator else []
    folder = ["--root", str(options.root)] if options.root else []
    return shlex.join(["rollcall", "chat", *place, *folder])


def _threads(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    session = start_session(env, emulator=options.emulator)
    found = session.store.threads(limit=_LISTED)
    if options.json:
        for thread in found:
            print_json(thread.as_json())
    else:
        show_threads(Screen(env=env), found)
    return 0


def _export(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    session = start_session(env, emulator=options.emulator)
    text = export.thread_as_markdown(session.store, options.thread)
    if options.out:
        export.write(text, options.out)
    else:
        print(text, end="")
    return 0


def _agent(options: argparse.Namespace, session: Session) -> str:
    """The agent: the option's, the thread's, or the default."""
    if options.agent is None and options.thread is not None:
        return session.store.thread(options.thread).agent
    if options.agent is not None:
        return str(options.agent)
    return _FOR_FOLDERS if options.root else "messaging"


def _lacks_folder(agent: str, options: argparse.Namespace) -> bool:
    """Whether the agent for folders is given none."""
    return agent == _FOR_FOLDERS and options.root is None


@contextlib.contextmanager
def _workspace(options: argparse.Namespace, env: Mapping[str, str]) -> Iterator[Workspace | None]:
    """The folder that the agent may work in; None without --root."""
    if options.root is None:
        yield None
        return
    own = [settings.settings_file(env).absolute().parent]
    hide_process()
    with Workspace(
        options.root, allow=options.allow, environment=options.pass_env, own=own
    ) as workspace:
        yield workspace


def _question(options: argparse.Namespace) -> str:
    if options.question is None and sys.stdin.isatty():
        raise Problem("no_question")
    try:
        text = options.question if options.question is not None else sys.stdin.read()
        text.encode()
    except UnicodeError as error:
        raise Problem("question_not_utf_8") from error
    if not text.strip():
        raise Problem("empty_question")
    if len(text) > _QUESTION_CHARS:
        raise Problem("long_question", chars=f"{len(text):,}", most=f"{_QUESTION_CHARS:,}")
    return str(text)


_COMMANDS: dict[str, Command] = {
    "login": login,
    "logout": _logout,
    "chat": _chat,
    "ask": _ask,
    "threads": _threads,
    "export": _export,
}
