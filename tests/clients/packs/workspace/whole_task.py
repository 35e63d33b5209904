"""A whole task of the coding agent: what its model says, and what must have come of it.

It lists a folder, reads two files side by side, writes a third, runs the test, which fails, mends
the file by an edit, and runs the test again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rollcall.store.client import database
from tests.support.fake_providers import Request
from tests.support.provider_replies import Json, Reply, call_item, responses, responses_text

READ = ("greeting.py", "test_farewell.py")
COMMAND = "python3 test_farewell.py"
ASKED = "Write farewell.py so that its test passes"
WRITTEN = 'def farewell(name):\n    return "Goodbye, " + name\n'
MENDED = 'def farewell(name):\n    return f"Goodbye, {name}!"\n'
ANSWER = "The test passes: the farewell ends with an exclamation mark."
_FILES = {
    "greeting.py": 'def greeting(name):\n    return f"Hello, {name}!"\n',
    # A line for each time that it is run.
    "test_farewell.py": (
        'open("runs", "a").write("run\\n")\n'
        "from farewell import farewell\n\n"
        'assert farewell("Noa") == "Goodbye, Noa!"\n'
    ),
}
_OLD, _NEW = (text.splitlines()[1].strip() for text in (WRITTEN, MENDED))
_STEPS: list[list[tuple[str, dict[str, Any]]]] = [
    [("list_directory", {"path": "."})],
    [("read_file", {"path": path}) for path in READ],
    [("write_file", {"path": "farewell.py", "content": WRITTEN})],
    [("run_command", {"command": COMMAND})],
    [("edit_file", {"path": "farewell.py", "oldText": _OLD, "newText": _NEW})],
    [("run_command", {"command": COMMAND})],
]
_WRITE = 2


def prepare(folder: Path) -> None:
    """Make the folder, with the two files that are read."""
    folder.mkdir()
    for name, text in _FILES.items():
        (folder / name).write_text(text)


def replies(rest: threading.Event) -> list[Reply]:
    """What the model says, step by step, in pieces of six characters; the file's content stops
    near its end until `rest` is set."""
    said = [responses(*_calls(step)) for step in range(len(_STEPS))]
    said[_WRITE] = said[_WRITE].holding(rest, after=len(said[_WRITE].chunks) - 6)
    return [*said, responses_text(ANSWER)]


def reply_to(body: Json) -> Reply:
    """What the model says to a dialogue of this task: the same to the same one."""
    answered = len(_answered(body))
    for number, step in enumerate(_STEPS):
        if not answered:
            return responses(*_calls(number))
        answered -= len(step)
    return responses_text(ANSWER)


def assert_done(folder: Path) -> None:
    """The folder has what the task was about, and nothing was done twice."""
    assert (folder / "farewell.py").read_text() == MENDED
    assert (folder / "runs").read_text() == "run\n" * 2
    assert {name: (folder / name).read_text() for name in _FILES} == _FILES


def assert_asked_once_a_step(requests: Sequence[Request]) -> None:
    """The model was asked once for each step, and saw both reads' results together."""
    assert len(requests) == len(_STEPS) + 1
    answered = [_answered(request.json) for request in requests]
    assert answered[0] == []
    for step in range(len(_STEPS)):
        new = answered[step + 1][len(answered[step]) :]
        assert [each["call_id"] for each in new] == [each["call_id"] for each in _calls(step)]
    outputs = [json.loads(each["output"])["output"] for each in answered[_WRITE][1:]]
    contents = [output["content"] for output in outputs]
    assert contents == [_FILES[name] for name in READ]


def assert_logged(thread_id: str) -> None:
    """The thread has one turn: its message, and each step with each call's result once."""
    messages = database().collection("threads", thread_id, "messages").order_by("n")
    asked, *steps = [message.to_dict() or {} for message in messages.stream()]
    assert asked["role"] == "user"
    assert {step["turnId"] for step in steps} == {asked["turnId"]}
    called = [[call["name"] for call in step["toolCalls"]] for step in steps]
    assert called == [*([name for name, _ in step] for step in _STEPS), []]
    assert all(len(step["results"]) == len(step["toolCalls"]) for step in steps)
    assert steps[-1]["text"] == ANSWER
    runs = database().collection("threads", thread_id, "runs").stream()
    assert {(run.get("turnId"), run.get("status")) for run in runs} == {(asked["turnId"], "done")}


def _calls(step: int) -> list[Json]:
    return [
        call_item(name, json.dumps(arguments), call_id=f"call_{step}_{place}")
        for place, (name, arguments) in enumerate(_STEPS[step])
    ]


def _answered(body: Json) -> list[Json]:
    return [item for item in body["input"] if item.get("type") == "function_call_output"]
