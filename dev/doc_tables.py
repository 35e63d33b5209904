"""Writes the tables of the documentation that are made of the code: python -m dev.doc_tables

A page holds each table between `<!-- table: name -->` and `<!-- end -->`. A test says that the
tables are current, and that each stands in one page.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dev.paths import FUNCTIONS, ROOT

if TYPE_CHECKING:
    from rollcall.store.files import Allowance

if str(FUNCTIONS) not in sys.path:
    sys.path.insert(0, str(FUNCTIONS))

DOCS = ROOT / "docs"
TURN_COST = ROOT / "tests/emulator/endpoints/turn_cost.json"
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_OF_A_TURN = (
    "max_steps",
    "max_calls",
    "max_calls_per_tool",
    "max_tokens",
    "max_output_tokens",
    "max_cost_usd",
    "deadline_s",
    "max_tools",
    "history_tokens",
    "history_messages",
    "turn_tokens",
    "result_chars",
)
"""Fields of a profile that bound a turn, in the order of the table."""

Row = tuple[str, ...]


def main() -> int:
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (tables := render(text)) != text:
            page.write_text(tables, encoding="utf-8")
            print(f"{page.relative_to(ROOT)} is written.")
    return 0


def render(text: str) -> str:
    """A page with its tables as they should be.

    Raises:
        KeyError: The page names a table that is not in `TABLES`.
    """
    return _TABLE.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}", text)


def names(text: str) -> list[str]:
    """The tables that a page holds."""
    return [found[2] for found in _TABLE.finditer(text)]


def capability_options() -> str:
    """The options of `@capability`."""
    from rollcall.core.capability import capability

    rows = [
        (f"`{name}`", _default(default), text)
        for name, (default, text) in _parameters(capability).items()
    ]
    return _table(("option", "default", "meaning"), rows)


def profile_fields() -> str:
    """The fields of an agent's profile that do not bound its turns."""
    from rollcall.core.profile import AgentProfile

    rows = [
        (f"`{name}`", _default(default), text)
        for name, (default, text) in _parameters(AgentProfile).items()
        if name not in _OF_A_TURN
    ]
    return _table(("field", "default", "meaning"), rows)


def turn_limits() -> str:
    """The fields of an agent's profile that bound its turns."""
    from rollcall.core.profile import AgentProfile
    from rollcall.registry.documents import _adapters

    fields, overridable = _parameters(AgentProfile), _adapters()
    rows = []
    for name in _OF_A_TURN:
        default, text = fields[name]
        override = f"`{_camel(name)}`" if _camel(name) in overridable else ""
        rows.append((f"`{name}`", _number(default), text, override))
    return _table(("field", "default", "meaning", "override"), rows)


def day_limits() -> str:
    """What a user may spend in a day where an operator set nothing else."""
    from rollcall.store.budgets import UserLimits

    meanings = {
        "usd_per_day": "US dollars for models in a UTC day",
        "tokens_per_day": "input and output tokens in a UTC day",
        "runs_per_minute": "runs started in the last 60 seconds",
        "runs_at_once": "runs under way",
    }
    fields = UserLimits.model_fields
    rows = [
        (f"`{_camel(name)}`", _number(fields[name].default), meanings[name]) for name in meanings
    ]
    return _table(("field", "default", "of one user"), rows)


