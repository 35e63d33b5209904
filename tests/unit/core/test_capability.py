"""What `@capability` makes of a plain function."""

from __future__ import annotations

import asyncio
import functools
from contextvars import copy_context
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from rollcall.core.capability import Capability, capability, is_capability, plain
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import InvalidArgument
from rollcall.core.logs import log_fields, set_fields
from rollcall.core.wire import Wire
from tests.support.for_every import for_every

CTX = ToolContext(user=User("u1"))


class Run(BaseModel):
    length_ft: float
    set_fields: str | None = None


class Answer(Wire):
    voltage_drop_v: float
    checked_on: date | None = None


@capability(name={"en": "Voltage drop", "he": "מפל מתח"}, category="electrical")
def voltage_drop(
    ctx: ToolContext,
    *,
    amps: Annotated[float, Field(gt=0)],
    run: Run | None = None,
    size_awg: Literal["12", "10"] = "12",
    tags: list[str] | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
    when: date | None = None,
) -> Answer:
    """Estimate the voltage lost along a run.

    Use it before a circuit is added.

    Args:
        amps: Load current, A.
        size_awg: Conductor size.
    """
    length = run.length_ft if run else 100
    return Answer(voltage_drop_v=amps * length / 1000, checked_on=when)


def test_the_function_stays_a_plain_function() -> None:
    assert voltage_drop(CTX, amps=10).voltage_drop_v == 1.0
    assert is_capability(voltage_drop)
    assert not is_capability(len)


def test_signature_and_docstring_give_the_schema_in_camel_case() -> None:
    found = Capability.of(voltage_drop)
    properties = found.json_schema["properties"]
    assert found.id == "voltage_drop"
    assert found.description.startswith("Estimate the voltage lost along a run.\nUse it before")
    assert list(properties) == ["amps", "run", "sizeAwg", "tags", "limit", "when"]
    assert found.json_schema["required"] == ["amps"]
    assert properties["sizeAwg"] == {
        "default": "12",
        "description": "Conductor size.",
        "enum": ["12", "10"],
        "type": "string",
    }


def test_the_schema_is_inlined_and_an_optional_argument_is_not_a_nullable_one() -> None:
    text = str(Capability.of(voltage_drop).json_schema)
    assert "$ref" not in text
    assert "null" not in text
    run = Capability.of(voltage_drop).json_schema["properties"]["run"]
    assert run["properties"]["length_ft"] == {"type": "number"}


def test_a_call_takes_camel_and_snake_case_and_returns_plain_json() -> None:
    found = Capability.of(voltage_drop)
    expected = {"voltageDropV": 0.5, "checkedOn": "2026-03-01"}
    both = {"amps": 5, "when": "2026-03-01"}
    assert found.call(CTX, {**both, "sizeAwg": "10"}) == expected
    assert found.call(CTX, {**both, "size_awg": "10"}) == expected


def test_a_call_returns_the_records_that_the_context_brings() -> None:
    @capability(name={"en": "T"}, category="c")
    def whoami(ctx: ToolContext) -> dict[str, User]:
        """Say who asks."""
        return {"user": ctx.user}

    who = {"uid": "u1", "role": "user", "tenant": None, "name": None}
    assert Capability.of(whoami).call(CTX, {}) == {"user": who}


def test_a_result_of_an_unknown_type_has_no_json() -> None:
    for value in (CTX, [User(object())]):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="unknown type"):
            plain(value)


