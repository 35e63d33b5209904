"""A turn at the keyboard: its runs, and the person's decisions between them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial

from rich.console import RenderableType

from rollcall_cli import approvals
from rollcall_cli.approvals import Decision, ReadLine
from rollcall_cli.dialogue import Interrupt
from rollcall_cli.dialogue_view import DialogueView, Exit
from rollcall_cli.diffs import ShortenedBlock
from rollcall_cli.screen import Screen
from rollcall_cli.wording import text_in, texts_for

_EXIT_WORDS = ("exit", "quit")


def run_turn(
    screen: Screen,
    view: DialogueView,
    begin: Callable[[], object],
    *,
    read: ReadLine = approvals.from_keyboard,
    command: Callable[[str], object] | None = None,
) -> None:
    """Run a turn, asking the person for each decision it waits for, until nothing waits.

    Args:
        begin: Starts the first run.
        command: Runs a line that begins with a slash. Open decisions are then asked again.
    Raises:
        Quit: The person pressed Ctrl-C twice.
        Exit: The person typed a word for leaving.
    """
    following: Callable[[], object] | None = begin
    while following is not None:
        try:
            following()
        except KeyboardInterrupt:
            screen.say()
            screen.say_line(text_in(screen.language, "stopped_and_kept"), "dim")
            return
        said = _decisions(screen, view, read)
        while command and isinstance(said, str) and said[:1] == "/" and not is_exit_word(said):
            command(said)
            said = _decisions(screen, view, read)
        if said is None:
            return
        if isinstance(said, str) and is_exit_word(said):
            go_on = f"rollcall chat --thread {shlex.quote(str(view.thread_id))}"
            say = texts_for(view.waiting[0]["message"])
            screen.say_line(say["go_on"], "dim")
            screen.say(f"  {go_on}", style="dim")
            raise Exit
        following = partial(view.ask, said) if isinstance(said, str) else partial(view.answer, said)


def is_exit_word(line: str) -> bool:
    """Whether a line is a word for leaving the chat: "exit", "/quit"."""
    return line.removeprefix("/").lower() in _EXIT_WORDS


def _decisions(screen: Screen, view: DialogueView, read: ReadLine) -> str | list[Decision] | None:
    """The decisions for all that waits, a message in their place, or None: all stays open."""
    answers: list[Decision] = []
    for interrupt in view.waiting:
        say = texts_for(interrupt["message"])
        if not approvals.is_mine(interrupt, view.uid):
            screen.say()
            screen.say_line(f"· {say['elsewhere']}", "dim")
            return None
        if len(view.waiting) > 1:
            screen.say()
            screen.indented(interrupt["message"])
        try:
            about = view.preview(interrupt)
            about = about or approvals.arguments_to_show(interrupt, screen.order)
            said = approvals.ask(
                screen,
                interrupt,
                read,
                whole=_whole(view, interrupt),
                shortened=isinstance(about, ShortenedBlock),
            )
        except (EOFError, KeyboardInterrupt):
            screen.say()
            screen.say_line(say["left_open"], "dim")
            return None
        if isinstance(said, str):
            return said
        answers.append(said)
    return answers or None


def _whole(view: DialogueView, interrupt: Interrupt) -> Callable[[], RenderableType] | None:
    """A function that renders the full preview of a call; None if it would not run here."""
    if view.preview(interrupt) is None:
        return None

    def shown() -> RenderableType:
        return view.preview(interrupt, whole=True) or ""

    return shown
