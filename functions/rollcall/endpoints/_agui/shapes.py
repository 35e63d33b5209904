"""The parts of AG-UI's `RunAgentInput` that are looked at. What else is there is left alone: a
newer client may send more, and long histories come with every run."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rollcall.core.capability import digest
from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import check_json, validate
from rollcall.core.wire import CallId, Id

MAX_TOOLS = 200
MAX_CONTEXT = 50
MAX_RESUME = 50
Name = Annotated[str, Field(min_length=1, max_length=128)]
"""An id that an AG-UI client chose: any text that is not too long."""


class Shape(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        defer_build=True,
    )


class Tool(Shape):
    """A tool that the client says it can run."""

    name: str = Field(min_length=1, max_length=200)
    parameters: Any = None


class ContextEntry(Shape):
    """Something that the app says of where the user is."""

    description: str = Field(max_length=1_000)
    value: str


class Answer(Shape):
    """An answer to one interrupt."""

    interrupt_id: Id
    status: Any
    payload: Any = None


class Props(Shape):
    """What of `forwardedProps` counts."""

    client_id: Any = None
    locale: Any = None
    when_busy: Any = None


class RunInput(Shape):
    """A `RunAgentInput` but for its messages, which are looked at one by one."""

    thread_id: Name
    run_id: Id
    tools: list[Tool] | None = Field(default=None, max_length=MAX_TOOLS)
    context: list[ContextEntry] | None = Field(default=None, max_length=MAX_CONTEXT)
    resume: list[Answer] | None = Field(default=None, max_length=MAX_RESUME)
    forwarded_props: Props | None = None


class Source(Shape):
    type: str
    value: str
    mime_type: str | None = None
    provider: str | None = None


class Part(Shape):
    type: str
    text: str | None = None
    source: Source | None = None


class Said(Shape):
    """A message of the user."""

    id: Name
    content: str | list[Part]

    @property
    def key(self) -> str:
        """By which it is known when it comes again: some clients count their messages from the
        start in each session, so that an id alone may be of another one."""
        return digest(self.model_dump())


class Answered(Shape):
    """What a tool of the client answered."""

    tool_call_id: CallId
    content: str | list[Part] = ""
    error: str | None = None


def run_input(data: Any) -> RunInput:
    """
    Raises:
        InvalidArgument: Naming the first field at fault.
    """
    if not isinstance(data, dict):
        raise InvalidArgument("send a RunAgentInput, a JSON object", field="data")
    counting = {key: data[key] for key in _COUNTING if data.get(key) is not None}
    props = counting.pop("forwardedProps", None)
    if isinstance(props, dict):
        counting["forwardedProps"] = {key: props[key] for key in _PROPS if key in props}
    check_json(counting, field="")
    return validate(RunInput, counting)


_COUNTING = tuple(to_camel(name) for name in RunInput.model_fields)
_PROPS = tuple(to_camel(name) for name in Props.model_fields)
