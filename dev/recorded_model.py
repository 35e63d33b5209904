"""A model server whose replies were written beforehand, for demos without a model.

    with recorded_model("workspace") as environment: ...

It speaks OpenAI's Chat Completions on loopback and answers the questions of
`dev/recorded/<name>.json` step by step; to any other it says that it is a recording. Functions,
tools and files are the real ones.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from dev.paths import ROOT

MODEL = "openai:recorded"
UNKNOWN = (
    "I am a recording and know only the questions of the demo. Set a model's key to ask others."
)

Step = dict[str, Any]


@contextmanager
def recorded_model(name: str) -> Iterator[dict[str, str]]:
    """Serve a recording until the block ends; yields the environment that leads functions to it."""
    recording = read_recording(name)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            chunks = "".join(f"data: {json.dumps(each)}\n\n" for each in _stream(body, recording))
            written = f"{chunks}data: [DONE]\n\n".encode()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            "ROLLCALL_MODEL": MODEL,
            "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
            "OPENAI_API": "chat",
            "ROLLCALL_ALLOW_UNPRICED": "true",
        }
    finally:
        server.shutdown()
        server.server_close()


def read_recording(name: str) -> dict[str, list[Step]]:
    """Return the steps of each question: `{text?, calls?: [{name, arguments}]}` each."""
    file = ROOT / "dev/recorded" / f"{name}.json"
    recording: dict[str, list[Step]] = json.loads(file.read_text(encoding="utf-8"))
    return recording


def next_step(messages: list[dict[str, Any]], recording: dict[str, list[Step]]) -> Step:
    """Return the step that follows on a history: the first after the user's last message."""
    last = max((n for n, each in enumerate(messages) if each["role"] == "user"), default=0)
    question = str(messages[last].get("content"))
    done = sum(each["role"] == "assistant" for each in messages[last:])
    steps = next((steps for text, steps in recording.items() if text in question), [])
    return steps[done] if done < len(steps) else {"text": UNKNOWN}


def _stream(body: dict[str, Any], recording: dict[str, list[Step]]) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a Chat Completions reply, its token counts last."""
    step, number = next_step(body["messages"], recording), len(body["messages"])
    deltas: list[dict[str, Any]] = [{"role": "assistant"}]
    deltas += [{"content": each} for each in step.get("text", "").splitlines(keepends=True)]
    for place, call in enumerate(step.get("calls", ())):
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        made = {"index": place, "id": f"call_{uuid.uuid4().hex[:12]}", "type": "function"}
        deltas.append({"tool_calls": [{**made, "function": function}]})
    base = {"id": f"recorded-{number}", "object": "chat.completion.chunk", "model": "recorded"}
    for delta in deltas:
        yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    reason = "tool_calls" if step.get("calls") else "stop"
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    yield {**base, "choices": [], "usage": usage}