@for_every(
    ("arguments", "field"),
    [
        ({}, "arguments.amps"),
        ({"amps": "5"}, "arguments.amps"),
        ({"amps": True}, "arguments.amps"),
        ({"amps": -1}, "arguments.amps"),
        ({"amps": None}, "arguments.amps"),
        ({"amps": 5, "sizeAwg": "8"}, "arguments.sizeAwg"),
        ({"amps": 5, "limit": 0}, "arguments.limit"),
        ({"amps": 5, "limit": 2.5}, "arguments.limit"),
        ({"amps": 5, "tags": "one"}, "arguments.tags"),
        ({"amps": 5, "tags": [1]}, "arguments.tags.0"),
        ({"amps": 5, "run": {}}, "arguments.run.length_ft"),
        ({"amps": 5, "when": "soon"}, "arguments.when"),
        ({"amps": 5, "colour": "red"}, "arguments.colour"),
        ([], "arguments"),
        ("text", "arguments"),
    ],
)
def test_a_wrong_argument_is_named(arguments: Any, field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        Capability.of(voltage_drop).call(CTX, arguments)
    assert caught.value.field == field
    assert caught.value.message


def test_a_whole_number_written_as_a_float_is_an_integer() -> None:
    found = Capability.of(voltage_drop)
    assert found.call(CTX, {"amps": 5, "limit": 5.0})["voltageDropV"] == 0.5


def test_the_digest_follows_what_a_reader_of_the_tool_would_notice() -> None:
    def make(description: str, version: int) -> Any:
        def tool(ctx: ToolContext, *, amps: float) -> float:
            return amps

        tool.__doc__ = description
        return Capability.of(capability(name={"en": "T"}, category="c", version=version)(tool))

    digests = {make("One.", 1).digest, make("Two.", 1).digest, make("One.", 2).digest}
    assert len(digests) == 3
    assert make("One.", 1).digest == make("One.", 1).digest


def test_a_plain_text_is_the_english_name_and_the_pack_the_category() -> None:
    @capability(name="Ping")
    def ping(ctx: ToolContext) -> str:
        """Answer."""
        return "pong"

    ping.__module__ = "packs.office.meetings"
    marked = Capability.of(capability(name="Ping")(ping)).mark
    assert (marked.name, marked.category) == ({"en": "Ping"}, "office")


@capability(name="Wait")
async def wait(ctx: ToolContext, *, hours: float) -> dict[str, Any]:
    """Wait a while."""
    await asyncio.sleep(0)
    return {"hours": hours, "run": log_fields().get("run")}


def test_an_async_capability_is_awaited_where_it_is_called_and_knows_its_run() -> None:
    def called() -> Any:
        set_fields(run="r1")
        return Capability.of(wait).call(CTX, {"hours": 2})

    assert copy_context().run(called) == {"hours": 2, "run": "r1"}


def test_an_async_capability_works_inside_of_an_event_loop() -> None:
    async def inside() -> Any:
        set_fields(run="r1")
        return Capability.of(wait).call(CTX, {"hours": 2})

    assert asyncio.run(inside()) == {"hours": 2, "run": "r1"}


def test_an_async_capability_called_plainly_is_a_coroutine() -> None:
    assert asyncio.run(wait(CTX, hours=2))["hours"] == 2


def test_what_an_async_capability_raises_is_raised() -> None:
    @capability(name="Fail")
    async def fail(ctx: ToolContext) -> str:
        """Fail."""
        raise InvalidArgument("no")

    with pytest.raises(InvalidArgument, match="no"):
        Capability.of(fail).call(CTX, {})


def test_a_function_without_a_docstring_or_annotations_is_refused() -> None:
    mark = capability(name={"en": "T"}, category="c")

    def silent(ctx: ToolContext, *, amps: float) -> float:
        return amps

    def vague(ctx: ToolContext, *, amps) -> float:  # type: ignore[no-untyped-def]
        """Do it."""
        return 1.0

    def positional(ctx: ToolContext, amps: float) -> float:
        """Do it."""
        return amps

    for function, words in ((silent, "docstring"), (vague, "amps"), (positional, "keyword-only")):
        with pytest.raises(TypeError, match=words):
            Capability.of(mark(function))
    with pytest.raises(TypeError, match="not a capability"):
        Capability.of(len)


class Node(BaseModel):
    children: list[Node] = []


def test_arguments_that_refer_to_themselves_are_refused() -> None:
    @capability(name={"en": "T"}, category="c")
    def walk(ctx: ToolContext, *, node: Node) -> int:
        """Walk a tree."""
        return 1

    with pytest.raises(TypeError, match="refers to itself"):
        _ = Capability.of(walk).json_schema


def test_what_is_no_function_is_refused_and_not_passed_over() -> None:
    with pytest.raises(TypeError, match=r"this is a _lru_cache_wrapper\. Write it directly above"):
        capability(name="Cached")(functools.cache(lambda ctx: None))
