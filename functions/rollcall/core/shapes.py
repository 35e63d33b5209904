"""Wire shapes that every process needs to declare and call capabilities. The others are in `wire`,
since each shape adds a millisecond to a process's start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rollcall.core.texts import TEXTS

SCHEMA_VERSION = 2
"""Written into every stored document of the platform."""

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""An id that a client may choose: at most 64 letters, digits, `_` and `-`. It begins with a letter
or a digit, since Firestore reserves names like `__x__`."""
Id = Annotated[str, Field(pattern=f"^{ID.pattern}$")]
FileId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
"""The id of a file, an upload or a document, made by the server."""
if TYPE_CHECKING:
    Locale = str
else:
    Locale = Literal[TEXTS.languages]
"""A language of the engine's texts: each is a file there."""
MAX_ID_CHARS = 62
FIND_TOOLS = "find_tools"
"""The platform's tool with which a model searches for tools that it was not offered."""
ASK_USER = "ask_user"
"""The platform's tool with which a model asks the user a question."""
PLATFORM_TOOLS = frozenset({FIND_TOOLS, ASK_USER})

CAPABILITY_ID = re.compile(rf"[a-z][a-z0-9_]{{0,{MAX_ID_CHARS - 1}}}")
"""A capability's id: the name of its function, of the tool and of the document."""


class Wire(BaseModel):
    """Base of all wire shapes: camelCase on the wire, snake_case in Python."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        defer_build=True,  # a process needs few of these shapes, and building them takes time
    )

    def dump(self) -> dict[str, Any]:
        """Return plain JSON with camelCase keys, without fields that are None."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @classmethod
    def read(cls, data: Mapping[str, Any], /, **fields: Any) -> Self:
        """Return this shape with what a stored document, or another shape's fields, have of it.

        Args:
            data: Values by the names here or on the wire; it may have others.
            fields: Further values by name, in place of those of `data`.
        """
        found = {
            name: data[key]
            for name, info in cls.model_fields.items()
            for key in (name, info.alias or name)
            if key in data
        }
        return cls.model_validate({**found, **fields})


class Role(StrEnum):
    """The role of a user, lowest first. A missing role counts as `user`."""

    USER = "user"
    STUDENT = "student"
    TEACHER = "teacher"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """Its place in the order, from 0."""
        return list(Role).index(self)

    def at_least(self, least: Role) -> bool:
        """Tell whether it is `least` or a higher role."""
        return self.rank >= least.rank


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
    """It was never run: it was not offered, had wrong arguments, or exceeded a limit."""
    WAITING = "waiting"
    """It waits for a person's decision."""
    CLIENT = "client"
    """It was left to the user's client."""
    REJECTED = "rejected"
    """A person rejected it."""
    EXPIRED = "expired"
    """Nobody answered in time, or the user went on without an answer."""
    UNKNOWN = "unknown"
    """A write that began, but may or may not have happened."""


class Citation(Wire):
    """A source of a statement. `n` is its number in the answer, as in "[2]"."""

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
    """The page of the file, from 1."""
    section: str | None = None
    """The headings above the passage, outermost first."""
    url: str | None = None


class Display(Wire):
    """How a result is shown: text, a table, a Vega-Lite chart, a confirmation.

    "code" is a text in which every character counts; in a "diff" each line begins with a space
    (unchanged), "-" (removed) or "+" (added).
    """

    type: Literal["text", "table", "chart", "confirmation", "code", "diff"]
    title: str | None = None
    text: str | None = None
    columns: list[str] | None = None
    rows: list[dict[str, Any]] | None = None
    chart: dict[str, Any] | None = None


class FileRef(Wire):
    """A file that a tool made. Its owner reads it with `get_file` by its id."""

    file_id: FileId
    name: str
    content_type: str
    bytes: int


class CapabilityCall(Wire):
    """Data of a capability's own function."""

    arguments: dict[str, Any] = {}
    context: dict[str, Any] | None = None
    call_key: Id | None = None
    locale: Locale | None = None
