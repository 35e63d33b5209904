"""`ask` and `call`: send a message to an agent, or call a function, on the running emulators as a
development user."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from rollcall.commands.app import find_app, require_app
from rollcall.commands.client import Backend, Session, emulated, sign_in_developer
from rollcall.commands.output import print_json, short
from rollcall.core.errors import FAILED, USAGE, Problem
from rollcall.core.options import function_name
from rollcall.core.readable import marked
from rollcall.emulators.addresses import Configuration

WAITS = 3
"""Exit code: something waits for a person, and nobody was asked."""

_BROKEN = ("internal", "unavailable", "deadline-exceeded")
_RESULT_CHARS = 300
_ISOLATES = re.compile("[\u2066-\u2069]")


def run(options: Namespace) -> int:
    """Ask, and decide approvals; return 1 if the run or a tool failed."""
    backend, session = sign_in(options)
    agent = options.agent or _only_agent(backend, session)
    request = {"agent": agent, "message": options.message}
    if options.thread:
        request["threadId"] = options.thread
    result = _run(backend, session, request)
    while interrupts := result["outcome"].get("interrupts"):
        decisions = [_decide(each, options) for each in interrupts]
        if None in decisions:
            _note(
                "It waits for a person: repeat this with --yes or --no, or decide it in the app "
                f"(thread {result['threadId']})."
            )
            return WAITS
        resume = [
            {"interruptId": each["id"], "status": "resolved", "payload": {"approved": decision}}
            for each, decision in zip(interrupts, decisions, strict=True)
        ]
        again = {"agent": agent, "threadId": result["threadId"], "resume": resume}
        result = _run(backend, session, again)
    _note(f"thread {result['threadId']}: go on in it with --thread {result['threadId']}")
    return _exit_code(result)


def _only_agent(backend: Backend, session: Session) -> str:
    """The agent of an app that has one.

    Raises:
        Problem: It has none for this user, or several.
    """
    found = backend.call(function_name("list_capabilities"), {}, session.token)["agents"]
    if len(found) == 1:
        return str(found[0]["id"])
    if not found:
        raise Problem("The app has no agent: declare one in an agents.py beside its capabilities.")
    names = ", ".join(each["id"] for each in found)
    raise Problem(f"Which agent? Say --agent with one of: {names}", exit_code=USAGE)


def _run(backend: Backend, session: Session, request: Mapping[str, Any]) -> dict[str, Any]:
    """One run, shown as it goes: the answer on standard output, all else beside it; its result."""
    arguments: dict[str, str] = {}
    is_in_line = False

    def end_line() -> None:
        nonlocal is_in_line
        if is_in_line:
            sys.stdout.write("\n")
            sys.stdout.flush()
        is_in_line = False

    def show(event: Mapping[str, Any]) -> None:
        nonlocal is_in_line
        match event["type"]:
            case "TEXT_MESSAGE_CONTENT":
                sys.stdout.write(_terminal_text(str(event["delta"])))
                sys.stdout.flush()
                is_in_line = True
            case "TEXT_MESSAGE_END":
                end_line()
            case "TOOL_CALL_START":
                end_line()
                arguments[event["toolCallId"]] = f"-> {event['toolCallName']} "
            case "TOOL_CALL_ARGS":
                arguments[event["toolCallId"]] += event["delta"]
            case "TOOL_CALL_END":
                _note(arguments.pop(event["toolCallId"]))
            case "TOOL_CALL_RESULT":
                content = str(event["content"])
                _note(f"<- {content[:_RESULT_CHARS]}{' ...' * (len(content) > _RESULT_CHARS)}")

    name = function_name("run_agent")
    result: dict[str, Any] = backend.stream(name, request, show, session.token)
    end_line()
    return result


def _decide(interrupt: Mapping[str, Any], options: Namespace) -> bool | None:
    """What the person says to a write; None where nobody can be asked here."""
    about = interrupt.get("metadata", {})
    _note(f"?? {interrupt['message']}")
    _note(f"   {about.get('tool')} {short(about.get('arguments'))}")
    if role := about.get("decider", {}).get("role"):
        _note(f"   (somebody with the role {role} decides it, not the user who asks)")
        return None
    if options.decision is not None:
        return bool(options.decision)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    while True:
        print("   Approve it? [y/n] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:
            _note("")  # the end of the line that asked
            return None
        if answer.strip().lower() in ("y", "yes", "n", "no"):
            return answer.strip().lower().startswith("y")


def _exit_code(result: Mapping[str, Any]) -> int:
    """1 where the run was stopped, or a tool broke that no later call made good."""
    if result["outcome"]["type"] == "cancelled":
        _note(f"The run was stopped: {result.get('stopReason')}")
        return FAILED
    last = {call["tool"]: call for call in result["toolCalls"]}
    code = 0
    for call in last.values():
        error = call.get("error") or {}
        # These fail in a way that no other arguments would have helped.
        if call["status"] == "unknown" or error.get("code") in _BROKEN:
            _note(f"{call['tool']} failed: {error.get('message') or call['status']}")
            code = FAILED
    return code


def _note(text: str) -> None:
    print(_terminal_text(text), file=sys.stderr, flush=True)


def _terminal_text(text: str) -> str:
    """A text of somebody else's for the terminal; what only keeps the two directions of writing
    apart is left out."""
    return marked(_ISOLATES.sub("", text))


def call(options: Namespace) -> int:
    """Call a function and print its result as JSON."""
    backend, session = sign_in(options)
    print_json(backend.call(options.function, options.data, session.token))
    return 0


def sign_in(options: Namespace) -> tuple[Backend, Session]:
    """Return the app's emulators and the user of `--as`, signed in.

    Raises:
        Problem: This is no app, or its emulators do not run.
        CallError: The Auth emulator refused.
    """
    app = require_app(find_app())
    backend = emulated(Configuration(app.root), options.project)
    app.load_environment(backend.project, emulator=True, env=os.environ)
    backend = replace(backend, on_incident=lambda text: print(text, file=sys.stderr))
    return backend, sign_in_developer(backend, options.user)
