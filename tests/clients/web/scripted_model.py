"""A model that says what the user's message asks it to, and waits in the midst where a test wants.

"say: <words>"    is answered with these words
"call: <tool> <arguments>"  calls this tool
"tool"            calls a tool that was offered, and tells then that it did
"send: <words>"   asks for them to be sent to CONVERSATION
anything else     is answered with LONG
"""

from __future__ import annotations

import json
import threading
from dataclasses import replace

from tests.support.fake_providers import FakeProviders, Request
from tests.support.provider_replies import Json, Reply, responses_call, responses_text, status

LONG = "\n\n".join(f"This is paragraph {number} of a long answer." for number in range(1, 41))
TOOL = "get_user_conversations"
CONVERSATION = "sample-launch"
TOLD = "The tool was asked, and this is what it found."


class ScriptedModel(FakeProviders):
    """Attributes:
    hold_at: Before the chunk of this number of each reply it waits for `go_on`.
    """

    def __init__(self) -> None:
        super().__init__(is_for_others=True)
        self.hold_at: int | None = None
        self.go_on = threading.Event()

    def hold(self, chunk: int) -> None:
        """Have replies wait from now on."""
        self.hold_at = chunk
        self.go_on.clear()

    def release(self) -> None:
        """Let what waits, and what comes, go on."""
        self.hold_at = None
        self.go_on.set()

    def answer(self, request: Request) -> Reply:
        if not request.path.endswith("/responses"):
            return super().answer(request)
        reply = _reply(request.json)
        return reply if self.hold_at is None else replace(reply, holds=(self.hold_at, self.go_on))


def _reply(request: Json) -> Reply:
    items = request["input"]
    if items[-1].get("type") == "function_call_output":
        return responses_text(TOLD)
    words = _text([item for item in items if item.get("role") == "user"][-1])
    if words.startswith("say: "):
        return responses_text(words.removeprefix("say: "))
    if words.startswith("fail"):
        return status(401, {"error": {"message": "Incorrect API key provided", "code": "key"}})
    if words.startswith("send: "):
        said = words.removeprefix("send: ")
        arguments = {"conversationId": CONVERSATION, "content": said}
        return responses_call("send_message", json.dumps(arguments), call_id=f"call_{len(items)}")
    if words.startswith("call: "):
        name, _, arguments = words.removeprefix("call: ").partition(" ")
        return responses_call(name, arguments, call_id=f"call_{len(items)}")
    if words.startswith("tool"):
        return responses_call(TOOL, "{}", call_id=f"call_{len(items)}")
    return responses_text(LONG)


def _text(message: Json) -> str:
    content = message["content"]
    return content if isinstance(content, str) else content[0]["text"]
