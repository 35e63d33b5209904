"""`rollcall chat`: a dialogue at the keyboard."""

from __future__ import annotations

from functools import partial

from rollcall_cli import approvals
from rollcall_cli.approvals import ReadLine
from rollcall_cli.chat_commands import ChatCommands
from rollcall_cli.dialogue_view import DialogueView, Exit, Quit
from rollcall_cli.http import CallError
from rollcall_cli.problem import Problem
from rollcall_cli.screen import Screen
from rollcall_cli.session import Session
from rollcall_cli.turn import is_exit_word, run_turn
from rollcall_cli.wording import text_in


class Chat:
    """A chat session: messages, and commands that begin with a slash, until the person leaves.

    Args:
        read: Reads a line.
    """

    def __init__(
        self,
        screen: Screen,
        session: Session,
        view: DialogueView,
        *,
        read: ReadLine = approvals.from_keyboard,
    ) -> None:
        self._screen = screen
        self._view = view
        self._read = read
        self._commands = ChatCommands(screen, session, view, read=read)

    def stay(self, *, thread: str | None = None) -> int:
        """Run the session; return an exit code.

        Args:
            thread: The thread to continue.
        """
        approvals.edit_lines()
        try:
            if thread is not None:
                self._do(partial(self._commands.do, f"/open {thread}"))
            while (line := self._line()) is not None:
                self._do(partial(self._take, line))
        except Exit:
            return 0
        except Quit:
            self._screen.say()
            return 130
        return 0

    def _take(self, line: str) -> None:
        if line.startswith("/"):
            self._commands.do(line)
        elif line:
            message = self._commands.with_attachments(line)
            run_turn(
                self._screen,
                self._view,
                partial(self._view.ask, message),
                read=self._read,
                command=self._commands.do_meanwhile,
            )

    def _do(self, what: partial[None]) -> None:
        try:
            what()
        except KeyboardInterrupt:
            self._screen.say()
            self._screen.say_line(text_in(self._screen.language, "stopped"), "dim")
        except CallError as error:
            self._screen.failure(error)
        except Problem as problem:
            self._screen.problem(problem)

    def _line(self) -> str | None:
        """Read the next line; None on Ctrl-D or a word for leaving.

        Raises:
            Quit: On Ctrl-C twice.
        """
        was_interrupted = False
        while True:
            self._screen.say()
            try:
                line = self._read("❯ ", "").strip()
            except EOFError:
                self._screen.say()
                return None
            except KeyboardInterrupt:
                if was_interrupted:
                    raise Quit from None
                was_interrupted = True
                self._screen.say()
                self._screen.say_line(text_in(self._screen.language, "leave_again"), "dim")
                continue
            return None if is_exit_word(line) else line