def fixed_limits() -> str:
    """Limits that are constants of the engine."""
    from rollcall.agent import (
        approvals,
        attached_files,
        model_calls,
        reply,
        resume,
        run,
        tool_calls,
        turn,
    )
    from rollcall.agent.remote import endpoint, http
    from rollcall.core import context, inputs, options, profile, wire
    from rollcall.endpoints import agui, agui_input, continuation, run_agent
    from rollcall.knowledge import documents, indexer, pages, pdf, reader, search
    from rollcall.registry import schemas, selection, usage
    from rollcall.store import (
        attachments,
        budgets,
        erasure,
        event_log,
        files,
        made_files,
        recovery,
        run_opening,
        runs,
    )

    groups: dict[str, dict[str, str]] = {
        "Requests": {
            "text of a message": _chars(wire.MESSAGE_CHARS),
            "parts of a message": _number(wire.MESSAGE_PARTS),
            "base64 content in a message": _chars(run_agent.MEDIA_CHARS),
            "`context` of a run or of a direct call, as JSON": _chars(inputs.CONTEXT_CHARS),
            "`threadId`": _chars(run_opening.ID_CHARS),
            "request body": _bytes(inputs.MAX_BODY_BYTES),
            "values in arguments": f"{inputs.MAX_VALUES:,}, {inputs.MAX_DEPTH} levels deep",
            "request body of `agui`": _bytes(agui.MAX_BYTES),
            "messages in `agui`": _number(agui_input.MAX_MESSAGES),
            "client tools in `agui`": _number(agui.MAX_CLIENT_TOOLS),
            "reason of a decision": _chars(wire.REASON_CHARS),
            "comment of a rating": _chars(wire.COMMENT_CHARS),
        },
        "Runs": {
            "one call of `run_agent`": f"{run_agent.RUN_AGENT_S} s",
            "one task of `continuerun`": f"{continuation.TASK_S:,} s",
            "`max_steps` of any profile": _number(profile.MAX_STEPS_CAP),
            "`runsPerMinute` of any user": _number(budgets.MAX_STARTS),
            "calls in one step": _number(turn.MAX_CALLS_PER_STEP),
            "calls at the same time": _number(tool_calls.PARALLEL),
            "agents called by agents": f"{run.MAX_DEPTH} levels",
            "attempts at a failing model": _number(model_calls.TRIES),
            "recoveries without progress": _number(recovery.MAX_FRUITLESS),
            "wait for a client's results": _time(run.CLIENT_CALL),
        },
        "Replies and results": {
            "reply, with the arguments of its calls": _chars(reply.REPLY_CHARS),
            "arguments that await approval or a client": _bytes(approvals.ARGUMENTS_BYTES),
            "results of one step": _chars(tool_calls.STEP_CHARS),
            "one result of a client": _chars(resume.CONTENT_CHARS),
            "a client's results in one step": _bytes(resume.CONTENTS_BYTES),
            "stored result of a run": _bytes(runs.RESULT_BYTES),
            "answer of a function or an API": _bytes(http.MAX_BYTES),
            "redirects of an API": _number(endpoint.MAX_REDIRECTS),
        },
        "Tools": {
            "tools that are offered without a choice": _number(selection.FEW),
            "tools of a variant with all": _number(selection.MAX_ALL),
            "tools that `find_tools` returns": _number(selection.FOUND),
            "schema of a tool": f"{schemas.MAX_CHARS:,} characters, {schemas.MAX_DEPTH} levels",
        },
        "Attachments": {
            "a file, and all files of one message": _bytes(attachments.MAX_BYTES),
            "files of a user": _allowance(attachments.ALLOWANCE),
            "newest messages whose files a model sees": _number(attached_files.NEWEST),
            "text of a document that a model sees": _chars(attached_files.TEXT_CHARS),
        },
        "Files that tools make": {
            "a file": _bytes(made_files.MADE_BYTES),
            "files of a user; beyond it the oldest go": _allowance(made_files.MADE_ALLOWANCE),
            "files of a user that something retains": _allowance(made_files.RETAINED_ALLOWANCE),
            "files of one call": _number(context.MAX_FILES),
            "the others are kept for": _time(made_files.MADE_FOR),
        },
        "Documents": {
            "a file": _bytes(documents.MAX_BYTES),
            "files of a user": _allowance(documents.ALLOWANCE),
            "name of a file": _chars(files.NAME_CHARS),
            "part of an upload": _bytes(files.PART_BYTES),
            "time to finish an upload": _time(files.OPEN_FOR),
            "pages (`too_many_pages`)": _number(pages.MAX_PAGES),
            "text (`too_much_text`)": _chars(pages.MAX_CHARS),
            "text of a page; the rest is left out": _chars(pages.MAX_PAGE_CHARS),
            "passages (`too_many_passages`)": _number(indexer.MAX_PASSAGES),
            "CPU for a page, which is left out then": f"{pdf.PAGE_S} s",
            "pages left out (`too_heavy`)": _number(pdf.MAX_LEFT_OUT),
            "memory of a reader (`too_heavy`)": _bytes(reader.MEMORY_BYTES),
            "CPU of a reader (`too_heavy`)": f"{reader.CPU_S} s",
            "time of a reader (`too_heavy`)": f"{reader.WALL_S:g} s",
            "own documents, and the team's, in a search": _number(documents.MAX_DOCUMENTS),
            "passages in a search": _number(search.SEARCHED_PASSAGES),
            "passages with vectors in a search": _number(search.SEARCHED_VECTORS),
        },
        "Kept for": {
            "events of a run": _time(event_log.RETENTION),
            "budgets of a day": f"{budgets.KEPT_DAYS} days",
            "usage counts of a day": f"{usage.KEPT_DAYS} days",
            "receipts of erasures": _time(erasure.RECEIPT_KEPT),
        },
        "Functions": {"memory": f"{options.MEMORY_MB} MiB"},
    }
    rows: list[Row] = []
    for group, values in groups.items():
        rows += [(f"**{group}**", ""), *values.items()]
    return _table(("limit", "value"), rows)


