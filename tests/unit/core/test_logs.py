"""Log lines: one of JSON each, with where they came from, and without what nobody may see."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rollcall.core.log_context import in_request, set_fields, set_user, user_digest
from rollcall.core.logs import MESSAGE_CHARS, Lines, as_json, as_text, fields, write_logs
from rollcall.core.redaction import HIDDEN, RedactingFilter

FUNCTIONS = Path(__file__).parents[3] / "functions"
KEY = "sk-" + "proj-Zq8rT5vX1yB4nM7kP3wL"
UID = "Xk29fLmQ0pT7uV1wZ3yA5bC8dE6"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
LABELS = "logging.googleapis.com/labels"


class Log:
    """A logger with one handler, as `write_logs` makes it."""

    def __init__(self, write: Any = as_json) -> None:
        self.stream = io.StringIO()
        handler = logging.StreamHandler(self.stream)
        handler.setFormatter(Lines(write))
        handler.addFilter(RedactingFilter())
        self.logger = logging.Logger("rollcall")
        self.logger.addHandler(handler)

    def entries(self) -> list[dict[str, Any]]:
        text = self.stream.getvalue()
        assert text.isascii()
        return [json.loads(line) for line in text.splitlines()]

    def entry(self) -> dict[str, Any]:
        [entry] = self.entries()
        return entry


def test_a_record_is_one_line_of_json_that_says_where_it_came_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GCLOUD_PROJECT", "my-project")
    log = Log()

    def work() -> None:
        set_user(UID)
        set_fields(thread="t1", turn="u1", run="r1", agent="messaging")
        log.logger.info("run ended\nat last %s", "שלום", extra=fields("run_ended", ms=12))

    headers = {
        "X-Cloud-Trace-Context": f"{TRACE}/255;o=1",
        "Function-Execution-Id": "x1",
    }
    in_request("run_agent", work, headers.get)
    entry = log.entry()
    assert entry.pop("time").endswith("+00:00")
    assert entry == {
        "severity": "INFO",
        "message": "run ended\nat last שלום",
        "logger": "rollcall",
        "event": "run_ended",
        "ms": 12,
        LABELS: {
            "function": "run_agent",
            "user": user_digest(UID),
            "agent": "messaging",
            "thread": "t1",
            "turn": "u1",
            "run": "r1",
            "execution_id": "x1",
        },
        "logging.googleapis.com/trace": f"projects/my-project/traces/{TRACE}",
        "logging.googleapis.com/spanId": "00000000000000ff",
        "logging.googleapis.com/trace_sampled": True,
    }


def test_planted_keys_and_the_users_id_are_in_no_part_of_a_line() -> None:
    log = Log()

    class Odd:
        def __str__(self) -> str:
            return f"{KEY} of {UID}"

    def work() -> None:
        set_user(UID)
        set_fields(thread=f"t {KEY}", run=UID)
        figures = {"a": [KEY, {"b": UID}], "odd": Odd(), "bad": float("nan")}
        try:
            raise ValueError(f"users/{UID} with {KEY}")
        except ValueError:
            log.logger.exception("for %s: %s", UID, KEY, extra=fields("tried", **figures))
        log.logger.warning("here", stack_info=True, extra=fields("stack", at=UID))

    in_request("f", work, {}.get)
    text = log.stream.getvalue()
    assert KEY not in text
    assert UID not in text
    first, second = log.entries()
    assert first["message"] == f"for user:{user_digest(UID)}: {HIDDEN}"
    assert f"users/user:{user_digest(UID)} with {HIDDEN}" in first["stack_trace"]
    assert first["a"] == [HIDDEN, {"b": f"user:{user_digest(UID)}"}]
    assert "stack_info=True" in second["stack_trace"]


def test_what_is_logged_by_others_as_extra_is_not_written() -> None:
    log = Log()
    log.logger.error("odd", extra={"http_request": {"authorization": "x"}})
    assert set(log.entry()) == {"severity", "message", "logger", "time"}


def test_an_incident_can_be_looked_up_by_itself() -> None:
    log = Log()
    log.logger.error("incident %s: the tool %s failed", "0123456789ab", "news")
    assert log.entry()["incident"] == "0123456789ab"


def test_a_line_is_bounded_and_keeps_the_end_of_a_traceback() -> None:
    log = Log()

    def deep(left: int) -> None:
        if left:
            deep(left - 1)
        raise ValueError("x" * 50_000 + " the end")

    def work() -> None:
        set_user(UID)
        try:
            deep(3)
        except ValueError:
            log.logger.exception("m" * (MESSAGE_CHARS - 4) + f" {UID} " + "m" * 100_000)

    in_request("f", work, {}.get)
    assert len(log.stream.getvalue()) < 60_000
    assert log.entry()["stack_trace"].endswith("the end")
    assert UID[:3] not in log.entry()["message"]  # what is cut off is cut from the digest


def test_runs_at_once_in_one_process_do_not_mix() -> None:
    log = Log()
    together = threading.Barrier(6, timeout=10)

    def work(name: str) -> None:
        set_user(f"user-{name}")
        set_fields(run=name)
        for _ in range(20):
            together.wait()
            log.logger.info("%s", name)

    with ThreadPoolExecutor(6) as pool:
        asked = [
            pool.submit(in_request, "run_agent", lambda name=f"r{n}": work(name), {}.get)
            for n in range(6)
        ]
        for each in asked:
            each.result()
    entries = log.entries()
    assert len(entries) == 120
    for entry in entries:
        labels = entry[LABELS]
        assert labels["run"] == entry["message"]
        assert labels["user"] == user_digest(f"user-{entry['message']}")


def test_as_text_a_line_is_for_people() -> None:
    log = Log(as_text)

    def work() -> None:
        set_user(UID)
        set_fields(run="r1")
        log.logger.info("run ended", extra=fields("run_ended", ms=12))

    in_request("run_agent", work, {"traceparent": f"00-{TRACE}-{'1' * 16}-01"}.get)
    assert log.stream.getvalue() == "INFO rollcall: run ended run=r1 ms=12\n"


@pytest.fixture
def root() -> Any:
    """The root logger, put back as it was."""
    logger = logging.getLogger()
    before = list(logger.handlers)
    filters = [list(handler.filters) for handler in before]
    yield logger
    logger.handlers[:] = before
    for handler, was in zip(before, filters, strict=True):
        handler.filters[:] = was


@pytest.mark.parametrize(
    ("environment", "form"),
    [
        ({}, as_text),
        ({"K_SERVICE": "run-agent"}, as_json),
        ({"FUNCTION_TARGET": "run_agent"}, as_json),
        ({"FUNCTION_TARGET": "run_agent", "FUNCTIONS_EMULATOR": "true"}, as_text),
        ({"ROLLCALL_LOGS": "json", "FUNCTIONS_EMULATOR": "true"}, as_json),
        ({"ROLLCALL_LOGS": "text", "K_SERVICE": "run-agent"}, as_text),
    ],
)
def test_deployed_functions_write_json_and_others_text(
    root: Any, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], form: Any
) -> None:
    for name in ("K_SERVICE", "FUNCTION_TARGET", "FUNCTIONS_EMULATOR", "ROLLCALL_LOGS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    theirs = logging.StreamHandler(io.StringIO())  # functions-framework's own
    root.addHandler(theirs)
    write_logs()
    write_logs()
    [handler] = [each for each in root.handlers if type(each) is logging.StreamHandler]
    assert handler.stream is sys.__stderr__
    assert handler.formatter._write is form
    assert [type(each) for each in handler.filters] == [RedactingFilter]


def test_under_functions_framework_as_deployed_each_line_is_ours_and_comes_once() -> None:
    code = (
        "import logging, flask, functions_framework\n"
        "app = functions_framework.create_app('list_capabilities', 'main.py')\n"
        "@app.before_request\n"
        "def told(): logging.getLogger('rollcall').warning('here')\n"
        "app.test_client().post('/', json={'data': None})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=FUNCTIONS,
        env={
            "K_SERVICE": "list-capabilities",
            "FUNCTION_TARGET": "list_capabilities",
            "LOG_EXECUTION_ID": "true",
            "GCLOUD_PROJECT": "demo-test",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [line] = [line for line in (done.stdout + done.stderr).splitlines() if "here" in line]
    assert json.loads(line)["message"] == "here"


def test_another_form_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLCALL_LOGS", "yaml")
    with pytest.raises(ValueError, match="ROLLCALL_LOGS is json or text"):
        write_logs()
