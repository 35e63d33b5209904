"""What a thread is at work on: noted in one place, known in its threads, mixed with no other's."""

from __future__ import annotations

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from hashlib import sha256

import pytest

from rollcall.core.log_context import (
    in_request,
    isolated_context,
    log_fields,
    set_fields,
    set_user,
    traceparent,
    user_digest,
    without_uid,
)

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def within(headers: dict[str, str]) -> dict[str, str]:
    return in_request("run_agent", lambda: dict(log_fields()), headers.get)


def test_a_request_says_what_is_at_work_and_leaves_nothing_behind() -> None:
    assert within({"Function-Execution-Id": "e1"}) == {"function": "run_agent", "execution": "e1"}
    assert log_fields() == {}


@pytest.mark.parametrize(
    ("header", "value", "sampled"),
    [
        ("traceparent", f"00-{TRACE}-{SPAN}-01", "01"),
        ("traceparent", f"00-{TRACE}-{SPAN}-00", "00"),
        ("traceparent", f"cc-{TRACE}-{SPAN}-03-what-comes-later", "01"),
        ("X-Cloud-Trace-Context", f"{TRACE}/{int(SPAN, 16)};o=1", "01"),
        ("X-Cloud-Trace-Context", f"{TRACE.upper()}/{int(SPAN, 16)}", "00"),
    ],
)
def test_a_trace_is_read_from_either_header(header: str, value: str, sampled: str) -> None:
    found = within({header: value})
    assert (found["trace"], found["span"], found["sampled"]) == (TRACE, SPAN, sampled)


@pytest.mark.parametrize(
    "headers",
    [
        {"traceparent": "00-xyz-1-01"},
        {"traceparent": f"00-{'0' * 32}-{SPAN}-01"},
        {"traceparent": f"00-{TRACE}-{'0' * 16}-01"},
        {"X-Cloud-Trace-Context": f"{TRACE}/0;o=1"},
        {"X-Cloud-Trace-Context": f"{TRACE}/12;o=1\nforged: line"},
        {"X-Cloud-Trace-Context": ""},
    ],
)
def test_what_is_no_trace_is_left_out(headers: dict[str, str]) -> None:
    assert within(headers) == {"function": "run_agent"}


def test_a_trace_is_passed_on_by_its_own_header() -> None:
    header = f"00-{TRACE}-{SPAN}-01"
    assert in_request("a", traceparent, {"traceparent": header}.get) == header
    assert traceparent() is None


def test_two_requests_at_once_do_not_mix() -> None:
    together = threading.Barrier(8, timeout=10)

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