def environment() -> str:
    """The environment variables that functions read."""
    from rollcall.commands.doctor.configuration import VARIABLES

    rows = [(f"`{name}`", each.does, each.default) for name, each in VARIABLES.items()]
    return _table(("variable", "meaning", "without it"), rows)


def functions() -> str:
    """The functions of the engine, how each is reached, and its time limit."""
    from rollcall.catalog import Catalog
    from rollcall.core.triggers import OnCall, OnDocument, OnRequest, OnSchedule, OnTask, Trigger

    def reached(trigger: Trigger) -> str:
        match trigger:
            case OnSchedule():
                return trigger.when
            case OnDocument():
                return f"`{trigger.path}`"
            case OnTask():
                return "queue"
            case OnRequest():
                return "HTTP"
        return "call"

    order = (OnCall, OnRequest, OnTask, OnDocument, OnSchedule)
    catalog = Catalog(str(FUNCTIONS), packages=())
    triggers = catalog.function_triggers()
    rows = []
    for name in sorted(triggers, key=lambda name: (order.index(type(triggers[name])), name)):
        does = " ".join((inspect.getdoc(catalog.functions()[name]) or "").split())
        does = does.partition(". ")[0].removesuffix(".")
        limit = f"{triggers[name].timeout_s:,} s"  # type: ignore[attr-defined]
        rows.append((f"`{name}`", reached(triggers[name]), limit, does))
    return _table(("function", "reached by", "time limit", "what it does"), rows)


def turn_cost() -> str:
    """What turns cost at Firestore, as the test of it counted."""
    counted = json.loads(TURN_COST.read_text(encoding="utf-8"))
    rows = [(name, *map(str, costs.values())) for name, costs in counted.items()]
    return _table(("turn", "reads", "writes", "event writes", "round trips"), rows)


TABLES: dict[str, Callable[[], str]] = {
    each.__name__: each
    for each in (
        capability_options,
        profile_fields,
        turn_limits,
        day_limits,
        fixed_limits,
        environment,
        functions,
        turn_cost,
    )
}


def _parameters(documented: Callable[..., Any]) -> dict[str, tuple[Any, str]]:
    """The default of each argument that a docstring has, and what it says of it, on one line."""
    from docstring_parser import parse

    found = parse(inspect.getdoc(documented) or "")
    parameters = inspect.signature(documented).parameters
    return {
        each.arg_name: (
            parameters[each.arg_name].default,
            " ".join((each.description or "").split()),
        )
        for each in found.params
    }


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return "required"
    if value is None or value in ("", ()) or "factory" in repr(value):
        return ""
    return f"`{str(value).lower()}`" if not isinstance(value, bool) else f"`{value}`"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def _allowance(value: Allowance) -> str:
    return f"{value.files:,}, {_bytes(value.bytes)} together"


def _chars(value: int) -> str:
    return f"{value:,} characters"


def _bytes(value: int) -> str:
    return f"{value // 1_000_000:,} MB" if value % 1_000_000 == 0 else f"{value:,} bytes"


def _time(value: timedelta) -> str:
    if value.days:
        return f"{value.days * 24} hours" if value.days == 1 else f"{value.days} days"
    return f"{value.seconds // 60} minutes"


def _table(head: Row, rows: Iterable[Row]) -> str:
    escaped = [[cell.replace("|", r"\|") for cell in cells] for cells in (head, *rows)]
    lines = [f"|{'|'.join(cells)}|" for cells in escaped]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


if __name__ == "__main__":
    raise SystemExit(main())
