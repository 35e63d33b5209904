"""Slack's markup as plain text: mentions, links, dates and escapes spelled out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_MARK = re.compile(r"<([^<>]{1,4000})>")
_PREFIXES = ("mailto:", "tel:")
_DEEPEST = 30


def plain_text(text: str, *, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """Spell out a message's marks; `people` and `channels` are names by Slack id."""
    spelled = _MARK.sub(lambda mark: _spell(mark[1], people, channels), text)
    return spelled.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _spell(mark: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    target, _, label = mark.partition("|")
    sign, id = target[:1], target[1:]
    if sign == "@":
        return f"@{people.get(id) or label or id}"
    if sign == "#":
        return f"#{label or channels.get(id) or id}"
    if sign == "!":
        return _special(id, label)
    for prefix in _PREFIXES:
        if target.startswith(prefix):
            return label or target.removeprefix(prefix)
    return target if not label or label in target else f"{label} ({target})"


def _special(id: str, label: str) -> str:
    """`<!here>`, `<!subteam^S1|@team>`, `<!date^1392734382^{date}|2014-02-18>`."""
    if label:
        return label
    kind, _, rest = id.partition("^")
    return f"@{rest or kind}" if kind == "subteam" else f"@{kind}"


def message_text(message: Mapping[str, Any]) -> str:
    """What a message says, still in Slack's markup: its text, or its blocks', and its files."""
    text = message.get("text")
    found = text if isinstance(text, str) else ""
    if not found.strip():
        parts = [*_strings(message.get("blocks")), *_attachment_texts(message.get("attachments"))]
        found = " ".join(part for part in parts if part.strip())
    names = [f"[file: {name}]" for name in _file_names(message.get("files"))]
    return "\n".join(part for part in (found.strip(), *names) if part)


def _strings(blocks: Any, *, depth: int = 0) -> list[str]:
    """Every piece of text in a message's blocks, in order."""
    if depth > _DEEPEST:
        return []
    if isinstance(blocks, list):
        return [text for item in blocks for text in _strings(item, depth=depth + 1)]
    if not isinstance(blocks, dict):
        return []
    if isinstance(blocks.get("user_id"), str):
        return [f"<@{blocks['user_id']}>"]
    own = blocks.get("text")
    found = [own] if isinstance(own, str) else _strings(own, depth=depth + 1)
    for name in ("elements", "fields"):
        found += _strings(blocks.get(name), depth=depth + 1)
    return found


def _attachment_texts(attachments: Any) -> list[str]:
    found = []
    for item in attachments if isinstance(attachments, list) else []:
        if isinstance(item, dict):
            texts = [item.get("title"), item.get("text")]
            own = [text for text in texts if isinstance(text, str) and text]
            fallback = item.get("fallback")
            found += own or ([fallback] if isinstance(fallback, str) else [])
    return found


def _file_names(files: Any) -> list[str]:
    names = []
    for item in files if isinstance(files, list) else []:
        if isinstance(item, dict) and item.get("mode") != "tombstone":
            name = item.get("title") or item.get("name")
            names.append(name[:200] if isinstance(name, str) else "unnamed")
    return names
