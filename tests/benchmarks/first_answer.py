"""A fresh process's first answer: the engine's loop with an adapter, over a call on the bare SDK.

Both are a process of their own that imports what it needs, asks once, streamed, and ends; the
engine without Firestore. CPU is the process's user and system time, as the system counts it. The
two take turns, so that a busy moment strikes both; compared are medians, as a ratio.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from rich.table import Table

from tests.benchmarks.loops.provider import provider

ROUNDS = 9
ROOT = Path(__file__).parents[2]

_OURS = """
from rollcall.agent.budget import Budget
from rollcall.agent.model_calls import stream_reply
from rollcall.core.messages import UserMessage
from rollcall.models.base import ModelRequest, load_model

request = ModelRequest("Be brief.", (UserMessage.of("Hello"),))
events = stream_reply(
    [load_model("{model}")],
    request,
    message_id="m",
    budget=Budget(),
    is_stopped=lambda: False,
)
assert sum(1 for _ in events) > 1
"""
_HAND = {
    "OpenAI responses": """
from openai import OpenAI

items = [{"role": "user", "content": "Hello"}]
stream = OpenAI().responses.create(model="long-9", input=items, stream=True, store=False)
assert sum(event.type == "response.output_text.delta" for event in stream)
""",
    "OpenAI chat": """
from openai import OpenAI

messages = [{"role": "user", "content": "Hello"}]
stream = OpenAI().chat.completions.create(model="long-9", messages=messages, stream=True)
assert sum(bool(chunk.choices) for chunk in stream)
""",
    "Gemini": """
from google import genai
from google.genai import types

client = genai.Client(http_options=types.HttpOptions(api_version="v1beta"))
chunks = client.models.generate_content_stream(model="long-9", contents="Hello")
assert sum(bool(chunk.text) for chunk in chunks)
""",
    "Anthropic": """
from anthropic import Anthropic

messages = [{"role": "user", "content": "Hello"}]
with Anthropic().messages.stream(model="long-9", max_tokens=99, messages=messages) as stream:
    assert sum(bool(text) for text in stream.text_stream)
""",
}
_MODELS = {"Gemini": "gemini:long-9", "Anthropic": "anthropic:long-9"}


def measure() -> Table:
    """Start each process in turn, round by round."""
    table = Table(title=f"CPU of a fresh process's first answer, medians of {ROUNDS}")
    for column in ("provider", "bare SDK", "Rollcall", "ratio"):
        table.add_column(column, justify="left" if column == "provider" else "right")
    with provider() as url:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT / "functions"), os.environ.get("PYTHONPATH", "")]
            ),
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "k",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "k",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "k",
        }
        for name, hand in _HAND.items():
            api = "chat" if name == "OpenAI chat" else ""
            ours = _OURS.replace("{model}", _MODELS.get(name, "openai:long-9"))
            spent: tuple[list[float], list[float]] = ([], [])
            for _ in range(ROUNDS + 1):
                for place, code in enumerate((hand, ours)):
                    spent[place].append(_cpu_s(code, {**environment, "OPENAI_API": api}))
            bare, engine = (statistics.median(each[1:]) for each in spent)
            costs = (f"{cost * 1000:.0f} ms" for cost in (bare, engine))
            table.add_row(name, *costs, f"{engine / bare:.2f}")
    return table


def _cpu_s(code: str, environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
