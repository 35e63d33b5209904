"""A dialogue on the screen: its runs, approvals, and the calls that run in this client."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from rollcall_cli import diffs
from rollcall_cli.approvals import ApprovalCard, Decision
from rollcall_cli.bidi import isolated
from rollcall_cli.calls_view import CallsView
from rollcall_cli.dialogue import Content, Dialogue, Events, Interrupt
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError
from rollcall_cli.layout import BidiBlock, Order
from rollcall_cli.local_approvals import LocalApprovals
from rollcall_cli.run_stream import Replay, no_replay
from rollcall_cli.run_view import RunView
from rollcall_cli.screen import Screen
from rollcall_cli.store import Event, Result, Thread
from rollcall_cli.tools import READ_ONLY, Tools, only_read, run_calls
from rollcall_cli.wording import counted, stop_text, text_in, texts, texts_for
from rollcall_cli.workspace import ToolError, visible

_OFFLINE = "offline"
_COUNTS = ("inputTokens", "cachedInputTokens", "outputTokens")


class Quit(Exception):
    """The person pressed Ctrl-C twice."""


class Exit(Exception):
    """The person typed a word for leaving; what waits stays open."""


class DialogueView:
    """Sends messages and decisions of a dialogue, and shows its runs.

    Args:
        uid: The user.
        tools: The tools of this client, offered with every message.
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
        self._results: dict[str, dict[str, Any]] = {}  # results of calls that are not sent yet
        self._approvals = LocalApprovals()

    @property
    def waiting(self) -> list[Interrupt]:
        return self.dialogue.waiting

    @property
    def thread_id(self) -> str | None:
        return self.dialogue.thread_id

    @property
    def next_run_id(self) -> str:
        """The id of the continuation of the newest run."""
        return self.dialogue.next_run_id

    @property
    def runs_tools(self) -> bool:
        """Whether this client has tools."""
        return self._tools is not None

    def enter(self, thread: Thread, result: Result | None) -> None:
        """Continue an existing thread from the result of its newest run."""
        self.dialogue.agent = thread.agent
        self.dialogue.enter(thread.id, result)

    def start_over(self) -> None:
        """Start a new thread with the next message."""
        self.dialogue.start_over()

    def ask(self, message: Content, *, replaces: str | None = None) -> Result | None:
        """Send a message, show the turn, and return its result; None if it failed.

        This closes what waited for a decision.

        Raises:
            KeyboardInterrupt: The person stopped the run, and it is stopped.
            Quit: The person pressed Ctrl-C again while it was being stopped.
        """
        self._question = _text_of(message)
        self._screen.follow(self._question)
        return self._complete(self.dialogue.message(message, replaces=replaces))

    def retry(self) -> Result | None:
        """Ask the message of the newest turn again; see `ask`."""
        return self._complete(self.dialogue.retry())

    def answer(self, answers: Sequence[Decision]) -> Result | None:
        """Decide the interrupts, in order, and show the continuation; see `ask`."""
        waiting = self.waiting
        decided = [_with_edits(*both) for both in zip(waiting, answers, strict=True)]
        entries = [each.entry(about) for about, each in zip(waiting, answers, strict=True)]
        for about, each in zip(decided, answers, strict=True):
            if each.approved:
                arguments = about["metadata"]["arguments"]
                edited = each.edited is not None
                self._approvals.approve(about["toolCallId"], arguments, edited=edited)
        return self._complete(self.dialogue.resume(entries), decided=decided)

    def follow(self, stored: Iterable[Event]) -> Result | None:
        """Show the turn's continuation elsewhere, from its stored events. Its pending calls are not
        run: another client began them."""
        events = self.dialogue.follow(stored)
        return self._complete(events, decided=self.waiting, runs_calls=False)

    def show_pending(self) -> None:
        """Show previews of the newest run's pending calls."""
        for call in self.dialogue.pending:
            about = self._preview(
                call["id"],
                call["tool"],
                call["arguments"],
                say=texts(self._screen.language),
                whole=True,
            )
            self._screen.say()
            self._screen.indented(Text(visible(call["tool"]), "bold"))
            about = about or _arguments(call["arguments"], self._screen.order)
            self._screen.indented(about, is_ordered=True)

    def take_over(self) -> Result | None:
        """Run the calls that `show_pending` has shown, and continue; see `ask`."""
        for call in self.dialogue.pending:
            self._approvals.approve(call["id"], call["arguments"])
        return self._complete(None)

    def go_on(self) -> Result | None:
        """Show the interrupts that wait for a decision."""
        return self._complete(None)

    def preview(self, interrupt: Interrupt, *, whole: bool = False) -> RenderableType | None:
        """A preview of a call that would run in this client; None for other calls.

        Args:
            whole: Without shortening.
        """
        about = interrupt["metadata"]
        call_id, arguments = interrupt["toolCallId"], about["arguments"]
        say = texts_for(interrupt["message"])
        return self._preview(call_id, about["tool"], arguments, say=say, whole=whole)

    def cancel(self) -> None:
        """Stop the active run, or close what waits.

        Raises:
            Quit: The person pressed Ctrl-C again.
        """
        try:
            self.dialogue.cancel()
        except CallError as error:
            self._screen.failure(error)
        except KeyboardInterrupt:
            raise Quit from None

    def _preview(
        self,
        call_id: str,
        tool: str,
        arguments: dict[str, Any],
        *,
        say: Mapping[str, str],
        whole: bool,
    ) -> RenderableType | None:
        """A preview of a call, which is recorded for its approval; None for one that would not run
        here, or only reads."""
        self._approvals.request(call_id)
        order = self._screen.order
        if self._tools is None or tool not in self._tools.tools or tool in READ_ONLY:
            return None
        if tool == "run_command":
            return diffs.command(str(arguments.get("command")), order=order, say=say)
        try:
            text = self._tools.diff(tool, arguments)
        except ToolError as error:
            fails = diffs.remark(say["would_fail"].format(error=error), "red", order)
            return Group(fails, _arguments(arguments, order))
        self._approvals.request(call_id, text)
        most_lines = None if whole else diffs.SHOWN_LINES
        return diffs.diff(text, order=order, say=say, most_lines=most_lines)

    def _complete(
        self,
        events: Events | None,
        *,
        decided: Sequence[Interrupt] = (),
        runs_calls: bool = True,
    ) -> Result | None:
        """Show the turn's runs until this client cannot continue it by itself."""
        usage = TurnUsage()
        result: Result | None = None
        try:
            if events is not None:
                result = self._show_run(events, usage, decided)
            while runs_calls and self._tools and self.dialogue.pending:
                results = self._run_calls(self._tools)
                result = self._show_run(self.dialogue.answer_calls(results), usage)
                self._results = {}
        except KeyboardInterrupt:
            self.cancel()
            raise
        except CallError as error:
            self._screen.failure(error)
            return None
        self._show_end(result, usage)
        return result

    def _show_run(
        self, events: Events, usage: TurnUsage, decided: Sequence[Interrupt] = ()
    ) -> Result:
        ours = self._tools.tools if self._tools else ()
        with RunView(self._screen, self._question, decided=decided, ours=ours) as view:
            while True:
                try:
                    event = next(events)
                except StopIteration as end:
                    result: Result = end.value
                    usage.add(result)
                    break
                view.take(event)
        self._screen.sources(result["citations"], answer=result["message"])
        return result

    def _run_calls(self, tools: Tools) -> list[dict[str, Any]]:
        """The results of all pending calls. A call whose result could not be sent before does not
        run a second time."""
        pending = self.dialogue.pending
        if not self._results and not only_read(pending):
            self.dialogue.take_calls()
        calls, stop = (
            [call for call in pending if call["id"] not in self._results],
            threading.Event(),
        )
        with CallsView(self._screen, calls) as view:
            results = run_calls(tools, calls, watcher=view, stop=stop, approvals=self._approvals)
        self._results |= {result["toolCallId"]: result for result in results}
        return [self._results[call["id"]] for call in pending]

    def _show_end(self, result: Result | None, usage: TurnUsage) -> None:
        for interrupt in self.waiting:
            self._screen.say()
            about = self.preview(interrupt)
            self._screen.say(ApprovalCard(interrupt, self._screen.order, self.uid, about))
        if result is None:
            return
        language = self._screen.language
        self._screen.footnote(usage.summary(result, language))
        for call in result["toolCalls"]:
            if undo := call.get("undo"):
                back = text_in(language, "taken_back", tool=call["tool"], undo=undo["tool"])
                self._screen.footnote(back)
        if result["quickReplies"]:
            replies = " · ".join(map(isolated, result["quickReplies"]))
            self._screen.footnote(f"{texts(language)['quick_replies']} {replies}")


