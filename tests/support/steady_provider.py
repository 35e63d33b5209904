"""A model provider in a process of its own, which gives every request the same answer.

    with steady_provider(seconds=2) as environment: ...

It speaks OpenAI's Responses and Gemini's streaming format on loopback, and takes `seconds` for a
reply, whose pieces come evenly over that time.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.provider_replies import gemini_text, responses_text

WORDS = "This is the answer of a model that always says the very same thing to everybody. "
PIECES = [WORDS[start : start + 6] for start in range(0, len(WORDS), 6)]


@contextmanager
def steady_provider(*, seconds: float = 0) -> Iterator[dict[str, str]]:
    """Run the provider; yields the environment that points SDKs at it, without keys."""
    with provider_process("tests.support.steady_provider", str(seconds)) as environment:
        yield environment


@contextmanager
def provider_process(module: str, *arguments: str) -> Iterator[dict[str, str]]:
    """Run a module that calls `serve`, until the block ends."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{int(process.stdout.readline())}"
        try:
            yield {
                "OPENAI_BASE_URL": f"{url}/v1",
                "OPENAI_API": "responses",
                "GOOGLE_GEMINI_BASE_URL": url,
            }
        finally:
            process.terminate()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(BaseHTTPRequestHandler):
    """Answers every request with `chunks`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def chunks(self) -> Iterable[bytes]:
        """Yield the chunks of the answer, each when it is due."""
        raise NotImplementedError

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for chunk in self.chunks():
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(handler: type[Handler]) -> None:
    """Serve on a free port, which is printed, for ever."""
    server = _Server(("127.0.0.1", 0), handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


class _Handler(Handler):
    seconds = 0.0

    def chunks(self) -> Iterable[bytes]:
        is_gemini = "enerateContent" in self.path
        chunks = (gemini_text(*PIECES) if is_gemini else responses_text(WORDS)).chunks
        for chunk in chunks:
            time.sleep(self.seconds / len(chunks))
            yield chunk


if __name__ == "__main__":
    _Handler.seconds = float(sys.argv[1])
    serve(_Handler)
