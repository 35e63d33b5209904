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

from rollcall_cli import wording, yes_to
from rollcall_cli.agreed import Agreed
from rollcall_cli.dialogue import Call, Dialogue, Events
from rollcall_cli.http import CallError
from rollcall_cli.safe import SafeConsole, print_json, tidy
from rollcall_cli.screen import Screen
from rollcall_cli.stored import Result
from rollcall_cli.tools import Tools, only_read, run_calls
from rollcall_cli.wording import language_of
from rollcall_cli.workspace import visible
from rollcall_cli.yes_to import YesTo

ANSWERED, WAITS, FAILED, STOPPED, INTERRUPTED = 0, 2, 3, 4, 130
"""Exit codes: answered; somebody has to decide; refused or failed; stopped by a bound."""


_SERVER_SIDE = ("internal", "unavailable", "deadline-exceeded")
"""Codes of a tool's failure that no other arguments would have helped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a question is asked.

    Attributes:
        uid: Who asks.
        tools: What can be run here.
        yes_to: What is approved beforehand.
        as_json: Print the last run's result whole.
        locale: The language of errors; that of the question where left out.
        chat: The command that goes on in a thread, with the same place and folder.
    """

    uid: str
    tools: Tools | None = None
    yes_to: Sequence[YesTo] = ()
    as_json: bool = False
    locale: str | None = None
    chat: str = "rollcall chat"


def ask(dialogue: Dialogue, question: str, asking: Asking) -> int:
    """Ask, print the answer, and return an exit code."""
    try:
        with _waiting():
            result = _to_its_end(dialogue, question, asking)
    except CallError as error:
        return failed(error, as_json=asking.as_json, locale=asking.locale or language_of(question))
    except KeyboardInterrupt:
        dialogue.cancel()
        return interrupted(as_json=asking.as_json)
    if asking.as_json:
        print_json(result)
    else:
        _print_answer(result)
    return _code(dialogue, result, chat=asking.chat)


def failed(error: CallError, *, as_json: bool, locale: str | None = None) -> int:
    """Say why there is no answer, to programs too, and return the exit code for it."""
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


def interrupted(*, as_json: bool) -> int:
    """Say that it was stopped by Ctrl-C, and return the exit code for it."""
    if as_json:
        print_json({"error": {"code": "cancelled", "message": "stopped by Ctrl-C"}})
    print("Stopped.", file=sys.stderr)
    return INTERRUPTED


def _to_its_end(dialogue: Dialogue, question: str, asking: Asking) -> Result:
    """The result that is left when nothing more can be done without a person."""
    result = _drained(dialogue, dialogue.message(question))
    agreed = Agreed()
    while True:
        if asking.tools and dialogue.pending:
            if not only_read(dialogue.pending):
                dialogue.take_calls()
            results = run_calls(
                asking.tools,
                dialogue.pending,
                watcher=_Unseen(),
                stop=threading.Event(),
                agreed=agreed,
            )
            result = _drained(dialogue, dialogue.answer_calls(results))
            continue
        waiting = dialogue.waiting
        said = yes_to.entries(waiting, asking.yes_to, uid=asking.uid) if waiting else None
        if said is None:
            return result
        for interrupt in waiting:
            agreed.said_yes(interrupt["toolCallId"], interrupt["metadata"]["arguments"])
        result = _drained(dialogue, dialogue.resume(said))


def _code(dialogue: Dialogue, result: Result, *, chat: str) -> int:
    if dialogue.waiting or dialogue.pending:
        for interrupt in dialogue.waiting:
            print(f"Waits for a yes: {tidy(interrupt['message'])}", file=sys.stderr)
        for call in dialogue.pending:
            print(f"Left to a client with --root: {visible(call['tool'])}", file=sys.stderr)
        thread = shlex.quote(tidy(str(dialogue.thread_id)))  # it is there to be copied
        print(f"Go on with: {chat} --thread {thread}", file=sys.stderr)
        return WAITS
    if result["outcome"]["type"] == "cancelled":
        reason = str(result.get("stopReason") or "stopped").replace("_", " ")
        print(f"Stopped before its end: {tidy(reason)}", file=sys.stderr)
        return STOPPED
    broken = _broken_calls(result)
    for call in broken:
        message = (call.get("error") or {}).get("message") or call["status"]
        print(f"{visible(call['tool'])}: {tidy(str(message))}", file=sys.stderr)
    return FAILED if broken else ANSWERED


def _drained(dialogue: Dialogue, events: Events) -> Result:
    while True:
        try:
            next(events)
        except StopIteration as end:
            _print_incidents(dialogue.incidents)
            result: Result = end.value
            return result


def _print_incidents(incidents: Sequence[dict[str, str]]) -> None:
    """Show a developer what broke off on the emulators."""
    for incident in incidents:
        print(tidy(f"Incident {incident['id']}:\n{incident['traceback']}"), file=sys.stderr)


def _broken_calls(result: Result) -> list[Call]:
    """Calls that failed on the server's side, and that no later call of the same tool made good."""
    last = {call["tool"]: call for call in result["toolCalls"]}
    return [
        call
        for call in last.values()
        if call["status"] == "unknown"
        or (call["status"] == "failed" and (call.get("error") or {}).get("code") in _SERVER_SIDE)
    ]


def _print_answer(result: Result) -> None:
    """Laid out on a terminal; as plain Markdown elsewhere."""
    if sys.stdout.isatty():
        screen = Screen()
        screen.answer(result["message"])
        screen.sources(result["citations"], answer=result["message"])
        return
    print(tidy(result["message"]).strip())
    for citation in result["citations"]:
        print(tidy(f"[{citation['n']}] {' '.join(citation['title'].split())}"))


@contextlib.contextmanager
def _waiting() -> Iterator[None]:
    """Show that something goes on, where a person looks."""
    console: Console = SafeConsole(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status("thinking"):
        yield


class _Unseen:
    """A watcher of calls that nobody watches."""

    def began(self, call: Call) -> None:
        """Nothing is shown."""

    def wrote(self, call: Call, output: str) -> None:
        """Nothing is shown."""

    def ended(self, call: Call, result: dict[str, Any]) -> None:
        """Nothing is shown."""
