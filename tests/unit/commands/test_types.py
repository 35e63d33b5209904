"""The app's capabilities as TypeScript: arguments and results by id."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field
from typing_extensions import TypedDict  # which pydantic needs before Python 3.12

from rollcall.commands.types import render
from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire


class Part(Wire):
    """A word, and what it is made of."""

    word: str
    parts: tuple[Part, ...] = ()


class EvalResult(Wire):
    """How long a word is."""

    length_mm: float
    per_letter_mm: dict[str, float] = Field(default_factory=dict)
    script: Literal["latin", None] = None
    letters: int = Field(default=1, exclude_if=lambda value: value == 1)
    part: Part | None = None


@capability(name="Measure")
def measure(
    ctx: ToolContext,
    *,
    word: str,
    unit: Literal["letters", "bytes"] = "letters",
    most: Annotated[int | None, Field(ge=1)] = None,
) -> EvalResult:
    """Tell how long a word is.

    Args:
        word: The word.
        unit: What is counted.
        most: Where to stop.
    """
    return EvalResult(length_mm=len(word))


@capability(name="Anything")
def anything(ctx: ToolContext, *, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data.

    Args:
        data: Any JSON object.
    """
    return data


Headers = TypedDict("Headers", {"content-type": str, "סוג": str, "2nd": int})


@capability(name="Fetch")
def fetch(ctx: ToolContext) -> Headers:
    """Return the headers."""
    return {"content-type": "text/plain", "סוג": "טקסט", "2nd": 2}


class Shelf:
    """No data, as a `TypedDict` of `typing` before Python 3.12."""


@capability(name="Store")
def store(ctx: ToolContext) -> list[Shelf]:
    """Return the shelves."""
    return []


@capability(name="Look", runs_on="client")
def look(ctx: ToolContext) -> str:
    """Look out of the window."""
    raise NotImplementedError


def test_each_server_capability_has_its_arguments_and_its_result() -> None:
    text = render(map(Capability.of, (measure, look, anything)))
    assert text.index("    anything: {") < text.index("    measure: {")
    assert "    /** Tell how long a word is. */\n    measure: {\n" in text
    assert (
        "      arguments: {\n"
        "        word: string;\n"
        '        unit?: "letters" | "bytes";\n'
        "        most?: number;\n"
        "      };\n"
    ) in text
    assert "      result: Record<string, any>;\n" in text
    assert "look" not in text.split("interface")[1]


def test_a_result_has_each_field_that_has_a_default_and_may_lack_one_that_is_null() -> None:
    text = render([Capability.of(measure)])
    assert (
        "      result: {\n"
        "        lengthMm: number;\n"
        "        perLetterMm: Record<string, number>;\n"
        '        script?: "latin" | null;\n'
        "        letters?: number;\n"
        "        part?: {\n"
        "          word: string;\n"
        "          parts: any[];\n"  # it holds itself
        "        } | null;\n"
        "      };\n"
    ) in text


def test_a_field_whose_name_is_no_identifier_is_quoted() -> None:
    text = render([Capability.of(fetch)])
    assert (
        "      result: {\n"
        '        "content-type": string;\n'
        "        סוג: string;\n"
        '        "2nd": number;\n'
        "      };\n"
    ) in text


def test_a_result_without_a_schema_is_any_and_the_reason_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "      result: any;\n" in render([Capability.of(store)])
    told = capsys.readouterr().out
    assert told.startswith("store: the result has no schema, so it is `any`: ")
    assert "Shelf" in told
