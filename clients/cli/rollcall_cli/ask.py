"""`rollcall ask`: one question, one answer, for pipes and scripts."""

from __future__ import annotations

import contextlib
import shlex
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from rollcall_cli import preapproval, wording
from rollcall_cli.console import SafeConsole, print_json, tidy
from rollcall_cli.dialogue import Call, Dialogue, Events
from rollcall_cli.http import CallError
from rollcall_cli.local_approvals import LocalApprovals
from rollcall_cli.preapproval import Preapproval
from rollcall_cli.screen import Screen
from rollcall_cli.store import Result
from rollcall_cli.tools import Tools, only_read, run_calls
from rollcall_cli.wording import language_of, stop_text, text_in, texts
from rollcall_cli.workspace import visible

ANSWERED, WAITS, FAILED, STOPPED, INTERRUPTED = 0, 2, 3, 4, 130
"""Exit codes: answered; waits for a decision; refused or failed; stopped by a limit; Ctrl-C."""


_SERVER_SIDE = ("internal", "unavailable", "deadline-exceeded")
"""Error codes of a tool that other arguments would not have avoided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Options of `ask`.

    Attributes:
        uid: The user.
        tools: The tools that run in this client.
        yes_to: Approvals given in advance.
        as_json: Print the whole result of the last run.
        locale: The language of what is printed; that of the question by default.
        chat: The command to continue in a thread, with the same deployment and folder.
    """

    uid: str
    tools: Tools | None = None
    yes_to: Sequence[Preapproval] = ()
    as_json: bool = False
    locale: str | None = None
    chat: str = "rollcall chat"


def ask(dialogue: Dialogue, question: str, options: AskOptions) -> int:
    """Ask, print the answer, and return an exit code."""
    language = options.locale or language_of(question)
    try:
        with _spinner(language):
            result = _complete(dialogue, question, options)
    except CallError as error:
        return report_error(error, as_json=options.as_json, locale=language)
    except KeyboardInterrupt:
        dialogue.cancel()
        return report_interrupt(as_json=options.as_json, locale=language)
    if options.as_json:
        print_json(result)
    else:
        _print_answer(result, language)
    return _exit_code(dialogue, result, chat=options.chat, language=language)


def report_error(error: CallError, *, as_json: bool, locale: str | None = None) -> int:
    """Print an error, with `as_json` as JSON too, and return its exit code."""
    message, hint = error.said(locale)
    if as_json:
        details = {**error.details, "hint": hint} if hint else error.details
        print_json({"error": {"code": error.code, "message": message, "details": details}})
    print(tidy(f"{error.code}: {message}"), file=sys.stderr)
    if not hint and error.code == "unauthenticated":
        hint = wording.error_text("sign_in_anew").say(locale)
    if hint:
        print(tidy(hint), file=sys.stderr)
    _print_incidents(error.incidents)
    return FAILED


def report_interrupt(*, as_json: bool, locale: str) -> int:
    """Print that Ctrl-C stopped the run, and return its exit code."""
    if as_json:
        print_json({"error": {"code": "cancelled", "message": text_in(locale, "stopped_by_keys")}})
    print(text_in(locale, "stopped"), file=sys.stderr)
    return INTERRUPTED


def _complete(dialogue: Dialogue, question: str, options: AskOptions) -> Result:
    """Continue the turn until it ends or waits for a person; return the last run's result."""
    result = _result_of(dialogue, dialogue.message(question))
    approvals = LocalApprovals()
    while True:
        if options.tools and dialogue.pending:
            if not only_read(dialogue.pending):
                dialogue.take_calls()
            results = run_calls(
                options.tools,
                dialogue.pending,
                watcher=_NullWatcher(),
                stop=threading.Event(),
                approvals=approvals,
            )
            result = _result_of(dialogue, dialogue.answer_calls(results))
            continue
        waiting = dialogue.waiting
        said = (
            preapproval.resume_entries(waiting, options.yes_to, uid=options.uid)
            if waiting
            else None
        )
        if said is None:
            return result
        for interrupt in waiting:
            approvals.approve(interrupt["toolCallId"], interrupt["metadata"]["arguments"])
        result = _result_of(dialogue, dialogue.resume(said))


def _exit_code(dialogue: Dialogue, result: Result, *, chat: str, language: str) -> int:
    def tell(key: str, **values: str) -> None:
        print(text_in(language, key, **values), file=sys.stderr)

    if dialogue.waiting or dialogue.pending:
        for interrupt in dialogue.waiting:
            tell("ask.waits", message=tidy(interrupt["message"]))
        for call in dialogue.pending:
            tell("ask.left", tool=visible(call["tool"]))
        thread = shlex.quote(tidy(str(dialogue.thread_id)))  # for copying into a shell
        print(f"{texts(language)['ask.go_on']} {chat} --thread {thread}", file=sys.stderr)
        return WAITS
    if result["outcome"]["type"] == "cancelled":
        reason = str(result.get("stopReason") or "cancelled")
        tell("ask.stopped", reason=tidy(stop_text(language, reason)))
        return STOPPED
    broken = _failed_calls(result)
    for call in broken:
        message = (call.get("error") or {}).get("message") or call["status"]
        print(f"{visible(call['tool'])}: {tidy(str(message))}", file=sys.stderr)
    return FAILED if broken else ANSWERED


def _result_of(dialogue: Dialogue, events: Events) -> Result:
    while True:
        try:
            next(events)
        except StopIteration as end:
            _print_incidents(dialogue.incidents)
            result: Result = end.value
            return result


def _print_incidents(incidents: Sequence[dict[str, str]]) -> None:
    """Print tracebacks of functions on emulators, for developers."""
    for incident in incidents:
        print(tidy(f"Incident {incident['id']}:\n{incident['traceback']}"), file=sys.stderr)


def _failed_calls(result: Result) -> list[Call]:
    """Calls that failed on the server, without a later call of the same tool that succeeded."""
    last = {call["tool"]: call for call in result["toolCalls"]}
    return [
        call
        for call in last.values()
        if call["status"] == "unknown"
        or (call["status"] == "failed" and (call.get("error") or {}).get("code") in _SERVER_SIDE)
    ]


def _print_answer(result: Result, language: str) -> None:
    """Print the answer, formatted on a terminal and as Markdown elsewhere."""
    if sys.stdout.isatty():
        screen = Screen(locale=language)
        screen.answer(result["message"])
        screen.sources(result["citations"], answer=result["message"])
        return
    print(tidy(result["message"]).strip())
    for citation in result["citations"]:
        print(tidy(f"[{citation['n']}] {' '.join(citation['title'].split())}"))


@contextlib.contextmanager
def _spinner(language: str) -> Iterator[None]:
    """Show a spinner on standard error if that is a terminal."""
    console: Console = SafeConsole(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(text_in(language, "thinking")):
        yield


class _NullWatcher:
    """A watcher that shows nothing."""

    def began(self, call: Call) -> None:
        """Nothing is shown."""

    def wrote(self, call: Call, output: str) -> None:
        """Nothing is shown."""

    def ended(self, call: Call, result: dict[str, Any]) -> None:
        """Nothing is shown."""
