"""Shows Rollcall at work: emulators, sample data, a signed-in user and an agent.

`python -m dev.demo` asks some questions and then, on a terminal, stays for yours.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from dev import addresses, problem
from dev.addresses import Addresses
from dev.call import demo_functions
from dev.callable import CallError, Functions
from dev.conversation import Conversation
from dev.emulators import running, triggers_off
from dev.paths import FUNCTIONS, PYTHON, ROOT
from dev.problem import Problem
from dev.show import Screen

QUESTIONS = (
    "What are my priorities?",
    "What are my priorities and what action items do I have?",
    "What decisions were made about the budget?",
    "מה הוחלט לגבי התקציב?",
    "Hello, how are you?",
)
_OFFSETS = (0, *range(3000, 12_000, 1000))
_PICTURE_COLUMNS = 96


def main() -> int:
    options = _options()
    screen = _picture_screen() if options.picture else Screen()
    _introduce(screen)
    _choose_ports()
    with _prepared(screen) as at:
        conversation = Conversation(_functions(at), screen, agent=options.agent)
        answered = [_ask(screen, conversation, question) for question in options.questions]
        if options.picture:
            _save_picture(screen.console, options.picture)
        elif sys.stdin.isatty():
            _stay(screen, conversation)
        return 0 if all(answered) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("questions", nargs="*", default=QUESTIONS, help="ask these instead")
    parser.add_argument("--agent", default="messaging", help="whom to ask")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="save what is shown")
    return parser.parse_args()


def _picture_screen() -> Screen:
    console = Console(record=True, force_terminal=True, width=_PICTURE_COLUMNS, highlight=False)
    return Screen(console=console, env={}, still=True)


def _save_picture(console: Console, file: Path) -> None:
    picture = console.export_svg(title="make demo", unique_id="demo")
    # Without the fonts that a browser would be made to fetch.
    file.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


def _introduce(screen: Screen) -> None:
    sys.path.insert(0, str(FUNCTIONS))  # the backend knows which model it takes
    from rollcall.agent.platform import OFFLINE, default_model

    model = default_model(os.environ)
    screen.say("Rollcall: an agent backend for Firebase, here on its emulators", style="bold")
    if model == OFFLINE:
        screen.say(
            "No model key is set, so everything stays on this computer: the offline planner "
            "answers, which picks tools and reports what they find but is no language model. "
            "Set GEMINI_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL for one.",
            style="dim",
        )
    else:
        screen.say(f"{model} answers, as your environment says.", style="dim")


def _choose_ports() -> None:
    """Move the emulators to ports that are free, unless PORT_OFFSET says where they go."""
    if os.environ.get("PORT_OFFSET"):
        return
    for offset in _OFFSETS:
        os.environ["PORT_OFFSET"] = str(offset)
        if all(map(_is_free, addresses.shifted_ports().values())):
            return
    del os.environ["PORT_OFFSET"]
    raise Problem("No free ports were found for the emulators; name some with PORT_OFFSET=...")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@contextlib.contextmanager
def _prepared(screen: Screen) -> Iterator[Addresses]:
    """The emulators with the sample data in them; stopped at the end."""
    stack = contextlib.ExitStack()
    with _doing(screen, "Starting Firebase's emulators (auth, functions, firestore, tasks)"):
        suite = stack.enter_context(running())
    try:
        with _doing(screen, "Loading the sample conversations and publishing the capabilities"):
            with triggers_off(suite.addresses):
                _seed()
            _warm_up(suite.addresses)
        yield suite.addresses
    finally:
        with _doing(screen, "Stopping the emulators"):
            stack.close()


@contextlib.contextmanager
def _doing(screen: Screen, what: str) -> Iterator[None]:
    """Say what takes a while, for as long as it does."""
    if not screen.moves:
        screen.say(f"{what} ...", style="dim")
        yield
        return
    columns = SpinnerColumn(style="cyan"), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=screen.console, transient=True) as progress:
        progress.add_task(what, total=None)
        yield


def _seed() -> None:
    from rollcall.agent.platform import OFFLINE

    done = subprocess.run(
        [PYTHON, "-m", "seed"],
        cwd=ROOT,
        # A model would read every message for its priority; rules do it at once and for nothing.
        env={**os.environ, "ROLLCALL_MODEL": OFFLINE},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise Problem(f"The sample data could not be loaded.\n{done.stdout}")


def _warm_up(at: Addresses) -> None:
    """Let `run_agent` start, so that the first answer comes at once."""
    with contextlib.suppress(CallError):  # nobody is signed in, and it says so
        Functions(at.functions_url).call("run_agent", {})


def _functions(at: Addresses) -> Functions:
    try:
        return demo_functions(at)
    except CallError as error:
        raise Problem(error.message) from error


def _ask(screen: Screen, conversation: Conversation, question: str) -> bool:
    """Put a question in a thread of its own, and tell whether it was answered."""
    conversation.start_over()
    screen.question(question)
    result = conversation.ask(question)
    if result is None or result["outcome"]["type"] != "success":
        return False
    # A model may call a tool wrongly and recover; that a tool breaks is our own fault.
    return not any(call.get("error", {}).get("code") == "internal" for call in result["toolCalls"])


def _stay(screen: Screen, conversation: Conversation) -> None:
    """Answer the user's own questions until there are no more."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - lines can be edited, and earlier ones brought back
    screen.say("\nYour turn. “new” starts a new thread; Ctrl-D or “exit” ends.", style="dim")
    while (question := _read(screen)) is not None:
        if question == "new":
            conversation.start_over()
            screen.say("A new thread.", style="dim")
        elif question:
            try:
                conversation.ask(question)
            except KeyboardInterrupt:
                screen.say("Left unanswered.", style="dim")


def _read(screen: Screen) -> str | None:
    """The next line; None when the user has had enough."""
    screen.say()
    try:
        line = input("❯ ").strip()
    except (EOFError, KeyboardInterrupt):
        screen.say()
        return None
    return None if line in ("exit", "quit") else line


if __name__ == "__main__":
    problem.run(main)
