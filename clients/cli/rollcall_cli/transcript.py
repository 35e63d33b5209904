"""A thread as Markdown: what was said, the calls folded, sources, decisions, what was asked again.

Hebrew reads from the right: each message says its own direction, which browsers and most readers of
Markdown follow.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rollcall_cli import bidi
from rollcall_cli.console import tidy
from rollcall_cli.store import Result, Thread
from rollcall_cli.workspace import visible

_ARGUMENT_CHARS = 2_000
_RESULT_CHARS = 4_000
_VERDICTS = {
    "rejected": "rejected",
    "expired": "nobody answered in time",
    "unknown": "begun; nobody knows whether it happened",
    "failed": "failed",
    "refused": "refused",
    "waiting": "waits for a decision",
    "client": "left to a client",
}

Document = Mapping[str, Any]


def markdown(thread: Thread, log: Sequence[Document], results: Mapping[str, Result]) -> str:
    """The whole thread.

    Args:
        results: What its runs ended with, by their ids.
    """
    replaced = {str(each["replaces"]) for each in log if each.get("replaces")}
    blocks = [f"# {_line(thread.title) or 'A thread'}", f"Agent: {thread.agent} · {thread.id}"]
    for document in log:
        is_replaced = str(document.get("turnId")) in replaced
        if document["role"] == "user":
            blocks += _user(document, is_replaced=is_replaced)
        else:
            blocks += _reply(document, is_replaced=is_replaced)
        if document["role"] != "user" and _is_last_of_run(document, log):
            blocks += _sources(results.get(str(document["runId"]), {}))
    return tidy("\n\n".join(blocks)) + "\n"


def said_in(parts: Sequence[Document]) -> str:
    """The text of a user's message, as the log has its parts."""
    return "\n".join(str(part["text"]) for part in parts if part["type"] == "text")


def _user(document: Document, *, is_replaced: bool) -> list[str]:
    time = str(document.get("createdAt") or "")[:16].replace("T", " ")
    marks = [time] if time else []
    if document.get("replaces"):
        marks.append("in place of the message above")
    if is_replaced:
        marks.append("asked again or changed below")
    heading = " · ".join(["## You", *marks])
    return [heading, *(_part(part) for part in document["parts"])]


def _part(part: Document) -> str:
    if part["type"] == "text":
        return _prose(str(part["text"]))
    name = _line(str(part.get("name") or part.get("mediaType") or part["type"]))
    return f"*Attached: {name}*"


def _reply(document: Document, *, is_replaced: bool) -> list[str]:
    blocks = []
    if text := str(document.get("text") or "").strip():
        blocks += [f"## Answer{' · replaced below' if is_replaced else ''}", _prose(text)]
    results = document.get("results") or {}
    calls = enumerate(document.get("toolCalls") or [])
    return [*blocks, *(_call(call, results.get(str(place))) for place, call in calls)]


def _call(call: Document, result: Document | None) -> str:
    """One call, folded."""
    record = _json(result.get("record")) if result else {}
    status = str(record.get("status") or ("waiting" if result is None else "done"))
    verdict = _VERDICTS.get(status, "done")
    decided = " · approved" if record.get("approvalId") and status in ("done", "failed") else ""
    title = f"<code>{html.escape(_line(str(call['name'])))}</code> · {verdict}{decided}"
    arguments = call.get("arguments") or call.get("argumentsText") or "{}"
    shown = [_fenced(_pretty(arguments), "json", _ARGUMENT_CHARS)]
    if result is not None:
        shown.append(_fenced(_pretty(result["content"]), "json", _RESULT_CHARS))
    inner = "\n\n".join(shown)
    return f"<details><summary>{title}</summary>\n\n{inner}\n\n</details>"


def _sources(result: Document) -> list[str]:
    citations = result.get("citations") or []
    if not citations:
        return []
    lines = [f"- [{each['n']}] {_line(str(each['title']))}{_quote(each)}" for each in citations]
    return ["**Sources**", "\n".join(lines)]


def _quote(citation: Document) -> str:
    quote = _line(str(citation.get("quote") or ""))
    return f": “{quote}”" if quote else ""


def _prose(text: str) -> str:
    """Text in its own direction; it is Markdown itself, and stays so."""
    text = tidy(text).strip()
    if not bidi.reads_from_right(text):
        return text
    return f'<div dir="rtl">\n\n{text}\n\n</div>'


def _line(text: str) -> str:
    return bidi.isolated(" ".join(tidy(text).split()))


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text


def _fenced(text: str, language: str, most_chars: int) -> str:
    """A block of code that its own content cannot end."""
    shown = visible(text)
    if len(shown) > most_chars:
        shown = f"{shown[:most_chars]}\n… {len(shown) - most_chars:,} characters more"
    longest = max((len(run) for run in _runs_of_ticks(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def _runs_of_ticks(text: str) -> Iterable[str]:
    run = ""
    for char in text:
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""
    if run:
        yield run


def _json(text: Any) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_last_of_run(document: Document, log: Sequence[Document]) -> bool:
    same = [each["n"] for each in log if each.get("runId") == document.get("runId")]
    return bool(document["n"] == max(same))
