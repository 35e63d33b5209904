"""What recorded provider bodies hold, read as plainly as possible and without the adapters."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Json = Any


@dataclass
class Call:
    """A tool call of a body; `arguments` is None where the text is not a JSON object."""

    name: str
    text: str = ""

    @property
    def arguments(self) -> Json:
        try:
            value = json.loads(self.text or "{}")
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


@dataclass
class Expected:
    """The text and calls of a body, and whether it is a failure instead.

    `streamed` is the text of the deltas, which in shortened recordings contradicts the final one.
    """

    text: str = ""
    streamed: str = ""
    calls: list[Call] = field(default_factory=list)
    is_failure: bool = False


def expected_of(record: Json) -> Expected:
    """Read a record's body."""
    if record["status"] != 200:
        return Expected(is_failure=True)
    if record["provider"] == "gemini":
        return _gemini(_values(record["body"]))
    if "chat/completions" in record["endpoint"]:
        return _chat(_values(record["body"]), ended="[DONE]" in record["body"])
    return _responses(_values(record["body"]))


def _values(body: str) -> list[Json]:
    if not any(line.startswith("data:") for line in body.splitlines()):
        value = json.loads(body)
        return value if isinstance(value, list) else [value]
    lines = [line[5:].strip() for line in body.split("\n") if line.startswith("data:")]
    return [json.loads(line) for line in lines if line and line != "[DONE]"]


def _gemini(values: list[Json]) -> Expected:
    found = Expected(is_failure=True)
    for value in values:
        if value.get("promptFeedback", {}).get("blockReason"):
            found.is_failure = False
        for candidate in value.get("candidates", [])[:1]:
            if candidate.get("finishReason"):
                found.is_failure = False
            for part in candidate.get("content", {}).get("parts", []):
                if told := part.get("functionCall"):
                    if "partialArgs" in told or told.get("willContinue"):
                        return Expected(is_failure=True)  # nobody asked for pieces
                    found.calls.append(Call(told["name"], json.dumps(told.get("args") or {})))
                elif not part.get("thought"):
                    found.text += part.get("text", "")
        if "error" in value:
            return Expected(is_failure=True)
    for call in found.calls:
        call.text = call.text or "{}"
    return found


def _responses(values: list[Json]) -> Expected:
    finals = [v.get("response", v) for v in values if v.get("type") in (None, "response.completed")]
    finals += [v["response"] for v in values if v.get("type") == "response.incomplete"]
    failed = any(v.get("type") in ("error", "response.failed") for v in values)
    failed = failed or (len(values) == 1 and bool(values[0].get("error")))
    items = [v["item"] for v in values if v.get("type") == "response.output_item.done"]
    deltas = [v["delta"] for v in values if v.get("type") == "response.output_text.delta"]
    found = Expected(streamed="".join(deltas), is_failure=failed or not finals)
    for item in (finals[0].get("output") if finals else None) or items:
        if item["type"] == "function_call":
            found.calls.append(Call(item["name"], item["arguments"]))
        elif item["type"] == "custom_tool_call":
            found.calls.append(Call(item["name"], item["input"]))
        elif item["type"] == "message":
            for part in item["content"]:
                found.text += part.get("text") or part.get("refusal") or ""
    return found


def _chat(values: list[Json], *, ended: bool) -> Expected:
    found = Expected(is_failure=not ended)
    calls: dict[Json, Call] = {}
    for value in values:
        for choice in value.get("choices", [])[:1]:
            told = choice.get("delta") or choice.get("message") or {}
            found.text += (told.get("content") or "") + (told.get("refusal") or "")
            for place, call in enumerate(told.get("tool_calls") or []):
                made = calls.setdefault(call.get("index", place), Call(""))
                made.name = made.name or call["function"].get("name") or ""
                made.text += call["function"].get("arguments") or ""
            if choice.get("finish_reason"):
                found.is_failure = False
        if value.get("error"):
            return Expected(is_failure=True)
    found.calls = list(calls.values())
    return found
