"""Results of a client's tools are checked as those of the calls that they answer."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.agent.resume import client_results
from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.wire import RunRequest
from rollcall.testing import StaticCatalog


@capability(name="Count the lines", runs_on="client")
def count_lines(ctx: ToolContext) -> int:
    """Count the lines of the open file."""
    raise NotImplementedError


@capability(name="Read the file", runs_on="client")
def read_text(ctx: ToolContext) -> str:
    """Read the open file."""
    raise NotImplementedError


CATALOG = StaticCatalog(
    {function.__name__: Capability.of(function) for function in (count_lines, read_text)}
)
WAITING: dict[str, Any] = {
    "calls": ["c1", "c2"],
    "tools": ["count_lines", "read_text"],
    "clientId": None,
}


def answer(**results: Any) -> RunRequest:
    rows = [{"toolCallId": call, "content": content} for call, content in results.items()]
    return RunRequest.model_validate({"agent": "a", "threadId": "t", "toolResults": rows})


def test_each_result_is_of_the_type_that_its_own_tool_declares() -> None:
    found = client_results(answer(c1=3, c2="hello"), WAITING, CATALOG)
    assert found == {"c1": {"content": 3}, "c2": {"content": "hello"}}
    with pytest.raises(InvalidArgument, match="content"):
        client_results(answer(c1="hello", c2="hello"), WAITING, CATALOG)


def test_of_several_calls_one_that_is_answered_alone_is_checked_as_itself() -> None:
    found = client_results(answer(c2="hello"), WAITING, CATALOG, only=["c2"])
    assert found == {"c2": {"content": "hello"}}
    with pytest.raises(InvalidArgument):
        client_results(answer(c2=3), WAITING, CATALOG, only=["c2"])


def test_calls_that_are_answered_in_another_order_keep_their_tools() -> None:
    both = answer(c2="hello", c1=3)
    found = client_results(both, WAITING, CATALOG, only=["c2", "c1"])
    assert found == {"c1": {"content": 3}, "c2": {"content": "hello"}}


def test_without_only_every_waiting_call_needs_a_result() -> None:
    with pytest.raises(InvalidArgument, match="missing: c1"):
        client_results(answer(c2="hello"), WAITING, CATALOG)
