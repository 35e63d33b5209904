"""A thread as Markdown: messages, collapsed calls, sources, decisions, replaced turns.

Hebrew messages are in elements with `dir="rtl"`, which browsers and most Markdown readers follow.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rollcall_cli import bidi
from rollcall_cli.console import tidy
from rollcall_cli.store import Result, Thread
from rollcall_cli.wording import language_of, text_in
from rollcall_cli.workspace import visible

_ARGUMENT_CHARS = 2_000
_RESULT_CHARS = 4_000
_STATUSES = ("rejected", "expired", "unknown", "failed", "refused", "waiting", "client")

Document = Mapping[str, Any]


def markdown(thread: Thread, log: Sequence[Document], results: Mapping[str, Result]) -> str:
    """The whole thread, in the language of its first message.

    Args:
        results: The results of its runs, by id.
    """
    replaced = {str(each["replaces"]) for each in log if each.get("replaces")}
    asked = [said_in(each["parts"]) for each in log if each["role"] == "user"]
    language = language_of(asked[0] if asked else thread.title)
    title = _line(thread.title) or text_in(language, "export.thread")
    about = text_in(language, "export.agent", agent=thread.agent, id=thread.id)
    blocks = [f"# {title}", about]
    for document in log:
        is_replaced = str(document.get("turnId")) in replaced
        if document["role"] == "user":
            blocks += _user(document, language, is_replaced=is_replaced)
        else:
            blocks += _reply(document, language, is_replaced=is_replaced)
        if document["role"] != "user" and _is_last_of_run(document, log):
            blocks += _sources(results.get(str(document["runId"]), {}), language)
    return tidy("\n\n".join(blocks)) + "\n"


def said_in(parts: Sequence[Document]) -> str:
    """The text of a user's message from its parts in the log."""
    return "\n".join(str(part["text"]) for part in parts if part["type"] == "text")


def _user(document: Document, language: str, *, is_replaced: bool) -> list[str]:
    time = str(document.get("createdAt") or "")[:16].replace("T", " ")
    marks = [time] if time else []
    if document.get("replaces"):
        marks.append(text_in(language, "export.in_place"))
    if is_replaced:
        marks.append(text_in(language, "export.asked_again"))
    heading = " · ".join([f"## {text_in(language, 'export.you')}", *marks])
    return [heading, *(_part(part, language) for part in document["parts"])]


def _part(part: Document, language: str) -> str:
    if part["type"] == "text":
        return _prose(str(part["text"]))
    name = _line(str(part.get("name") or part.get("mediaType") or part["type"]))
    return f"*{text_in(language, 'export.attached', name=name)}*"


def _reply(document: Document, language: str, *, is_replaced: bool) -> list[str]:
    blocks = []
    if text := str(document.get("text") or "").strip():
        marks = [text_in(language, "export.replaced")] if is_replaced else []
        heading = " · ".join([f"## {text_in(language, 'export.answer')}", *marks])
        blocks += [heading, _prose(text)]
    results = document.get("results") or {}
    calls = enumerate(document.get("toolCalls") or [])
    return [*blocks, *(_call(call, results.get(str(place)), language) for place, call in calls)]


def _call(call: Document, result: Document | None, language: str) -> str:
    """One call, collapsed."""
    record = _json(result.get("record")) if result else {}
    status = str(record.get("status") or ("waiting" if result is None else "done"))
    verdicts = [text_in(language, f"export.{status if status in _STATUSES else 'done'}")]
    if record.get("approvalId") and status in ("done", "failed"):
        verdicts.append(text_in(language, "export.approved"))
    title = " · ".join([f"<code>{html.escape(_line(str(call['name'])))}</code>", *verdicts])
    arguments = call.get("arguments") or call.get("argumentsText") or "{}"
    shown = [_code_block(_pretty(arguments), language, _ARGUMENT_CHARS)]
    if result is not None:
        shown.append(_code_block(_pretty(result["content"]), language, _RESULT_CHARS))
    inner = "\n\n".join(shown)
    return f"<details><summary>{title}</summary>\n\n{inner}\n\n</details>"


def _sources(result: Document, language: str) -> list[str]:
    citations = result.get("citations") or []
    if not citations:
        return []
    lines = [f"- [{each['n']}] {_line(str(each['title']))}{_quote(each)}" for each in citations]
    return [f"**{text_in(language, 'export.sources')}**", "\n".join(lines)]


def _quote(citation: Document) -> str:
    quote = _line(str(citation.get("quote") or ""))
    return f": “{quote}”" if quote else ""


def _prose(text: str) -> str:
    """Markdown text, in an element with its direction if that is right to left."""
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


def _code_block(text: str, language: str, most_chars: int) -> str:
    """A block of JSON that its own content cannot end, cut in the words of a language."""
    shown = visible(text)
    if len(shown) > most_chars:
        more = text_in(language, "export.more_chars", count=f"{len(shown) - most_chars:,}")
        shown = f"{shown[:most_chars]}\n{more}"
    longest = max((len(run) for run in _runs_of_ticks(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}json\n{shown}\n{fence}"


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
