"""The names of the platform's functions, queues and collections, with a prefix and without."""

from __future__ import annotations

import pytest

from rollcall.core.options import (
    collection_id,
    function_name,
    function_options,
    lease_s,
    prefix,
    queue_name,
)


@pytest.mark.parametrize("unset", [None, ""])
def test_without_a_prefix_names_are_as_code_has_them(
    unset: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if unset is None:
        monkeypatch.delenv("ROLLCALL_PREFIX", raising=False)
    else:
        monkeypatch.setenv("ROLLCALL_PREFIX", unset)
    assert prefix() == ""
    assert collection_id("threads") == "threads"
    assert function_name("run_agent") == "run_agent"
    assert queue_name("continuerun") == "continuerun"


@pytest.mark.parametrize("good", ["rc", "r", "a1234567890abcde"])
def test_a_prefix_stands_before_every_name(good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLCALL_PREFIX", good)
    assert collection_id("healthSamples") == f"{good}_healthSamples"
    assert function_name("run_agent") == f"{good}_run_agent"
    assert queue_name("continuerun") == f"{good}continuerun"  # a queue's name takes no underscore


@pytest.mark.parametrize("bad", ["Rc", "1rc", "rc_", "r-c", " rc", "rc\n", "עב", "a" * 17])
def test_what_cannot_be_a_prefix_is_refused(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLCALL_PREFIX", bad)
    for read in (prefix, lambda: collection_id("threads"), lambda: queue_name("continuerun")):
        with pytest.raises(ValueError, match="lower-case letter first and at most 16"):
            read()


@pytest.mark.parametrize("bad", ["60s", "0", "-1", "nan", "1e3", " ", "0.5"])
def test_a_lease_that_is_no_number_of_seconds_is_refused(
    bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_LEASE_S", bad)
    with pytest.raises(ValueError, match=r"ROLLCALL_LEASE_S is .*; a number of seconds from 1"):
        lease_s()


@pytest.mark.parametrize(("text", "seconds"), [("", 60.0), ("5", 5.0), ("90.25", 90.25)])
def test_a_lease_is_read_in_seconds(
    text: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_LEASE_S", text)
    assert lease_s() == seconds


@pytest.mark.parametrize("bad", ["many", "0", "1001", "4.5"])
def test_threads_that_are_no_number_are_refused(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADS", bad)
    with pytest.raises(ValueError, match=f"THREADS is '{bad}'; a number from 1 to 1000"):
        function_options("run_agent")


def test_a_command_reads_the_prefix_of_the_app_that_it_runs_in() -> None:
    assert prefix({"ROLLCALL_PREFIX": "rc"}) == "rc"
    assert prefix({}) == ""
