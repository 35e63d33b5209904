"""The conversation as a loop on each bare SDK: a client that is kept, the SDK's own
calls, the calls' arguments parsed, the functions called, the results appended.

Each loop is given the model's name and returns the last reply's text.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from google import genai
from google.genai import types
from openai import OpenAI

from rollcall.core.capability import Capability
from tests.benchmarks.loops.capabilities import FUNCTIONS, QUESTION

STEPS = 5
INSTRUCTIONS = "You help with a company's conversations. Answer briefly, from what the tools find."


@cache
def _openai() -> OpenAI:
    return OpenAI()


@cache
def _gemini() -> genai.Client:
    return genai.Client(http_options=types.HttpOptions(api_version="v1beta"))


@cache
def _anthropic() -> Any:
    from anthropic import Anthropic

    return Anthropic()


@cache
def _messages_tools() -> list[Any]:
    return [
        {"name": name, "description": text, "input_schema": shape}
        for name, text, shape in _schemas()
    ]


@cache
def _schemas() -> list[tuple[str, str, dict[str, Any]]]:
    found = [Capability.of(function) for function in FUNCTIONS.values()]
    return [(each.id, each.description, each.json_schema) for each in found]


@cache
def _responses_tools() -> list[Any]:
    return [
        {"type": "function", "name": name, "description": text, "parameters": shape}
        for name, text, shape in _schemas()
    ]


@cache
def _chat_tools() -> list[Any]:
    return [
        {"type": "function", "function": {"name": name, "description": text, "parameters": shape}}
        for name, text, shape in _schemas()
    ]


@cache
def _gemini_config() -> types.GenerateContentConfig:
    declarations = [
        types.FunctionDeclaration(name=name, description=text, parameters_json_schema=shape)
        for name, text, shape in _schemas()
    ]
    return types.GenerateContentConfig(
        system_instruction=INSTRUCTIONS,
        tools=[types.Tool(function_declarations=declarations)],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def _call(name: str, arguments: dict[str, Any]) -> Any:
    return FUNCTIONS[name](None, **arguments)


def responses(model: str) -> str:
    """OpenAI's Responses API."""
    items: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(STEPS):
        reply = _openai().responses.create(
            model=model,
            instructions=INSTRUCTIONS,
            input=items,
            tools=_responses_tools(),
            store=False,
        )
        if not (more := _results(reply.output)):
            return reply.output_text
        items += [*reply.output, *more]
    raise RuntimeError("no end")


def responses_streamed(model: str) -> str:
    """The same, streamed."""
    items: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(STEPS):
        text, output = "", []
        stream = _openai().responses.create(
            model=model,
            instructions=INSTRUCTIONS,
            input=items,
            tools=_responses_tools(),
            store=False,
            stream=True,
        )
        for event in stream:
            if event.type == "response.output_text.delta":
                text += event.delta
            elif event.type == "response.completed":
                output = event.response.output
        if not (more := _results(output)):
            return text
        items += [*output, *more]
    raise RuntimeError("no end")


def _results(output: list[Any]) -> list[Any]:
    return [
        {
            "type": "function_call_output",
            "call_id": call.call_id,
            "output": json.dumps(_call(call.name, json.loads(call.arguments))),
        }
        for call in output
        if call.type == "function_call"
    ]


def chat(model: str) -> str:
    """OpenAI's Chat Completions API."""
    messages = _first_messages()
    for _ in range(STEPS):
        reply = _openai().chat.completions.create(
            model=model, messages=messages, tools=_chat_tools()
        )
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message)
        for call in message.tool_calls:
            told: Any = call
            messages.append(_tool(call.id, told.function.name, told.function.arguments))
    raise RuntimeError("no end")


