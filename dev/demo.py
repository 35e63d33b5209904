"""The demo: emulators, sample data, a signed-in user and an agent.

`python -m dev.demo` asks some questions, requests two messages that need approval, decides for the
user, and then, on a terminal, takes your questions.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from dev import problem
from dev.emulators import WITH_WEB_APP, pause_triggers, running
from dev.paths import FUNCTIONS, PYTHON, ROOT
from dev.problem import Problem
from dev.recorded_model import recorded_model
from dev.sample import sample_workspace
from rollcall.commands.app import find_app, require_app
from rollcall.core.options import region
from rollcall.emulators.addresses import Addresses, Configuration
from rollcall.emulators.suite import is_free
from rollcall_cli.approvals import Decision
from rollcall_cli.bidi import isolated
from rollcall_cli.deployment import Deployment
from rollcall_cli.dialogue_view import DialogueView, Quit
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError
from rollcall_cli.identity import User, sign_in
from rollcall_cli.screen import Screen
from rollcall_cli.store import Result, Store
from rollcall_cli.turn import run_turn

QUESTIONS = (
    "What are my priorities?",
    "What are my priorities and what action items do I have?",
    "What decisions were made about the budget?",
    "מה הוחלט לגבי התקציב?",
    "Hello, how are you?",
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a write, and the demo's answer to its approval.

    `on_other_device`: the answer is written into the approval's document, as another device does.
    """

    message: str
    answer: Decision
    on_other_device: bool = False


