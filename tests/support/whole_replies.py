"""Streamed replies as their providers send them to who asks for them in one piece."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.support.provider_replies import Reply

Json = Any


def in_one_piece(reply: Reply) -> Reply:
    """The same reply as one JSON body, in two chunks; what is no stream of events stays as it
    is."""
    events = _events(reply)
    if not events:
        return reply
    if len(events) == 1:
        whole = events[0]
    elif any("choices" in event for event in events):
        whole = _completion(events)
    elif any(event.get("type") == "message_start" for event in events):
        whole = _message(events)
    elif any(str(event.get("type")).startswith("response.") for event in events):
        whole = _response(events)
    else:
        whole = _content(events)
    body = json.dumps(whole).encode()
    chunks = (body[: len(body) // 2], body[len(body) // 2 :])
    return replace(reply, chunks=chunks, content_type="application/json")


def _events(reply: Reply) -> list[Json]:
    try:
        lines = b"".join(reply.chunks).decode().splitlines()
        data = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
        return [json.loads(text) for text in data if text != "[DONE]"]
    except (ValueError, RecursionError):
        return []


def _response(events: list[Json]) -> Json:
    problem = next((event for event in events if event["type"] == "error"), None)
    if problem is not None:
        return {"error": problem}
    return next(event["response"] for event in reversed(events) if "response" in event)


def _message(events: list[Json]) -> Json:
    whole: Json = {}
    texts: dict[int, str] = {}
    for event in events:
        if event["type"] == "error":
            return event
        if event["type"] == "message_start":
            whole = {**event["message"], "content": []}
        elif event["type"] == "content_block_start":
            whole["content"].append({**event["content_block"]})
        elif event["type"] == "content_block_delta":
            block, delta = whole["content"][event["index"]], event["delta"]
            for key in ("text", "thinking", "signature"):
                block |= {key: block[key] + delta[key]} if key in delta else {}
            texts[event["index"]] = texts.get(event["index"], "") + delta.get("partial_json", "")
        elif event["type"] == "message_delta":
            whole |= {**event["delta"], "usage": event["usage"]}
    for index, text in texts.items():
        if whole["content"][index]["type"] == "tool_use":
            whole["content"][index]["input"] = json.loads(text or "{}")
    return whole


def _completion(events: list[Json]) -> Json:
    message: dict[str, Json] = {"role": "assistant", "content": None}
    whole: Json = {"id": "chatcmpl-1", "object": "chat.completion", "model": "m"}
    ends = None
    for event in events:
        whole |= {key: event[key] for key in ("usage", "error") if event.get(key)}
        for choice in event.get("choices", [])[:1]:
            ends = choice.get("finish_reason") or ends
            _add(message, choice["delta"])
    return {**whole, "choices": [{"index": 0, "message": message, "finish_reason": ends}]}


def _add(message: Json, delta: Json) -> None:
    for key in ("content", "refusal"):
        if isinstance(delta.get(key), str):
            message[key] = (message.get(key) or "") + delta[key]
    calls = message.get("tool_calls", [])
    for piece in delta.get("tool_calls", []):
        function = piece["function"]
        known = next((call for call in calls if call["index"] == piece["index"]), None)
        if known is None:
            calls.append({**piece, "function": {**function}})
        else:
            known["function"]["arguments"] += function.get("arguments") or ""
    if calls:
        message["tool_calls"] = calls


def _content(events: list[Json]) -> Json:
    if any("error" in event for event in events):
        return next(event for event in events if "error" in event)
    parts: list[Json] = []
    whole: Json = {}
    last: Json = {}
    for event in events:
        whole |= {key: value for key, value in event.items() if key != "candidates"}
        for candidate in event.get("candidates", [])[:1]:
            last |= candidate
            for part in candidate.get("content", {}).get("parts", []):
                if parts and part.keys() == parts[-1].keys() == {"text"}:
                    parts[-1] = {"text": parts[-1]["text"] + part["text"]}
                else:
                    parts.append(part)
    if last:
        whole["candidates"] = [{**last, "content": {"role": "model", "parts": parts}}]
    return whole