class TurnUsage:
    """The usage of one turn: models, steps, time, and cost if there is any."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._steps = 0
        self._models: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, result: Result) -> None:
        """Add one run; the `steps` of a result count the whole turn."""
        self._steps = max(self._steps, result["steps"])
        for used in result["usage"]:
            total = self._models.setdefault((used["provider"], used["model"]), {})
            for count in _COUNTS:
                total[count] = total.get(count, 0) + used.get(count, 0)
            if used.get("costUsd") is not None:
                total["costUsd"] = total.get("costUsd", 0.0) + used["costUsd"]

    def summary(self, result: Result, language: str) -> str:
        """The usage in one line, with the reason if the last run stopped early."""
        parts = [_model(*names, used, language) for names, used in self._models.items()]
        parts.append(counted(language, "steps", self._steps))
        seconds = f"{time.monotonic() - self._started:.1f}"
        parts.append(text_in(language, "seconds", seconds=seconds))
        if reason := result.get("stopReason"):
            parts.append(text_in(language, "stopped_early", reason=stop_text(language, reason)))
        return " · ".join(parts)


def _model(provider: str, model: str, used: dict[str, Any], language: str) -> str:
    if provider == _OFFLINE:
        return text_in(language, "offline")
    tokens = text_in(
        language,
        "tokens_cached" if used["cachedInputTokens"] else "tokens",
        sent=f"{used['inputTokens']:,}",
        cached=f"{used['cachedInputTokens']:,}",
        received=f"{used['outputTokens']:,}",
    )
    cost = f", ${used['costUsd']:.4f}" if "costUsd" in used else ""
    return f"{isolated(f'{provider} {model}')} ({tokens}{cost})"


def _arguments(arguments: dict[str, Any], order: Order) -> RenderableType:
    """The arguments of a call as JSON, with invisible characters made visible."""
    text = visible(json.dumps(arguments, ensure_ascii=False, indent=2))
    return BidiBlock(Text(text, overflow="fold"), order=order)


def _text_of(message: Content) -> str:
    if isinstance(message, str):
        return message
    return "\n".join(part["text"] for part in message if part["type"] == "text")


def _with_edits(interrupt: Interrupt, answer: Decision) -> Interrupt:
    """The interrupt with the edited arguments, if there are any."""
    if answer.edited is None:
        return interrupt
    return {**interrupt, "metadata": {**interrupt["metadata"], "arguments": answer.edited}}