REQUESTS = (
    Request('Send "I will be late" to Maya Cohen', Decision(True)),
    Request(
        "שלחי ליעל אזולאי “אני בדרך”",
        Decision(False, "אני נשארת בבית היום"),
        on_other_device=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson of the sample's course, and its student's messages."""

    mission_id: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tour:
    """What the demo asks an agent by default, and the context that it sends.

    `lessons`: taken in a thread each.
    `has_files`: whether the agent works in a copy of the sample folder.
    `recording`: the file of `dev/recorded` with a model's replies, for what the planner cannot do.
    """

    questions: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    context: tuple[tuple[str, str], ...] = ()
    lessons: tuple[Lesson, ...] = ()
    has_files: bool = False
    recording: str = ""


TOURS = {
    "messaging": Tour(QUESTIONS, REQUESTS),
    "electrical": Tour(
        (
            "What is the voltage drop on the EV charger?",
            "Run an inspection of the project",
            "Can the main panel take another 7200 W?",
            "מה זרם הקצר בלוח הראשי?",
            "What is article 250 about?",
        ),
        (
            Request("Add a 1500 W circuit for a heater to the Garage Subpanel", Decision(True)),
            Request(
                "הוסף ללוח הראשי מעגל של 1200 ואט למייבש מגבות",
                Decision(False, "עוד לא"),
                on_other_device=True,
            ),
        ),
        (("projectId", "house"),),
    ),
    "workspace": Tour(
        ("Which files are here?", "איפה משתמשים ב-total_price?"),
        (
            Request("Add a function that empties the basket", Decision(True)),
            Request("A test fails. Find out why, and mend it", Decision(True)),
            Request("Create notes.txt with: bread, milk", Decision(False, "not here")),
        ),
        has_files=True,
        recording="workspace",
    ),
    "tutor": Tour(
        lessons=(
            Lesson(
                "cafe",
                (
                    "Hello! I am ready.",
                    "A coffee, please. Yesterday I goed to a café too.",
                    "I had a cake. What does the coffee cost? I must go, goodbye!",
                ),
            ),
            Lesson("shuk", ("שלום! אני רוצה שתי תפוח", "כמה זה עולה? תודה ולהתראות!")),
        ),
        recording="tutor",
    ),
}
_OFFSETS = (0, *range(3000, 12_000, 1000))
_PICTURE_COLUMNS = 96


def deployment_of(at: Addresses) -> Deployment:
    """The terminal client's addresses of these emulators."""
    return Deployment.emulators(
        auth=at.auth,
        firestore=at.firestore,
        functions=at.functions,
        project=at.project,
        region=region(),
    )


def demo_user(at: Addresses) -> User:
    """The sample data's own user, signed in.

    Raises:
        CallError: The emulators do not answer, or hold no sample data.
    """
    sys.path.insert(0, str(FUNCTIONS))  # the sample data comes with the backend's own code
    from seed.target import DEMO_USER

    return sign_in(deployment_of(at), email=DEMO_USER.email, password=DEMO_USER.password)


def main() -> int:
    options = _options()
    agents = require_app(find_app(ROOT)).catalog.agents()
    if options.agent not in agents:  # before the emulators start, which takes its time
        raise Problem(
            f"There is no agent {options.agent!r}; there are {', '.join(sorted(agents))}."
        )
    screen = _picture_screen() if options.picture else Screen()
    tour = TOURS.get(options.agent, TOURS["messaging"])
    recording = "" if options.questions or not _is_offline() else tour.recording
    _introduce(screen, recording)
    _choose_ports()
    files = sample_workspace() if tour.has_files else contextlib.nullcontext()
    with _model(recording), files as tools, _start_with_data(screen) as at:
        user = _sign_in(at)
        if options.web:
            _serve_page(screen, at)
            return 0
        functions = Functions(at.functions_url, token=user.token)
        talk = partial(
            DialogueView, functions, screen, agent=options.agent, uid=user.uid, tools=tools
        )
        view = talk(context=dict(options.context or tour.context))
        answer = None if options.answer is None else Decision(options.answer == "yes")
        answered = [
            _ask(screen, view, question, answer) for question in options.questions or tour.questions
        ]
        if not options.questions:
            device = Store(deployment_of(at), user)
            answered += [_make_request(screen, view, each, device) for each in tour.requests]
            for lesson in tour.lessons:
                session = functions.call("start_session", {"missionId": lesson.mission_id})
                screen.footnote(f"start_session: {isolated(session['title'])}")
                view = talk(context={"sessionId": session["sessionId"]})
                answered += _take_lesson(screen, view, lesson)
        screen.say(f"\nThe web app is at http://{at.hosting}, while this runs.", style="bold")
        if options.picture:
            _save_picture(screen.console, options.picture)
        elif sys.stdin.isatty():
            _answer_user(screen, view)
        return 0 if all(answered) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("questions", nargs="*", help="ask these instead")
    parser.add_argument("--agent", default="messaging", help="whom to ask")
    parser.add_argument(
        "--context",
        type=_as_pair,
        action="append",
        metavar="KEY=VALUE",
        help="where you are, as an app would say it, such as projectId=house",
    )
    parser.add_argument(
        "--answer",
        choices=("yes", "no"),
        help="say this, for the person, to what waits for a decision",
    )
    parser.add_argument("--web", action="store_true", help="open the web app, and ask nothing")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="save what is shown")
    return parser.parse_args()


def _as_pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise argparse.ArgumentTypeError("KEY=VALUE, such as projectId=house")
    return key, value


def _picture_screen() -> Screen:
    console = Console(record=True, force_terminal=True, width=_PICTURE_COLUMNS, highlight=False)
    return Screen(console=console, env={}, still=True)


def _save_picture(console: Console, file: Path) -> None:
    picture = console.export_svg(title="make demo", unique_id="demo")
    # Without the fonts that a browser would be made to fetch.
    file.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


def _is_offline() -> bool:
    """Whether the environment names no model."""
    sys.path.insert(0, str(FUNCTIONS))  # the backend knows which model it takes
    from rollcall.models.provider import OFFLINE, default_model

    return default_model(os.environ) == OFFLINE


@contextlib.contextmanager
def _model(recording: str) -> Iterator[None]:
    """Serve a recording as the functions' model inside the block, if one is named."""
    if not recording:
        yield
        return
    with recorded_model(recording) as environment:
        os.environ.update(environment)
        yield


def _introduce(screen: Screen, recording: str) -> None:
    from rollcall.models.provider import default_model

    screen.say("Rollcall: an agent backend for Firebase, here on its emulators", style="bold")
    if recording:
        screen.say(
            "RECORDED MODEL: no model key is set, and fixed rules write no code and teach nobody. "
            "The model's replies below were written beforehand, for these requests; the functions, "
            "the tools and what they change are real. Set GEMINI_API_KEY, OPENAI_API_KEY or "
            "OPENAI_BASE_URL for a model.",
            style="yellow",
        )
    elif _is_offline():
        screen.say(
            "No model key is set, so everything stays on this computer: the offline planner "
            "answers, which picks tools and reports what they find but is no language model. "
            "Set GEMINI_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL for one.",
            style="dim",
        )
    else:
        screen.say(f"{default_model(os.environ)} answers, as your environment says.", style="dim")


def _choose_ports() -> None:
    """Move the emulators to ports that are free, unless PORT_OFFSET says where they go."""
    if os.environ.get("PORT_OFFSET"):
        return
    for offset in _OFFSETS:
        os.environ["PORT_OFFSET"] = str(offset)
        if all(map(is_free, Configuration(ROOT).ports().values())):
            return
    del os.environ["PORT_OFFSET"]
    raise Problem("No free ports were found for the emulators; name some with PORT_OFFSET=...")


@contextlib.contextmanager
def _start_with_data(screen: Screen) -> Iterator[Addresses]:
    """Run the emulators with the sample data inside the block."""
    stack = contextlib.ExitStack()
    with _status(screen, "Starting Firebase's emulators (auth, functions, firestore, tasks)"):
        suite = stack.enter_context(running(WITH_WEB_APP))
    try:
        with _status(screen, "Loading the sample conversations and publishing the capabilities"):
            with pause_triggers(suite.addresses):
                _seed()
            _warm_up(suite.addresses)
        yield suite.addresses
    finally:
        with _status(screen, "Stopping the emulators"):
            stack.close()


@contextlib.contextmanager
def _status(screen: Screen, what: str) -> Iterator[None]:
    """Show what is being done inside the block."""
    if not screen.redraws:
        screen.say(f"{what} ...", style="dim")
        yield
        return
    columns = SpinnerColumn(style="cyan"), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=screen.console, transient=True) as progress:
        progress.add_task(what, total=None)
        yield


