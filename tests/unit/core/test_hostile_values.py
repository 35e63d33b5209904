"""Hostile values, and functions that cannot become tools, are refused early and by name."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from typing import Any

import pytest

from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.definition import DefinitionError
from rollcall.core.errors import InvalidArgument
from rollcall.core.http import bind_callable
from rollcall.core.inputs import check_json
from rollcall.core.messages import ToolCall
from rollcall.core.wire import Display
from tests.support.local_functions import Functions, frames, use_emulator_tokens

CTX = ToolContext(user=User("ann"))
mark = capability(name={"en": "T"}, category="c")


@pytest.mark.parametrize(
    "value",
    [{"k" * 100_000: [1] * 19_000}, [1] * 1_000_000, {"k" * 1_000_000: [[1]] * 5_000}],
)
def test_checking_takes_no_more_memory_than_the_value(value: Any) -> None:
    tracemalloc.start()
    with suppress(InvalidArgument):
        check_json(value, field="")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize(("option", "value"), [("effect", "writes"), ("runs_on", "Client")])
def test_a_misspelt_effect_is_refused(option: str, value: str) -> None:
    def run(ctx: ToolContext) -> str:
        """Run."""
        return ""

    marked = capability(name={"en": "T"}, category="c", **{option: value})(run)  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match=value):
        Capability.of(marked)


def without_context(*, amps: float) -> float:
    """Do it."""
    return amps


async def in_pieces(ctx: ToolContext) -> Any:
    """Do it."""
    yield 1


def by_pieces(ctx: ToolContext) -> Any:
    """Do it."""
    yield 1


def חשב(ctx: ToolContext) -> float:  # noqa: N802
    """Do it."""
    return 1


@pytest.mark.parametrize("function", [without_context, in_pieces, by_pieces, חשב])
def test_what_cannot_become_a_tool_is_refused_by_name(function: Any) -> None:
    with pytest.raises(TypeError, match=function.__name__):
        Capability.of(mark(function))


def test_any_word_may_be_a_parameter() -> None:
    def find(ctx: ToolContext, *, keywords: list[str], model_name: str = "") -> list[str]:
        """Find."""
        return keywords

    assert Capability.of(mark(find)).call(CTX, {"keywords": ["a"]}) == ["a"]


def test_a_result_is_json_or_an_error() -> None:
    def numbers(ctx: ToolContext) -> Any:
        """Do it."""
        return {"x": float("nan"), "y": [float("inf")]}

    def half(ctx: ToolContext) -> Any:
        """Do it."""
        return "\ud800"

    assert Capability.of(mark(numbers)).call(CTX, {}) == {"x": None, "y": [None]}
    with pytest.raises(ValueError):
        Capability.of(mark(half)).call(CTX, {})
    with pytest.raises(ValueError):
        CTX.show(Display(type="table", rows=[{"x": object()}]))


@pytest.mark.parametrize(
    "text", ['{"x": NaN}', '{"x": 1e400}', '{"x": "\\ud800"}', '{"x":' * 300 + "1" + "}" * 300]
)
def test_arguments_that_could_not_be_kept_are_no_arguments(text: str) -> None:
    assert ToolCall.parse(id="c", name="n", text=text).arguments is None


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("chunk", [{"x": "\ud800"}, {"x": float("nan")}, {"x": object()}])
def test_a_chunk_that_is_not_json_ends_the_stream_with_an_error(
    chunk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_emulator_tokens(monkeypatch.setenv)
    closed: list[bool] = []

    def run(call: Any) -> Any:
        try:
            yield chunk
        finally:
            closed.append(True)
        return 1

    functions = Functions({"tried": bind_callable("tried", run, timeout_s=60)})
    sent = frames(functions.post("tried", {}, headers={"Accept": "text/event-stream"}))
    assert sent[-1]["error"]["status"] == "INTERNAL"
    assert closed == [True]
