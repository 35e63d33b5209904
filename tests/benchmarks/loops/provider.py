"""The provider that the loops talk to, in a process of its own, so that its work counts for none.

    with provider() as url: ...

It speaks OpenAI's Responses and Chat Completions, Gemini's API and Anthropic's Messages API,
streamed and plain, and has no state: how many results a request holds says which of the
conversation's replies comes next. Asked of the model `long-<n>`, it answers in a text of `n`
pieces.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.benchmarks.loops.capabilities import ANSWER, CALLS
from tests.support import provider_replies as replies

Json = Any

PIECE_CHARS = 5
"""About a token."""


@contextmanager
def provider() -> Iterator[str]:
    """Run it; yields its address."""
    command = [sys.executable, "-m", "tests.benchmarks.loops.provider"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE_CHARS] for start in range(0, len(text), PIECE_CHARS)]


def _responses(number: int, text: str) -> replies.Reply:
    return replies.responses(*_items(number, text), size=PIECE_CHARS)


def _items(number: int, text: str) -> list[Json]:
    if number >= len(CALLS):
        return [replies.message_item(text)]
    name, arguments = CALLS[number]
    return [replies.call_item(name, json.dumps(arguments), call_id=f"call_{number}")]


def _responses_plain(number: int, text: str) -> replies.Reply:
    rest = {
        "created_at": 1772442000,
        "model": "gpt-test",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
    }
    return replies.plain(replies.response_of(_items(number, text), **rest))


def _chat(number: int, text: str) -> replies.Reply:
    if number >= len(CALLS):
        return replies.chat_text(*_pieces(text))
    name, arguments = CALLS[number]
    first, *more = _pieces(json.dumps(arguments))
    begins = replies.chat_call_delta(name, first, id=f"call_{number}")
    return replies.chat(begins, *map(replies.chat_more_delta, more), finish="tool_calls")


def _chat_plain(number: int, text: str) -> replies.Reply:
    message: Json = {"role": "assistant", "content": text}
    if number < len(CALLS):
        name, arguments = CALLS[number]
        call = replies.chat_call_delta(name, json.dumps(arguments), id=f"call_{number}")
        message |= {"content": None, **call}
    ends = "tool_calls" if number < len(CALLS) else "stop"
    choice = {"index": 0, "message": message, "finish_reason": ends}
    base = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1772442000, "model": "m"}
    return replies.plain({**base, "choices": [choice], "usage": replies.CHAT_USAGE})


def _gemini(number: int, text: str) -> replies.Reply:
    if number >= len(CALLS):
        return replies.gemini_text(*_pieces(text))
    return replies.gemini_call(*CALLS[number], id=f"call_{number}", signature="c2lnbmF0dXJl")


def _gemini_plain(number: int, text: str) -> replies.Reply:
    part: Json = {"text": text}
    if number < len(CALLS):
        part = replies.gemini_call_part(
            *CALLS[number], id=f"call_{number}", signature="c2lnbmF0dXJl"
        )
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return replies.plain({"candidates": [candidate], "usageMetadata": replies.GEMINI_USAGE})


def _messages(number: int, text: str) -> replies.Reply:
    blocks, stop = _blocks(number, text)
    return replies.messages(*blocks, stop=stop, size=PIECE_CHARS)


def _messages_plain(number: int, text: str) -> replies.Reply:
    blocks, stop = _blocks(number, text)
    return replies.plain(replies.message_of(*blocks, stop=stop))


def _blocks(number: int, text: str) -> tuple[list[Json], str]:
    if number >= len(CALLS):
        return [replies.text_block(text)], "end_turn"
    return [replies.tool_use_block(*CALLS[number], id=f"call_{number}")], "tool_use"


FORMS = {
    ("/messages", True): (_messages, b'"tool_use_id"'),
    ("/messages", False): (_messages_plain, b'"tool_use_id"'),
    (":streamGenerateContent", True): (_gemini, b'"functionResponse"'),
    (":generateContent", False): (_gemini_plain, b'"functionResponse"'),
    ("/responses", True): (_responses, b'"function_call_output"'),
    ("/responses", False): (_responses_plain, b'"function_call_output"'),
    ("/chat/completions", True): (_chat, b'"tool_call_id"'),
    ("/chat/completions", False): (_chat_plain, b'"tool_call_id"'),
}


@cache
def _reply(ending: str, streams: bool, number: int, pieces: int) -> replies.Reply:
    text = "word " * pieces if pieces else ANSWER
    return FORMS[ending, streams][0](len(CALLS) if pieces else number, text)


def reply_to(path: str, body: bytes) -> replies.Reply:
    """The conversation's next reply, in the form that was asked for."""
    path = path.partition("?")[0]
    streams = ":stream" in path or b'"stream":true' in body.replace(b" ", b"")
    ending = next(ending for ending, streamed in FORMS if path.endswith(ending))
    sent = f"{path} {json.loads(body).get('model')}"
    pieces = int(sent.partition("long-")[2].partition(":")[0] or 0)
    return _reply(ending, streams, body.count(FORMS[ending, streams][1]), pieces)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that are cut, as one of the SDKs does after each stream."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        reply = reply_to(self.path, body)
        self.send_response(reply.status)
        self.send_header("content-type", str(reply.content_type))
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for chunk in reply.chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    server = _Server(("127.0.0.1", 0), _Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
