"""The commands of a chat: /retry, /open, /export and others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.text import Text

from rollcall_cli import attachments, export
from rollcall_cli.approvals import ReadLine, chosen_number, discard_typeahead, prompt
from rollcall_cli.bidi import isolated
from rollcall_cli.dialogue import Content
from rollcall_cli.dialogue_view import DialogueView
from rollcall_cli.http import CallError
from rollcall_cli.problem import Problem
from rollcall_cli.screen import Screen
from rollcall_cli.session import Session
from rollcall_cli.store import Thread
from rollcall_cli.thread_list import show_threads
from rollcall_cli.transcript import said_in
from rollcall_cli.turn import run_turn
from rollcall_cli.wording import text_in

_LISTED = 20
_TITLE_CHARS = 200


class ChatCommands:
    """The commands of one chat session; `/help` lists them."""

    def __init__(
        self, screen: Screen, session: Session, view: DialogueView, *, read: ReadLine
    ) -> None:
        self._screen = screen
        self._session = session
        self._view = view
        self._dialogue = view.dialogue
        self._read = read
        self._attached: list[dict[str, Any]] = []
        self._threads_shown: list[Thread] = []
        self._commands: dict[str, Callable[[str], None]] = {
            "stop": self._stop,
            "retry": self._retry,
            "edit": self._edit,
            "attach": self._attach,
            "rate": self._rate,
            "threads": self._threads,
            "open": self._open,
            "export": self._export,
            "title": self._title,
            "new": self._new,
            "help": self._help,
        }

    def do(self, line: str) -> None:
        """Run the command of a line that begins with a slash.

        Raises:
            Problem: There is no such command, or it cannot be done.
            CallError: The server refuses.
        """
        name, _, rest = line[1:].partition(" ")
        if name not in self._commands:
            raise Problem("no_command", name=f"/{name}")
        self._commands[name](rest.strip())

    def do_meanwhile(self, line: str) -> None:
        """Run a command that was typed instead of a decision; show its error, if any."""
        try:
            self.do(line)
        except Problem as problem:
            self._screen.problem(problem)
        except CallError as error:
            self._screen.failure(error)

    def with_attachments(self, text: str) -> Content:
        """A message with the files attached since the last one."""
        attached, self._attached = self._attached, []
        return [{"type": "text", "text": text}, *attached] if attached else text

    def _stop(self, rest: str) -> None:
        if not (self._dialogue.waiting or self._dialogue.pending):
            raise Problem("nothing_waits")
        self._view.cancel()
        self._footnote("closed")

    def _retry(self, rest: str) -> None:
        self._require_turn()
        self._run_turn(self._view.retry)

    def _edit(self, rest: str) -> None:
        thread_id, turn_id = self._require_turn()
        log = self._session.store.log(thread_id)
        of_turn = [each for each in log if each.get("turnId") == turn_id and each["role"] == "user"]
        parts = of_turn[-1]["parts"] if of_turn else []
        before = said_in(parts)
        if "\n" in before:
            self._footnote("lines_joined")
        text = self._read("✎ ", " ".join(before.split())).strip()
        if not text:
            self._footnote("left_as_it_is")
            return
        self._attached = [*attachments.parts_again(parts), *self._attached]
        message = self.with_attachments(text)
        self._run_turn(partial(self._view.ask, message, replaces=turn_id))

    def _attach(self, rest: str) -> None:
        if not rest:
            raise Problem("which_file")
        part = attachments.upload(self._session.functions, Path(rest).expanduser())
        self._attached.append(part)
        self._footnote("attached", file=part["name"])

    def _rate(self, rest: str) -> None:
        rating, _, comment = rest.partition(" ")
        if rating not in ("up", "down"):
            raise Problem("which_rating")
        if self._dialogue.run_id is None:
            raise Problem("no_answer_yet")
        about = {"threadId": self._dialogue.thread_id, "runId": self._dialogue.run_id}
        said = {"rating": rating} | ({"comment": comment} if comment else {})
        self._session.functions.call("rate_message", {**about, **said})
        self._footnote("noted")

    def _threads(self, rest: str) -> None:
        self._threads_shown = self._session.store.threads(limit=_LISTED)
        show_threads(self._screen, self._threads_shown)

    def _open(self, rest: str) -> None:
        if place := chosen_number(self._threads_shown, rest):
            rest = self._threads_shown[place - 1].id
        if not rest:
            raise Problem("which_thread")
        thread = self._session.store.thread(rest)
        log = self._session.store.log(rest)
        run_id = str(thread.waiting["runId"]) if thread.waiting else ""
        run_id = run_id or (str(log[-1]["runId"]) if log else "")
        result = self._session.store.result(rest, run_id) if run_id else None
        self._view.enter(thread, result)
        self._show(thread, log)
        if run_id and result is None:
            events = self._session.store.events(rest, run_id)
            self._run_turn(partial(self._view.follow, events))
        elif not thread.waiting:
            self._dialogue.waiting, self._dialogue.pending = [], []
        elif not self._dialogue.pending:
            self._run_turn(self._view.go_on)
        if self._dialogue.pending and self._takes_over():
            self._run_turn(self._view.take_over)

    def _takes_over(self) -> bool:
        names = ", ".join(call["tool"] for call in self._dialogue.pending)
        if not self._view.runs_tools:
            self._footnote("left_to_files", tools=names)
            return False
        self._footnote("left_to_client", tools=names)
        self._view.show_pending()
        discard_typeahead()
        said = self._read(prompt(self._screen, self._text("run_here")), "").strip().lower()
        return said in ("y", "yes", "כן")

    def _show(self, thread: Thread, log: list[dict[str, Any]]) -> None:
        """The thread's title, and the last thing said in it."""
        self._screen.say(Text(thread.title or thread.id, "bold"))
        asked = [each for each in log if each["role"] == "user"]
        answers = [each for each in log if each["role"] == "model" and each.get("text")]
        if asked:
            question = said_in(asked[-1]["parts"])
            self._screen.follow(question)
            self._screen.question(question)
        if answers and answers[-1]["n"] > (asked[-1]["n"] if asked else -1):
            self._screen.answer(str(answers[-1]["text"]))

    def _export(self, rest: str) -> None:
        if not rest:
            raise Problem("export_where")
        text = export.thread_as_markdown(self._session.store, self._require_thread())
        export.write(text, Path(rest).expanduser())
        self._footnote("written", file=rest)

    def _title(self, rest: str) -> None:
        if not 0 < len(rest) <= _TITLE_CHARS:
            raise Problem("title", most=_TITLE_CHARS)
        self._session.store.rename(self._require_thread(), rest)
        self._footnote("renamed")

    def _new(self, rest: str) -> None:
        self._view.start_over()
        self._screen.say_line(self._text("new_thread"), "dim")

    def _help(self, rest: str) -> None:
        self._screen.say()
        for name in self._commands:
            typed, what = self._text(f"help.{name}.typed"), self._text(f"help.{name}")
            line = Text.assemble((isolated(typed).ljust(22), "bold"), isolated(what))
            self._screen.indented(line)
        self._screen.say_line(self._text("help.keys"), "dim")

    def _text(self, key: str, **values: object) -> str:
        return text_in(self._screen.language, key, **values)

    def _footnote(self, key: str, **values: object) -> None:
        self._screen.footnote(self._text(key, **values))

    def _run_turn(self, begin: Callable[[], object]) -> None:
        run_turn(self._screen, self._view, begin, read=self._read, command=self.do_meanwhile)

    def _require_thread(self) -> str:
        if self._dialogue.thread_id is None:
            raise Problem("no_thread_yet")
        return self._dialogue.thread_id

    def _require_turn(self) -> tuple[str, str]:
        thread_id = self._require_thread()
        if self._dialogue.turn_id is None:
            raise Problem("nothing_asked")
        return thread_id, self._dialogue.turn_id
