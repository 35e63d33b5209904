"""A dialogue on the screen: messages to an agent and answers to its own, and its calls run here."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from rollcall_cli import diffs
from rollcall_cli.agreed import Agreed
from rollcall_cli.approvals import Answer, Card
from rollcall_cli.arrange import Arranged, Order
from rollcall_cli.callable import Functions
from rollcall_cli.calls_view import CallsView
from rollcall_cli.course import Replay, no_replay
from rollcall_cli.dialogue import Content, Dialogue, Events, Interrupt
from rollcall_cli.http import CallError
from rollcall_cli.run_view import RunView
from rollcall_cli.screen import Screen
from rollcall_cli.spent import Spent
from rollcall_cli.stored import Event, Result, Thread
from rollcall_cli.tools import READING, Tools, only_read, run_calls
from rollcall_cli.wording import texts, texts_for
from rollcall_cli.workspace import ToolError, visible


class Quit(Exception):
    """The person has had enough of all of it."""


class Left(Exception):
    """The person leaves; what waits for them stays open."""


class Conversation:
    """Asks, and shows what comes back. `waiting` is what the last run left to be decided.

    Args:
        uid: Who asks.
        tools: What can be run here; offered with every message.
    """

    def __init__(
        self,
        functions: Functions,
        screen: Screen,
        *,
        agent: str,
        uid: str,
        context: Mapping[str, str] | None = None,
        tools: Tools | None = None,
        replay: Replay = no_replay,
        take: Callable[[str, str], bool] = lambda thread_id, run_id: True,
        locale: str | None = None,
    ) -> None:
        self.dialogue = Dialogue(
            functions,
            agent=agent,
            replay=replay,
            take=take,
            client_tools=tools.tools if tools else (),
            context=context,
            locale=locale,
        )
        self.uid = uid
        self._screen = screen
        self._tools = tools
        self._question = ""
        self._ran: dict[str, dict[str, Any]] = {}  # what calls came to, until that is sent
        self._agreed = Agreed()

    @property
    def waiting(self) -> list[Interrupt]:
        return self.dialogue.waiting

    @property
    def thread_id(self) -> str | None:
        return self.dialogue.thread_id

    @property
    def next_run_id(self) -> str:
        """The run that goes on from what waits, if nobody names it otherwise."""
        return self.dialogue.next_run_id

    @property
    def runs_tools(self) -> bool:
        """Whether anything can be run here."""
        return self._tools is not None

    def enter(self, thread: Thread, result: Result | None) -> None:
        """Go on in a thread that is there, from the result of its newest run."""
        self.dialogue.agent = thread.agent
        self.dialogue.enter(thread.id, result)

    def start_over(self) -> None:
        """Put the next question into a new thread."""
        self.dialogue.start_over()

    def ask(self, message: Content, *, replaces: str | None = None) -> Result | None:
        """Ask, show the answer as it comes, and return the result; None if there was none.

        What waited for a decision is thereby closed.

        Raises:
            KeyboardInterrupt: The person stopped it, and it is stopped.
            Quit: They did so a second time.
        """
        self._question = _text_of(message)
        return self._to_its_end(self.dialogue.message(message, replaces=replaces))

    def retry(self) -> Result | None:
        """Ask the newest turn again; as `ask`."""
        return self._to_its_end(self.dialogue.retry())

    def answer(self, answers: Sequence[Answer]) -> Result | None:
        """Answer what waits, in its order, and show how the turn goes on; as `ask`."""
        waiting = self.waiting
        decided = [_as_decided(*both) for both in zip(waiting, answers, strict=True)]
        entries = [each.entry(about) for about, each in zip(waiting, answers, strict=True)]
        for about, each in zip(decided, answers, strict=True):
            if each.approved:
                arguments = about["metadata"]["arguments"]
                edited = each.edited is not None
                self._agreed.said_yes(about["toolCallId"], arguments, edited=edited)
        return self._to_its_end(self.dialogue.resume(entries), decided=decided)

    def follow(self, stored: Iterable[Event]) -> Result | None:
        """Show how the turn goes on elsewhere, from the events that are stored of it. Calls that it
        leaves to a client are not run: another one began them."""
        events = self.dialogue.follow(stored)
        return self._to_its_end(events, decided=self.waiting, runs_calls=False)

    def show_pending(self) -> None:
        """Show what each of the calls would do here that the newest run left to a client."""
        for call in self.dialogue.pending:
            about = self._would_do(
                call["id"], call["tool"], call["arguments"], say=texts("en"), whole=True
            )
            self._screen.say()
            self._screen.indented(Text(visible(call["tool"]), "bold"))
            about = about or _arguments(call["arguments"], self._screen.order)
            self._screen.indented(about, is_arranged=True)

    def take_over(self) -> Result | None:
        """Run the calls that `show_pending` has shown, and go on; as `ask`."""
        for call in self.dialogue.pending:
            self._agreed.said_yes(call["id"], call["arguments"])
        return self._to_its_end(None)

    def go_on(self) -> Result | None:
        """Show what waits to be decided."""
        return self._to_its_end(None)

    def shown_of(self, interrupt: Interrupt, *, whole: bool = False) -> RenderableType | None:
        """What a call that would run here would do; None for others.

        Args:
            whole: Also lines that a card leaves out.
        """
        about = interrupt["metadata"]
        call_id, arguments = interrupt["toolCallId"], about["arguments"]
        say = texts_for(interrupt["message"])
        return self._would_do(call_id, about["tool"], arguments, say=say, whole=whole)

    def cancel(self) -> None:
        """Stop the run that is at work, or close what waits.

        Raises:
            Quit: The person does not want to wait for that.
        """
        try:
            self.dialogue.cancel()
        except CallError as error:
            self._screen.failure(error)
        except KeyboardInterrupt:
            raise Quit from None

    def _would_do(
        self,
        call_id: str,
        tool: str,
        arguments: dict[str, Any],
        *,
        say: Mapping[str, str],
        whole: bool,
    ) -> RenderableType | None:
        """What a call would do here, which is noted as shown; None for one that would not run
        here, or only reads."""
        self._agreed.asked(call_id)
        order = self._screen.order
        if self._tools is None or tool not in self._tools.tools or tool in READING:
            return None
        if tool == "run_command":
            return diffs.command(str(arguments.get("command")), order=order, say=say)
        try:
            text = self._tools.diff(tool, arguments)
        except ToolError as error:
            fails = diffs.remark(say["would_fail"].format(error=error), "red", order)
            return Group(fails, _arguments(arguments, order))
        self._agreed.asked(call_id, text)
        most_lines = None if whole else diffs.SHOWN_LINES
        return diffs.diff(text, order=order, say=say, most_lines=most_lines)

    def _to_its_end(
        self,
        events: Events | None,
        *,
        decided: Sequence[Interrupt] = (),
        runs_calls: bool = True,
    ) -> Result | None:
        """Show runs until none is left that this client can answer by itself."""
        spent = Spent()
        result: Result | None = None
        try:
            if events is not None:
                result = self._shown(events, spent, decided)
            while runs_calls and self._tools and self.dialogue.pending:
                results = self._run_calls(self._tools)
                result = self._shown(self.dialogue.answer_calls(results), spent)
                self._ran = {}
        except KeyboardInterrupt:
            self.cancel()
            raise
        except CallError as error:
            self._screen.failure(error)
            return None
        self._tell_end(result, spent)
        return result

    def _shown(self, events: Events, spent: Spent, decided: Sequence[Interrupt] = ()) -> Result:
        ours = self._tools.tools if self._tools else ()
        with RunView(self._screen, self._question, decided=decided, ours=ours) as view:
            while True:
                try:
                    event = next(events)
                except StopIteration as end:
                    result: Result = end.value
                    spent.add(result)
                    break
                view.take(event)
        self._screen.sources(result["citations"], answer=result["message"])
        return result

    def _run_calls(self, tools: Tools) -> list[dict[str, Any]]:
        """The results of all that is left here. What ran before, and could not be sent, does not
        run a second time."""
        pending = self.dialogue.pending
        if not self._ran and not only_read(pending):
            self.dialogue.take_calls()
        calls, stop = [call for call in pending if call["id"] not in self._ran], threading.Event()
        with CallsView(self._screen, calls) as view:
            results = run_calls(tools, calls, watcher=view, stop=stop, agreed=self._agreed)
        self._ran |= {result["toolCallId"]: result for result in results}
        return [self._ran[call["id"]] for call in pending]

    def _tell_end(self, result: Result | None, spent: Spent) -> None:
        for interrupt in self.waiting:
            self._screen.say()
            about = self.shown_of(interrupt)
            self._screen.say(Card(interrupt, self._screen.order, self.uid, about))
        if result is None:
            return
        self._screen.footnote(spent.summary(result))
        for call in result["toolCalls"]:
            if undo := call.get("undo"):
                self._screen.footnote(f"{call['tool']} can be taken back by {undo['tool']}")
        if result["quickReplies"]:
            self._screen.footnote("You could say: " + " · ".join(result["quickReplies"]))


def _arguments(arguments: dict[str, Any], order: Order) -> RenderableType:
    """All that a call was given, with nothing unseen in it."""
    text = visible(json.dumps(arguments, ensure_ascii=False, indent=2))
    return Arranged(Text(text, overflow="fold"), order=order)


def _text_of(message: Content) -> str:
    if isinstance(message, str):
        return message
    return "\n".join(part["text"] for part in message if part["type"] == "text")


def _as_decided(interrupt: Interrupt, answer: Answer) -> Interrupt:
    """The interrupt with the arguments that were approved."""
    if answer.edited is None:
        return interrupt
    return {**interrupt, "metadata": {**interrupt["metadata"], "arguments": answer.edited}}
