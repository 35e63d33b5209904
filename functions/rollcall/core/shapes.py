"""Wire shapes that every process needs, with which capabilities are declared and called. `wire` has
the others; each shape takes a starting process a millisecond."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

SCHEMA_VERSION = 2
"""Written into every stored document of the platform."""

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""An id a client may choose: letters, digits, `_` and `-`, at most 64. The first is a letter or
a digit, since Firestore keeps names like `__x__` to itself."""
Id = Annotated[str, Field(pattern=f"^{ID.pattern}$")]
FileId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
"""The id of a file, an upload or a document, as the server makes it."""
MAX_ID_CHARS = 62
FIND_TOOLS = "find_tools"
"""The platform's own tool, with which a model asks for tools that it was not offered."""
ASK_USER = "ask_user"
"""The platform's own tool, with which a model asks the user back."""
PLATFORM_TOOLS = frozenset({FIND_TOOLS, ASK_USER})

CAPABILITY_ID = re.compile(rf"[a-z][a-z0-9_]{{0,{MAX_ID_CHARS - 1}}}")
"""A capability's id: the name of its function, of the tool and of the document."""


class Wire(BaseModel):
    """Base of all wire shapes: camelCase outside, snake_case inside."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        defer_build=True,  # a process needs few of these shapes, and building them takes time
    )

    def dump(self) -> dict[str, Any]:
        """Plain JSON with camelCase keys, without the fields that are not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Role(StrEnum):
    """What a user may be, least first. A missing role counts as `user`."""

    USER = "user"
    STUDENT = "student"
    TEACHER = "teacher"
    ADMIN = "admin"


class Status(StrEnum):
    """Whether a capability or an agent is offered."""

    ACTIVE = "active"
    BETA = "beta"
    DEPRECATED = "deprecated"
    DISABLED = "disabled"


class CallStatus(StrEnum):
    """How a tool call ended."""

    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    """It was never run: not offered, wrong arguments, a bound."""
    WAITING = "waiting"
    """It waits for a person's decision."""
    CLIENT = "client"
    """It was left to the user's client."""
    REJECTED = "rejected"
    """A person said no."""
    EXPIRED = "expired"
    """Nobody answered in time, or the user went on without an answer."""
    UNKNOWN = "unknown"
    """A write that was begun, and of which nobody knows whether it happened."""


class Citation(Wire):
    """A source of a statement. `n` is the mark in the answer, as in "[2]"."""

    n: int = 0
    type: Literal["message", "code", "document"]
    title: str
    quote: str | None = None
    conversation_id: str | None = None
    message_id: str | None = None
    timestamp: str | None = None
    code: str | None = None
    edition: str | None = None
    article: str | None = None
    table: str | None = None
    document_id: str | None = None
    page: int | None = None
    """Counted from 1, as the file's own pages are."""
    section: str | None = None
    """The headings above the passage, outermost first."""
    url: str | None = None


class Display(Wire):
    """How a result is shown: text, a table, a Vega-Lite chart, a confirmation.

    "code" is a text in which every character counts, and "diff" one whose lines begin with a space
    (they stay), "-" (they go) or "+" (they come).
    """

    type: Literal["text", "table", "chart", "confirmation", "code", "diff"]
    title: str | None = None
    text: str | None = None
    columns: list[str] | None = None
    rows: list[dict[str, Any]] | None = None
    chart: dict[str, Any] | None = None


class FileRef(Wire):
    """A file that a tool made, as its owner finds it: `get_file` reads it by its id."""

    file_id: FileId
    name: str
    content_type: str
    bytes: int


class CapabilityCall(Wire):
    """Data of a capability's own function."""

    arguments: dict[str, Any] = {}
    context: dict[str, Any] | None = None
    call_key: Id | None = None
    locale: Literal["en", "he"] | None = None