def _seed() -> None:
    from rollcall.models.provider import OFFLINE

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
    """Start `run_agent`, so that the first answer comes at once, and beside it `continuerun`."""
    functions = Functions(at.functions_url)
    nothing = {"threadId": "none", "runId": "none"}  # there is no such run, so nothing is done
    for name, data in (("continuerun", nothing), ("run_agent", {})):
        warming = threading.Thread(
            target=_start_function, args=(functions, name, data), daemon=True
        )
        warming.start()
    warming.join()


def _start_function(functions: Functions, name: str, data: dict[str, Any]) -> None:
    with contextlib.suppress(CallError):  # nobody is signed in, and it says so
        functions.call(name, data)


def _sign_in(at: Addresses) -> User:
    try:
        return demo_user(at)
    except CallError as error:
        raise Problem(error.message) from error


def _ask(screen: Screen, view: DialogueView, question: str, answer: Decision | None = None) -> bool:
    """Ask a question in a new thread; whether it was answered."""
    view.start_over()
    screen.question(question)
    result = view.ask(question)
    if view.waiting and answer is None:
        screen.footnote("Nothing is written: this stays open, and the next question closes it.")
    elif view.waiting and answer is not None:
        result = _answer_all(screen, view, answer)
    return _succeeded(result)


def _take_lesson(screen: Screen, view: DialogueView, lesson: Lesson) -> list[bool]:
    """Take a lesson in one thread; whether each message was answered."""
    answered = []
    for message in lesson.messages:
        screen.question(message)
        answered.append(_succeeded(view.ask(message)))
    return answered


def _answer_all(screen: Screen, view: DialogueView, answer: Decision) -> Result | None:
    """Give the same answer to every approval until none waits."""
    result: Result | None = None
    while view.waiting:
        _say_answer(screen, answer)
        result = view.answer([answer] * len(view.waiting))
        if result is None:
            return None
    return result


def _make_request(screen: Screen, view: DialogueView, request: Request, device: Store) -> bool:
    """Request a write and answer its approval; whether the run succeeded."""
    view.start_over()
    screen.question(request.message)
    view.ask(request.message)
    if not view.waiting:
        # A model may have understood something else; then there is nothing to show here.
        screen.footnote("Nothing was asked, so nothing is answered.")
        return False
    if not request.on_other_device:
        return _succeeded(_answer_all(screen, view, request.answer))
    return _succeeded(_decide_on_other_device(screen, view, request.answer, device))


def _decide_on_other_device(
    screen: Screen, view: DialogueView, answer: Decision, device: Store
) -> Result | None:
    """Decide in the approval's document, and follow the turn's continuation in Firestore."""
    approval_id = view.waiting[0]["id"]
    thread_id, run_id = view.thread_id, view.next_run_id
    assert thread_id is not None  # there is one: something waits in it
    _say_answer(screen, answer)
    screen.footnote(
        f"on another device, by the document approvals/{approval_id[:8]}…; a trigger and the task "
        f"queue go on with the turn, and its run …{run_id[-6:]} is read from Firestore:"
    )
    try:
        device.decide(approval_id, approved=answer.approved, reason=answer.reason)
    except CallError as error:
        screen.failure(error)
        return None
    return view.follow(device.events(thread_id, run_id))


def _say_answer(screen: Screen, answer: Decision) -> None:
    word = "yes" if answer.approved else "no"
    because = f", because: {isolated(answer.reason)}" if answer.reason else ""
    screen.footnote(f"The demo answers for the person: “{word}”{because}")


def _succeeded(result: dict[str, Any] | None) -> bool:
    if result is None or result["outcome"]["type"] == "cancelled":
        return False
    # A model may call a tool wrongly and recover; that a tool breaks is our own fault.
    return not any(call.get("error", {}).get("code") == "internal" for call in result["toolCalls"])


def _serve_page(screen: Screen, at: Addresses) -> None:
    """Open the web app in the browser, where there is one, until Ctrl-C."""
    address = f"http://{at.hosting}"
    screen.say(f"The web app is at {address}; one click signs you in as the sample user.")
    screen.say("Ctrl-C stops everything.", style="dim")
    if sys.stdin.isatty():
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()


def _answer_user(screen: Screen, view: DialogueView) -> None:
    """Ask what the user types until they end it."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - lines can be edited, and earlier ones brought back
    screen.say(
        "\nYour turn. “new” starts a new thread; Ctrl-C stops an answer; Ctrl-D or “exit” ends.",
        style="dim",
    )
    with contextlib.suppress(Quit):
        while (question := _read_line(screen)) is not None:
            if question == "new":
                view.start_over()
                screen.say("A new thread.", style="dim")
            elif question:
                run_turn(screen, view, partial(view.ask, question))


def _read_line(screen: Screen) -> str | None:
    """The next line that the user types; None at the end."""
    screen.say()
    try:
        line = input("❯ ").strip()
    except (EOFError, KeyboardInterrupt):
        screen.say()
        return None
    return None if line in ("exit", "quit") else line


if __name__ == "__main__":
    problem.run(main)
