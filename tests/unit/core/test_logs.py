"""Log lines: their content, their format, and the request they belong to."""

from __future__ import annotations

import io
import json
import logging
import math
import re
import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import reduce
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from rollcall.core.logs import (
    MESSAGE_CHARS,
    Lines,
    as_json,
    as_text,
    fields,
    in_request,
    isolated_context,
    log_fields,
    set_fields,
    set_user,
    traceparent,
    user_digest,
    without_uid,
    write_logs,
)
from rollcall.core.redaction import HIDDEN, RedactingFilter

PARENT, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def within(headers: dict[str, str]) -> dict[str, str]:
    return in_request("run_agent", lambda: dict(log_fields()), headers.get)


def test_a_request_says_what_is_at_work_and_leaves_nothing_behind() -> None:
    assert within({"Function-Execution-Id": "e1"}) == {"function": "run_agent", "execution": "e1"}
    assert log_fields() == {}


@pytest.mark.parametrize(
    ("header", "value", "sampled"),
    [
        ("traceparent", f"00-{PARENT}-{SPAN}-01", "01"),
        ("traceparent", f"00-{PARENT}-{SPAN}-00", "00"),
        ("traceparent", f"cc-{PARENT}-{SPAN}-03-what-comes-later", "01"),
        ("X-Cloud-Trace-Context", f"{PARENT}/{int(SPAN, 16)};o=1", "01"),
        ("X-Cloud-Trace-Context", f"{PARENT.upper()}/{int(SPAN, 16)}", "00"),
    ],
)
def test_a_trace_is_read_from_either_header(header: str, value: str, sampled: str) -> None:
    found = within({header: value})
    assert (found["trace"], found["span"], found["sampled"]) == (PARENT, SPAN, sampled)


@pytest.mark.parametrize(
    "headers",
    [
        {"traceparent": "00-xyz-1-01"},
        {"traceparent": f"00-{'0' * 32}-{SPAN}-01"},
        {"traceparent": f"00-{PARENT}-{'0' * 16}-01"},
        {"X-Cloud-Trace-Context": f"{PARENT}/0;o=1"},
        {"X-Cloud-Trace-Context": f"{PARENT}/12;o=1\nforged: line"},
        {"X-Cloud-Trace-Context": ""},
    ],
)
def test_what_is_no_trace_is_left_out(headers: dict[str, str]) -> None:
    assert within(headers) == {"function": "run_agent"}


def test_a_trace_is_passed_on_by_its_own_header() -> None:
    header = f"00-{PARENT}-{SPAN}-01"
    assert in_request("a", traceparent, {"traceparent": header}.get) == header
    assert traceparent() is None


def test_two_requests_at_once_do_not_mix() -> None:
    together = threading.Barrier(8, timeout=60)

    def work() -> tuple[str, str]:
        name = log_fields()["function"]
        set_fields(run=f"run of {name}")
        together.wait()  # by now all have noted theirs
        with ThreadPoolExecutor(1) as pool:
            in_thread = pool.submit(copy_context().run, log_fields).result()
        return name, in_thread["run"]

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(in_request, f"f{n}", work, {}.get) for n in range(8)]
        assert [each.result() for each in asked] == [(f"f{n}", f"run of f{n}") for n in range(8)]


def steps(name: str) -> Generator[str, None, str]:
    set_fields(run=name)
    try:
        yield log_fields()["run"]
        yield log_fields()["run"]
        return log_fields()["run"]
    finally:
        set_fields(ended="yes")


def test_two_runs_that_one_thread_drives_by_turns_do_not_mix() -> None:
    one, other = isolated_context(steps("r1")), isolated_context(steps("r2"))
    assert [next(one), next(other), next(one), next(other)] == ["r1", "r2", "r1", "r2"]
    for each, name in ((one, "r1"), (other, "r2")):
        with pytest.raises(StopIteration) as end:
            next(each)
        assert end.value.value == name
    assert log_fields() == {}


def test_a_run_that_is_closed_from_another_thread_ends_in_its_own_context() -> None:
    seen = []

    def run() -> Generator[int, None, None]:
        set_fields(run="r1")
        try:
            yield 1
        finally:
            seen.append(dict(log_fields()))

    left = isolated_context(run())
    next(left)
    closing = threading.Thread(target=left.close)
    closing.start()
    closing.join()
    assert seen == [{"run": "r1"}]


def test_an_error_of_a_run_is_its_drivers() -> None:
    def run() -> Generator[int, None, None]:
        yield 1
        raise LookupError("gone")

    left = isolated_context(run())
    next(left)
    with pytest.raises(LookupError, match="gone"):
        next(left)


def test_a_user_is_told_by_a_digest_that_is_the_projects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GCLOUD_PROJECT", "one")
    digest = user_digest("ann")
    assert digest == sha256(b"one:ann").hexdigest()[:16]  # as docs/operating.md makes it
    assert (len(digest), digest == user_digest("bob")) == (16, False)
    monkeypatch.setenv("GCLOUD_PROJECT", "other")
    assert user_digest("ann") != digest


def test_the_id_is_taken_out_of_a_text_where_it_is_a_word() -> None:
    def work() -> str:
        set_user("ann")
        return without_uid("users/ann: ann's channel, by 'ann' and not ann-marie")

    digest = f"user:{user_digest('ann')}"
    expected = f"users/{digest}: {digest}'s channel, by '{digest}' and not ann-marie"
    assert in_request("f", work, {}.get) == expected
    assert without_uid("ann") == "ann"


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


def test_whatever_a_figure_is_its_line_is_written_and_is_json() -> None:
    log = Log()
    figures = {
        "share": math.inf,
        "mean": math.nan,
        "data": b"\xff",
        "error": KeyError("x"),
        "by_id": {"\ud800": 1, (1, 2): 2},
        "nested": reduce(lambda inner, _: [inner], range(300), "x"),
    }
    log.logger.info("odd", extra=fields("odd", **figures))
    assert not re.search("Infinity|NaN", log.stream.getvalue())
    written = log.entry()
    assert (written["share"], written["mean"]) == ("inf", "nan")
    assert (written["data"], written["error"]) == ("b'\\xff'", "'x'")
    assert written["by_id"] == {"\ud800": 1, "(1, 2)": 2}
    assert written["nested"] == figures["nested"]


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
    together = threading.Barrier(6, timeout=60)

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