def chat_streamed(model: str) -> str:
    """The same, streamed."""
    messages = _first_messages()
    for _ in range(STEPS):
        text, calls = "", {}
        stream = _openai().chat.completions.create(
            model=model,
            messages=messages,
            tools=_chat_tools(),
            stream=True,
            stream_options={"include_usage": True},
        )
        for chunk in stream:
            for choice in chunk.choices:
                text += choice.delta.content or ""
                for piece in choice.delta.tool_calls or []:
                    call = calls.setdefault(piece.index, {"id": piece.id, "name": "", "text": ""})
                    assert piece.function is not None
                    call["name"] += piece.function.name or ""
                    call["text"] += piece.function.arguments or ""
        if not calls:
            return text
        told = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["text"]},
            }
            for call in calls.values()
        ]
        messages.append({"role": "assistant", "content": text or None, "tool_calls": told})
        for call in calls.values():
            messages.append(_tool(call["id"], call["name"], call["text"]))
    raise RuntimeError("no end")


def _first_messages() -> list[Any]:
    return [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": QUESTION},
    ]


def _tool(id: str, name: str, arguments: str) -> dict[str, Any]:
    content = json.dumps(_call(name, json.loads(arguments)))
    return {"role": "tool", "tool_call_id": id, "content": content}


def gemini(model: str) -> str:
    """Gemini's generateContent."""
    contents: list[Any] = [types.UserContent(parts=[types.Part(text=QUESTION)])]
    for _ in range(STEPS):
        reply = _gemini().models.generate_content(
            model=model, contents=contents, config=_gemini_config()
        )
        assert reply.candidates and reply.candidates[0].content
        content = reply.candidates[0].content
        if not (answers := _answers(content.parts or [])):
            return reply.text or ""
        contents += [content, types.UserContent(parts=answers)]
    raise RuntimeError("no end")


def gemini_streamed(model: str) -> str:
    """The same, streamed."""
    contents: list[Any] = [types.UserContent(parts=[types.Part(text=QUESTION)])]
    for _ in range(STEPS):
        parts: list[types.Part] = []
        stream = _gemini().models.generate_content_stream(
            model=model, contents=contents, config=_gemini_config()
        )
        for chunk in stream:
            if chunk.candidates and chunk.candidates[0].content:
                parts += chunk.candidates[0].content.parts or []
        if not (answers := _answers(parts)):
            return "".join(part.text or "" for part in parts)
        contents += [types.ModelContent(parts=parts), types.UserContent(parts=answers)]
    raise RuntimeError("no end")


def _answers(parts: list[types.Part]) -> list[Any]:
    return [
        types.Part(
            function_response=types.FunctionResponse(
                id=call.id, name=call.name, response={"output": _call(call.name, call.args or {})}
            )
        )
        for part in parts
        if (call := part.function_call) and call.name
    ]


def anthropic(model: str) -> str:
    """Anthropic's Messages API."""
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(STEPS):
        reply = _anthropic().messages.create(
            model=model,
            max_tokens=4096,
            system=INSTRUCTIONS,
            messages=messages,
            tools=_messages_tools(),
        )
        if not (more := _tool_results(reply.content)):
            return "".join(block.text for block in reply.content if block.type == "text")
        messages += [{"role": "assistant", "content": reply.content}, more]
    raise RuntimeError("no end")


def anthropic_streamed(model: str) -> str:
    """The same, streamed."""
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(STEPS):
        text = ""
        stream = _anthropic().messages.stream(
            model=model,
            max_tokens=4096,
            system=INSTRUCTIONS,
            messages=messages,
            tools=_messages_tools(),
        )
        with stream as events:
            for piece in events.text_stream:
                text += piece
            content = events.get_final_message().content
        if not (more := _tool_results(content)):
            return text
        messages += [{"role": "assistant", "content": content}, more]
    raise RuntimeError("no end")


def _tool_results(content: list[Any]) -> Any:
    results = [
        {
            "type": "tool_result",
            "tool_use_id": block.id,
            "content": json.dumps(_call(block.name, block.input)),
        }
        for block in content
        if block.type == "tool_use"
    ]
    return {"role": "user", "content": results} if results else None
