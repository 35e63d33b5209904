"""Talks with a person until nothing waits for them: a question out, their decisions in."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial

from rich.console import RenderableType

from rollcall_cli import approvals
from rollcall_cli.approvals import Answer, Read
from rollcall_cli.conversation import Conversation, Left
from rollcall_cli.dialogue import Interrupt
from rollcall_cli.diffs import Shortened
from rollcall_cli.screen import Screen
from rollcall_cli.wording import texts_for

_LEAVING = ("exit", "quit")


def converse(
    screen: Screen,
    conversation: Conversation,
    begin: Callable[[], object],
    *,
    read: Read = approvals.from_keyboard,
    command: Callable[[str], object] | None = None,
) -> None:
    """Have something asked, and the person decide whatever comes to wait for it.

    Args:
        begin: Asks, with the conversation.
        command: Does what begins with a slash. What still waits then is asked about again.
    Raises:
        Quit: The person has had enough.
        Left: They leave, by the word for it.
    """
    following: Callable[[], object] | None = begin
    while following is not None:
        try:
            following()
        except KeyboardInterrupt:
            screen.say("\nStopped. What was said so far is kept.", style="dim")
            return
        said = _decided(screen, conversation, read)
        while command and isinstance(said, str) and said[:1] == "/" and not is_leaving(said):
            command(said)
            said = _decided(screen, conversation, read)
        if said is None:
            return
        if isinstance(said, str) and is_leaving(said):
            go_on = f"rollcall chat --thread {shlex.quote(str(conversation.thread_id))}"
            say = texts_for(conversation.waiting[0]["message"])
            approvals.say_line(screen, say["go_on"], "dim")
            screen.say(f"  {go_on}", style="dim")
            raise Left
        if isinstance(said, str):
            following = partial(conversation.ask, said)
        else:
            following = partial(conversation.answer, said)


def is_leaving(line: str) -> bool:
    """Whether a line is one of the words that end a sitting: "exit", "/quit"."""
    return line.removeprefix("/").lower() in _LEAVING


def _decided(screen: Screen, conversation: Conversation, read: Read) -> str | list[Answer] | None:
    """The answers to all that waits, what the person said instead, or None: it stays open."""
    answers: list[Answer] = []
    for interrupt in conversation.waiting:
        say = texts_for(interrupt["message"])
        if not approvals.is_mine(interrupt, conversation.uid):
            screen.say()
            approvals.say_line(screen, f"· {say['elsewhere']}", "dim")
            return None
        if len(conversation.waiting) > 1:
            screen.say()
            screen.indented(interrupt["message"])
        try:
            about = conversation.shown_of(interrupt)
            about = about or approvals.arguments_to_show(interrupt, screen.order)
            said = approvals.ask(
                screen,
                interrupt,
                read,
                whole=_whole(conversation, interrupt),
                shortened=isinstance(about, Shortened),
            )
        except (EOFError, KeyboardInterrupt):
            screen.say()
            approvals.say_line(screen, say["left_open"], "dim")
            return None
        if isinstance(said, str):
            return said
        answers.append(said)
    return answers or None


def _whole(conversation: Conversation, interrupt: Interrupt) -> Callable[[], RenderableType] | None:
    """Makes all that a call here would do; None where it would not run here."""
    if conversation.shown_of(interrupt) is None:
        return None

    def shown() -> RenderableType:
        return conversation.shown_of(interrupt, whole=True) or ""

    return shown
