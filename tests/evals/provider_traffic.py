"""Replay recorded provider traffic through the model adapters.

    python tests/evals/provider_traffic.py FOLDER

Every `*.jsonl` in FOLDER holds one record a line: `{id, provider, endpoint, status, headers,
body}`, or `{id, provider, turns: [...]}` with such records for a dialogue. Each body is served
by a local server, bodies that were not streamed both as they are and, for Gemini, as a stream of
one chunk; and each to who asked for a stream, and to who asked for one piece. What the adapter
makes of it is compared with what the body holds: a failure must be an `AgentError` of the right
kind, no call and no text may be lost, and what a provider wants back must be in the next request
as it came. The loop's own reading of replies, with its tries, must come to the same. Exits with 1
if a record fails.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "functions")]

from rollcall.agent.budget import Budget, Reservation  # noqa: E402
from rollcall.agent.model_calls import (  # noqa: E402
    TRIES,
    RetryPolicy,
    stream_reply,
)
from rollcall.core.errors import AgentError  # noqa: E402
from rollcall.core.messages import Message, ToolMessage, ToolResult, UserMessage  # noqa: E402
from rollcall.models.base import (  # noqa: E402
    FinishReason,
    ModelRequest,
    ToolSpec,
    Usage,
    load_model,
)
from tests.evals.recorded_bodies import Expected, expected_of  # noqa: E402
from tests.support.fake_providers import FakeProviders, WholeReply, gather  # noqa: E402
from tests.support.provider_replies import Reply  # noqa: E402

Json = Any

KINDS = {
    401: {"failed-precondition"},
    403: {"failed-precondition"},
    404: {"failed-precondition"},
    400: {"invalid-argument", "failed-precondition"},
    429: {"resource-exhausted"},
}
MODELS = {"gemini": "gemini:gemini-3.8-flash", "openai": "openai:gpt-5.5"}
TOOLS = (ToolSpec("get_weather", "Tell the weather.", {"type": "object", "properties": {}}),)


def main(folder: str) -> int:
    """Replay a folder and print what failed."""
    outcomes: Counter[str] = Counter()
    for path in sorted(Path(folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            replay = replay_loop if "turns" in record else replay_record
            problems = list(replay(record))
            outcomes[f"{path.stem}: {'failed' if problems else 'clean'}"] += 1
            for problem in problems:
                print(f"{record['id']} {record.get('what') or ''}: {problem}")
    print("\n".join(f"{name} {number}" for name, number in sorted(outcomes.items())))
    return 1 if any("failed" in name for name in outcomes) else 0


def replay_record(record: Json) -> Iterator[str]:
    """Serve one record in each form it can come in."""
    for reply in forms_of(record):
        for streamed in (True, False):
            with FakeProviders(openai_api=api_of(record)) as fake:
                history: list[Message] = [UserMessage.of("hello")]
                said, problems = replay_turn(fake, record, reply, history, streamed=streamed)
                yield from problems
                yield from replay_reply(fake, record, reply, said, streamed=streamed)


def replay_reply(
    fake: FakeProviders, record: Json, body: Reply, said: WholeReply | None, *, streamed: bool
) -> list[str]:
    """Serve the body to what the loop reads replies with; it must agree with the adapter."""
    fake.gemini(*[body] * TRIES) if record["provider"] == "gemini" else fake.openai(*[body] * TRIES)
    budget = Balance()
    asked = stream_reply(
        [load_model(MODELS[record["provider"]])],
        ModelRequest("", (UserMessage.of("hello"),), tools=TOOLS, streamed=streamed),
        message_id="m1",
        budget=budget,
        is_stopped=lambda: False,
        retries=RetryPolicy(sleep=lambda seconds: None, random=lambda: 0.0),
    )
    reply = None
    try:
        while True:
            json.dumps(next(asked), ensure_ascii=False).encode()
    except StopIteration as end:
        reply = end.value.message
    except AgentError:
        pass  # of the right kind, as the adapter's was
    except Exception:
        return [traceback.format_exc()]
    finally:
        fake.reset()
    found = [] if budget.open == 0 else ["a call was reserved and not settled"]
    calls = [(call.name, call.arguments) for call in reply.tool_calls] if reply else None
    wanted = [(call.name, call.arguments) for call in said.message.tool_calls] if said else None
    if calls != wanted or (reply and said and reply.text != said.message.text):
        found.append(f"the loop reads {reply}, the adapter {said}")
    return found


class Balance(Budget):
    """A budget that only counts what is open."""

    open = 0

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        self.open += 1
        return super().reserve(model_id, input_tokens=input_tokens, output_tokens=output_tokens)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        self.open -= 1
        return super().settle(reservation, usage)


def replay_loop(record: Json) -> Iterator[str]:
    """Serve a dialogue turn by turn, answering each call."""
    turns = [{"provider": record["provider"], **turn} for turn in record["turns"]]
    forms = [list(forms_of(turn)) for turn in turns]
    for form in range(max(map(len, forms))):
        history: list[Message] = [UserMessage.of("hello")]
        with FakeProviders(openai_api=api_of(record["turns"][0])) as fake:
            for turn, replies in zip(turns, forms, strict=True):
                reply = replies[min(form, len(replies) - 1)]
                streamed = turn["stream"]
                said, problems = replay_turn(fake, turn, reply, history, streamed=streamed)
                yield from problems
                if said is None:
                    return
                history.append(said.message)
                history.append(answer_to(said))


def answer_to(said: WholeReply) -> Message:
    """The tools' results, or the user's next words."""
    results = tuple(
        ToolResult(call.id, call.name, '{"output": "done"}') for call in said.message.tool_calls
    )
    return ToolMessage(results) if results else UserMessage.of("go on")


def replay_turn(
    fake: FakeProviders, record: Json, reply: Reply, history: list[Message], *, streamed: bool
) -> tuple[WholeReply | None, list[str]]:
    """Serve one body; return what was understood and every difference."""
    fake.gemini(reply) if record["provider"] == "gemini" else fake.openai(reply)
    expected = expected_of(record)
    request = ModelRequest("", tuple(history), tools=TOOLS, streamed=streamed)
    said = None
    try:
        said = gather(load_model(MODELS[record["provider"]]).stream(request), record["provider"])
        problems = differences(expected, said)
    except AgentError as error:
        problems = list(unexpected(record["status"], expected, error))
    except Exception:
        problems = [traceback.format_exc()]
    sent = fake.requests[-1].body.decode()
    problems += [f"not sent back: {text[:80]}" for text in missing(sent, history)]
    return said, problems


def unexpected(status: int, expected: Expected, error: AgentError) -> Iterator[str]:
    """Say so if a record is no failure, or one of another kind."""
    if status == 200 and not expected.is_failure:
        yield f"raised {error.code}: {error}"
    if status != 200 and error.code not in KINDS.get(status, {"unavailable"}):
        yield f"status {status} became {error.code}: {error}"


def differences(expected: Expected, said: WholeReply) -> list[str]:
    """Compare what a body holds with what was understood."""
    found = []
    calls = [(call.name, call.arguments) for call in said.message.tool_calls]
    wanted = [(call.name, call.arguments) for call in expected.calls]
    if expected.is_failure:
        found.append("a failure was taken for a reply")
    if calls != wanted:
        found.append(f"calls differ: {calls} instead of {wanted}")
    if said.message.text not in (expected.text, expected.streamed):
        found.append(f"text differs: {said.message.text!r} instead of {expected.text!r}")
    ids = [call.id for call in said.message.tool_calls]
    if len(set(ids)) != len(ids) or not all(ids):
        found.append(f"ids of calls are not distinct: {ids}")
    if calls and said.finish.reason is FinishReason.STOP:
        found.append("a reply with calls was taken for the end")
    return found


def missing(sent: str, history: list[Message]) -> Iterator[str]:
    """Texts of earlier replies that have to be in the request as they came."""
    for message in history:
        for text in kept_texts(getattr(message, "provider_parts", ())):
            if json.dumps(text)[1:-1] not in sent and text not in sent:
                yield text


def kept_texts(value: Json) -> Iterator[str]:
    """Signatures and encrypted reasoning, wherever they are."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from kept_texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key in ("thoughtSignature", "encrypted_content") and isinstance(each, str):
                yield each
            else:
                yield from kept_texts(each)


def forms_of(record: Json) -> Iterator[Reply]:
    """The body as recorded and, for a Gemini reply that was not streamed, as one chunk."""
    kind = record["headers"].get("content-type")
    headers = {k: v for k, v in record["headers"].items() if k.startswith("retry-after")}
    body = (record["body"] or "").encode()
    yield Reply((body,), record["status"], headers, kind)
    if record["status"] == 200 and record["provider"] == "gemini" and not record["stream"]:
        one = json.dumps(json.loads(body)).encode()
        yield Reply((b"data: " + one + b"\r\n\r\n",), 200, headers)
    half = len(body) // 2
    yield Reply((body[:half], body[half:]), record["status"], headers, None)


def api_of(record: Json) -> str:
    """Which of OpenAI's APIs a record is of."""
    return "chat" if "chat/completions" in record["endpoint"] else "responses"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    logging.disable(logging.WARNING)
    raise SystemExit(main(sys.argv[1]))
