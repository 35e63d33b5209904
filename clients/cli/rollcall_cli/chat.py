"""`rollcall chat`: a dialogue at the keyboard."""

from __future__ import annotations

from functools import partial

from rollcall_cli import approvals
from rollcall_cli.approvals import Read
from rollcall_cli.conversation import Conversation, Left, Quit
from rollcall_cli.http import CallError
from rollcall_cli.problem import Problem
from rollcall_cli.screen import Screen
from rollcall_cli.signing_in import Session
from rollcall_cli.slash import Slash
from rollcall_cli.talking import converse, is_leaving


class Chat:
    """One sitting: messages, and commands that begin with a slash, until the person leaves.

    Args:
        read: Reads a line.
    """

    def __init__(
        self,
        screen: Screen,
        session: Session,
        conversation: Conversation,
        *,
        read: Read = approvals.from_keyboard,
    ) -> None:
        self._screen = screen
        self._conversation = conversation
        self._read = read
        self._slash = Slash(screen, session, conversation, read=read)

    def stay(self, *, thread: str | None = None) -> int:
        """Talk until there is nothing more to say; an exit code.

        Args:
            thread: The thread to go on in.
        """
        approvals.edit_lines()
        try:
            if thread is not None:
                self._do(partial(self._slash.do, f"/open {thread}"))
            while (line := self._line()) is not None:
                self._do(partial(self._take, line))
        except Left:
            return 0
        except Quit:
            self._screen.say()
            return 130
        return 0

    def _take(self, line: str) -> None:
        if line.startswith("/"):
            self._slash.do(line)
        elif line:
            message = self._slash.with_attachments(line)
            converse(
                self._screen,
                self._conversation,
                partial(self._conversation.ask, message),
                read=self._read,
                command=self._slash.do_meanwhile,
            )

    def _do(self, what: partial[None]) -> None:
        try:
            what()
        except KeyboardInterrupt:
            self._screen.say("\nStopped.", style="dim")
        except CallError as error:
            self._screen.failure(error)
        except Problem as problem:
            self._screen.problem(problem)

    def _line(self) -> str | None:
        """The next line; None when the person has had enough: Ctrl-D, or Ctrl-C twice."""
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
                self._screen.say("\nCtrl-C again, or Ctrl-D, leaves.", style="dim")
                continue
            return None if is_leaving(line) else line
