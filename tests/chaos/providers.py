"""Model providers at their worst, under the whole of `run_agent`."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.chaos import deployment
from tests.chaos.scenario import Broken, examine
from tests.chaos.worker import Job, Worker
from tests.support import provider_replies as wire
from tests.support.fake_providers import GEMINI_KEY, OPENAI_KEY, FakeProviders
from tests.support.provider_replies import Reply
from tests.support.whole_replies import in_one_piece

LANES = 8
"""Most cases wait for something, so many fit side by side."""
TRIES = 3
MAX_S = 30.0
MODELS = {
    "responses": "openai:gpt-test",
    "chat": "openai:gpt-test",
    "gemini": "gemini:gemini-test",
}
_LEAK = re.compile(
    rf"{GEMINI_KEY}|{OPENAI_KEY}|127\.0\.0\.1|Traceback|0x[0-9a-f]{{6,}}|site-packages|\.py\b"
)
_HTML = b"<html><body><h1>Bad gateway</h1></body></html>"


def texts(api: str, text: str) -> Reply:
    """A sound reply of text."""
    pieces = (text[: len(text) // 2], text[len(text) // 2 :])
    return {
        "responses": wire.responses_text,
        "chat": wire.chat_text,
        "gemini": wire.gemini_text,
    }[api](*pieces)


def calls(api: str) -> Reply:
    """A sound reply that calls a tool."""
    if api == "gemini":
        return wire.gemini_call("look_up", {"topic": "it"})
    make = wire.responses_call if api == "responses" else wire.chat_call
    return make("look_up", '{"topic": "it"}')


def _error_frame(api: str) -> Reply:
    good = texts(api, "It was going so well")
    if api == "responses":
        frame: Any = {"type": "error", "code": "server_error", "message": "boom"}
    else:
        frame = {"error": {"code": 500, "status": "INTERNAL", "message": "boom", "type": "e"}}
    return replace(good, chunks=(*good.chunks[:2], f"data: {json.dumps(frame)}\n\n".encode()))


def _wrong_values(api: str) -> Reply:
    values = {
        "responses": {"type": "response.output_text.delta", "delta": {"no": ["text"]}},
        "chat": {"choices": [{"delta": {"content": 7, "tool_calls": "none"}}]},
        "gemini": {"candidates": [{"content": {"parts": [{"functionCall": 3}, None]}}]},
    }
    return wire.sse(values[api])


PATTERNS: dict[str, Callable[[str], Reply]] = {
    "429 with Retry-After": lambda api: wire.status(429, headers={"retry-after": "1"}),
    "429 without": lambda api: wire.status(429),
    "429 for an hour": lambda api: wire.status(429, headers={"retry-after": "3600"}),
    "quota used up": lambda api: wire.status(
        429, {"error": {"code": "insufficient_quota", "message": "pay", "type": "q"}}
    ),
    "500": lambda api: wire.status(500),
    "503": lambda api: wire.status(503),
    "400": lambda api: wire.status(400),
    "401": lambda api: wire.status(401),
    "HTML of a proxy": lambda api: Reply((_HTML,), 502, content_type="text/html"),
    "HTML with 200": lambda api: Reply((_HTML,), content_type="text/html"),
    "dropped in a text": lambda api: texts(api, "It was going so well").broken(after=2),
    "dropped in a call": lambda api: calls(api).broken(after=max(len(calls(api).chunks) // 2, 1)),
    "truncated": lambda api: texts(api, "It was going so well").ending(after=2),
    "drips": lambda api: texts(api, "It was going so well").dripping(after=2),
    "stalls": lambda api: texts(api, "It was going so well").stalling(after=2),
    "says nothing at all": lambda api: Reply((), is_mute=True),
    "no JSON": lambda api: Reply((b"data: {not json\n\n",)),
    "wrong values": _wrong_values,
    "deep JSON": lambda api: Reply((b"data: " + b"[" * 20_000 + b"\n\n",)),
    "no UTF-8": lambda api: Reply((b"data: \xff\xfe\x00{}\n\n",)),
    "empty": lambda api: Reply(()),
    "empty text": lambda api: texts(api, ""),
    "no content type": lambda api: replace(texts(api, "Fine."), content_type=None),
    "an error inside the stream": _error_frame,
    "huge": lambda api: texts(api, "word " * 250_000),
}
_SLOW = {"drips", "stalls", "says nothing at all"}


@dataclass(frozen=True, slots=True)
class Case:
    """One pattern at one place: `always`, or `once` and a sound reply after it; in the reply to
    the message, or in the one after a tool's result; for a caller who watches, or for one who
    waits for the end, to whom replies come in one piece."""

    api: str
    pattern: str
    always: bool
    after_tool: bool
    streamed: bool = True

    def __str__(self) -> str:
        how = "always" if self.always else "once"
        where = "after a tool" if self.after_tool else "at once"
        form = "streamed" if self.streamed else "in one piece"
        return f"{self.api}: {self.pattern}, {how}, {where}, {form}"

    def replies(self) -> list[Reply]:
        """What the provider sends."""
        bad = [PATTERNS[self.pattern](self.api)] * (TRIES if self.always else 1)
        replies = [*([calls(self.api)] if self.after_tool else []), *bad]
        if not self.always:
            replies.append(texts(self.api, "It is so."))
        return replies if self.streamed else [_whole(reply) for reply in replies]


def _whole(reply: Reply) -> Reply:
    """The same in one piece; half of it where the connection does not bring all."""
    whole = in_one_piece(reply)
    is_cut = reply.breaks or reply.stalls or reply.drips_every_s is not None
    return replace(whole, chunks=whole.chunks[:1]) if is_cut else whole


def cases(apis: tuple[str, ...] = tuple(MODELS), *, slow: bool = True) -> Iterator[Case]:
    for api in apis:
        for pattern in PATTERNS:
            if pattern in _SLOW and not slow:
                continue
            for always in (True, False):
                for after_tool in (True, False):
                    yield Case(api, pattern, always, after_tool)
                yield Case(api, pattern, always, after_tool=False, streamed=False)


def try_cases(db: Any, project: str, file: str, tried: list[Case]) -> list[str]:
    """Try them side by side; what did not hold."""

    def each(numbered: tuple[int, Case]) -> list[str]:
        number, case = numbered
        said = {"api": case.api, "replies": case.replies(), "streamed": case.streamed}
        return _try(db, project, file, number, str(case), said)

    with ThreadPoolExecutor(LANES) as pool:
        return [problem for found in pool.map(each, enumerate(tried)) for problem in found]


def try_traffic(db: Any, project: str, file: str, folder: str) -> tuple[int, list[str]]:
    """Serve recorded bodies, plain and streamed, as replies to messages."""
    from tests.evals.provider_traffic import api_of, forms_of

    found = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            for turn in record.get("turns", [record]):
                turn = {"provider": record["provider"], **turn}
                api = "gemini" if turn["provider"] == "gemini" else api_of(turn)
                found += [(record["id"], api, form) for form in forms_of(turn)]

    def each(numbered: tuple[int, tuple[str, str, Reply]]) -> list[str]:
        number, (id, api, form) = numbered
        said = {"api": api, "replies": [form] * TRIES, "streamed": True}
        return _try(db, project, file, 10_000 + number, id, said)

    with ThreadPoolExecutor(LANES) as pool:
        problems = [each for found in pool.map(each, enumerate(found)) for each in found]
    return len(found), problems


def _try(
    db: Any, project: str, file: str, number: int, name: str, said: dict[str, Any]
) -> list[str]:
    uid = deployment.PEOPLE[number % len(deployment.PEOPLE)]
    data = {**said, "runId": f"provider-{number}"}
    try:
        outcome = Worker(Job("provider", project, file, uid, data)).outcome()
        if outcome.error or outcome.died:
            raise Broken(f"the worker ended with {outcome}")
        for problem in outcome.result["problems"]:
            raise Broken(problem)
        examine(db, outcome.result["threadId"], uid)
    except (Broken, TimeoutError) as error:
        return [f"{name}: {error}"]
    return []


def work(
    platform: deployment.WorkerPlatform, job: Job, events: list[dict[str, Any]], number: int
) -> Any:
    """In a worker: send a message while the provider misbehaves, and another when it does not."""
    from rollcall.endpoints.run_agent import run_agent
    from rollcall.store.runs import thread_id_for
    from tests.support.local_functions import Functions, use_emulator_tokens

    api = job.data["api"]
    os.environ["ROLLCALL_MODEL"] = MODELS[api]
    os.environ["ROLLCALL_ALLOW_UNPRICED"] = "true"
    use_emulator_tokens(os.environ.__setitem__)
    from rollcall.core.triggers import OnCall

    bound = OnCall().bind("run_agent", run_agent, lambda: platform)
    functions = Functions({"run_agent": bound})
    problems: list[str] = []
    with FakeProviders(openai_api="chat" if api == "chat" else "responses") as fake:
        queue = fake.gemini if api == "gemini" else fake.openai
        queue(*job.data["replies"])
        began = time.monotonic()
        data = {"agent": "hasty", "runId": job.data["runId"], "message": "What is it?"}
        if job.data["streamed"]:
            frames = functions.stream("run_agent", data, uid=job.uid)
        else:
            frames = [functions.post("run_agent", data, uid=job.uid).json]
        if time.monotonic() - began > MAX_S:
            problems.append(f"it took {time.monotonic() - began:.0f} s")
        problems += list(_problems(frames))
        fake.reset()
        queue(texts(api, "Now it works."))
        thread_id = thread_id_for(job.uid, job.data["runId"])
        more = {"agent": "hasty", "threadId": thread_id, "message": "And now?"}
        for _ in range(TRIES):  # on a machine that is busy, one may run out of its little time
            last = functions.stream("run_agent", more, uid=job.uid)[-1]
            if (last.get("result") or {}).get("stopReason") != "deadline":
                break
        if "Now it works." not in str((last.get("result") or {}).get("message")):
            problems.append(f"the thread does not go on: {str(last)[:400]}")
    return {"problems": problems, "threadId": thread_id}


def _problems(frames: list[dict[str, Any]]) -> Iterator[str]:
    last = frames[-1]
    if "error" in last:
        code = last["error"]["status"].lower().replace("_", "-")
        if code == "internal" or not last["error"]["message"]:
            yield f"it ended with {last['error']}"
    elif not (last.get("result") or {}).get("message"):
        yield f"it ended without an answer: {str(last)[:300]}"
    if found := _LEAK.search(json.dumps(frames)):
        yield f"something internal was shown: {found.group()}"
