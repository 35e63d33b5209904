"""Reads the `RunAgentInput` of an AG-UI client: only the fields that are used.

Such a client sends its whole copy of the dialogue. Our log is the record of the dialogue, so only
the user's last messages are read, and tool messages that this thread waits for. Tools that the
client offers are accepted if they are registered for clients with the same schema. Everything else
is ignored: a newer client may send more, and long histories come with every run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import check_json, digest, validate
from rollcall.core.shapes import ID, Id
from rollcall.core.wire import CallId
from rollcall.registry.snapshot import Snapshot
from rollcall.store import paths
from rollcall.store.runs import is_generated_id, read_for_opening, run_key, thread_of_run

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MAX_TOOLS = 200
MAX_CONTEXT = 50
MAX_RESUME = 50
Name = Annotated[str, Field(min_length=1, max_length=128)]
"""An id that an AG-UI client chose: any text that is not too long."""


class Shape(BaseModel):
    """A part of the input; unknown fields are ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        defer_build=True,
    )


class Tool(Shape):
    """A tool that the client offers."""

    name: str = Field(min_length=1, max_length=200)
    parameters: Any = None


class ContextEntry(Shape):
    """An entry of the client's context, about where the user is."""

    description: str = Field(max_length=1_000)
    value: str


class InterruptAnswer(Shape):
    """An answer to one interrupt."""

    interrupt_id: Id
    status: Any
    payload: Any = None


class OwnProps(Shape):
    """`forwardedProps.rollcall`: options that `run_agent` does not have."""

    keep_running: bool = False


class Props(Shape):
    """The part of `forwardedProps` that is used."""

    client_id: Any = None
    locale: Any = None
    when_busy: Any = None
    rollcall: OwnProps = OwnProps()


class RunInput(Shape):
    """A `RunAgentInput` without its messages, which are read one by one."""

    thread_id: Name
    run_id: Id
    tools: list[Tool] | None = Field(default=None, max_length=MAX_TOOLS)
    context: list[ContextEntry] | None = Field(default=None, max_length=MAX_CONTEXT)
    resume: list[InterruptAnswer] | None = Field(default=None, max_length=MAX_RESUME)
    forwarded_props: Props | None = None


class Source(Shape):
    """The source of an image or document."""

    type: str
    value: str
    mime_type: str | None = None
    provider: str | None = None


class Part(Shape):
    """A part of a message's content."""

    type: str
    text: str | None = None
    source: Source | None = None


class UserInput(Shape):
    """A message of the user."""

    id: Name
    content: str | list[Part]

    @property
    def key(self) -> str:
        """A digest by which the message is recognized when it is sent again. Some clients number
        their messages from the start in each session, so an id alone is not enough."""
        return digest(self.model_dump())


class ToolAnswer(Shape):
    """A result of a client's tool."""

    tool_call_id: CallId
    content: str | list[Part] = ""
    error: str | None = None


def run_input(data: Any) -> RunInput:
    """Read a `RunAgentInput` without its messages.

    Raises:
        InvalidArgument: A field is wrong; it names the first one.
    """
    if not isinstance(data, dict):
        raise InvalidArgument("send a RunAgentInput, a JSON object", field="data")
    used = {key: data[key] for key in _USED_FIELDS if data.get(key) is not None}
    props = used.pop("forwardedProps", None)
    if isinstance(props, dict):
        used["forwardedProps"] = {key: props[key] for key in _PROPS if key in props}
    check_json(used, field="")
    return validate(RunInput, used)


_USED_FIELDS = tuple(to_camel(name) for name in RunInput.model_fields)
_PROPS = tuple(to_camel(name) for name in Props.model_fields)


MAX_MESSAGES = 10_000
PROVIDER = "rollcall"
"""The provider of a file source that names an upload of the user."""
_REPLY_ROLES = {"assistant", "tool"}
"""Roles of messages that follow a turn's user messages. Messages of other roles (system, developer,
reasoning, activity) are ignored everywhere."""


def read_messages(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the input's messages, each with a role.

    Raises:
        InvalidArgument: The input has no list of messages, or too many.
    """
    messages = data.get("messages")
    if not isinstance(messages, list):
        raise InvalidArgument("messages must be a list", field="messages")
    if len(messages) > MAX_MESSAGES:
        raise InvalidArgument(
            f"there are {len(messages):,} messages; at most {MAX_MESSAGES:,} are accepted",
            field="messages",
            hint="leave out the oldest: the dialogue is kept here",
        )
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            field = f"messages.{number}"
            raise InvalidArgument(f"{field} must be a message with a role", field=field)
    return messages


def last_user_messages(messages: Sequence[dict[str, Any]]) -> list[UserInput]:
    """Return the user's messages after the last one of the agent or its tools, oldest first.

    Raises:
        InvalidArgument: A message is invalid, or two have the same id.
    """
    found: list[UserInput] = []
    for number in range(len(messages) - 1, -1, -1):
        role = messages[number]["role"]
        if role in _REPLY_ROLES:
            break
        if role == "user":
            found.insert(0, _validated(UserInput, messages[number], number))
    ids = [message.id for message in found]
    if len(set(ids)) < len(ids):
        raise InvalidArgument("two of the user's messages have the same id", field="messages")
    return found


def last_user_message(messages: Sequence[dict[str, Any]]) -> UserInput | None:
    """Return the user's last message, at any place; None if there is none.

    Raises:
        InvalidArgument: The message is invalid.
    """
    for number in range(len(messages) - 1, -1, -1):
        if messages[number]["role"] == "user":
            found: UserInput = _validated(UserInput, messages[number], number)
            return found
    return None


def answered_call_ids(messages: Sequence[dict[str, Any]]) -> set[str]:
    """Return the ids of the calls that have a tool message."""
    found = (each.get("toolCallId") for each in messages if each["role"] == "tool")
    return {call for call in found if isinstance(call, str)}


def tool_answers(
    messages: Sequence[dict[str, Any]], calls: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Return the results of these calls by call id, each `{content}` or `{error}`. If a call has
    several results, the last one counts.

    Raises:
        InvalidArgument: A tool message is invalid.
    """
    results = {}
    for number, message in enumerate(messages):
        if message["role"] == "tool" and message.get("toolCallId") in calls:
            answer = _validated(ToolAnswer, message, number)
            results[answer.tool_call_id] = _call_result(answer)
    return results


def message_parts(messages: Sequence[UserInput]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the messages as parts of one `RunRequest` message, and the kinds of parts that cannot
    be used."""
    usable: list[dict[str, Any]] = []
    left_out: list[str] = []
    for message in messages:
        content = message.content
        parts = [Part(type="text", text=content)] if isinstance(content, str) else content
        for part in parts:
            if (request_part := _request_part(part)) is not None:
                usable.append(request_part)
            else:
                left_out.append(f"{part.type} by {part.source.type}" if part.source else part.type)
    return usable, left_out


def _request_part(part: Part) -> dict[str, Any] | None:
    """Return a part in the form of `run_agent`; None for a part that cannot be used."""
    if part.type == "text":
        return {"type": "text", "text": part.text or ""}
    source = part.source
    if source is None or part.type not in ("image", "document"):
        return None
    if source.type == "data":
        return {"type": part.type, "mediaType": source.mime_type, "data": source.value}
    if source.type == "file" and source.provider == PROVIDER:
        return {"type": part.type, "fileId": source.value}
    return None


def _call_result(answer: ToolAnswer) -> dict[str, Any]:
    """Return a tool's answer as `{content}` or `{error}`."""
    text = answer.content
    if not isinstance(text, str):
        text = "".join(part.text or "" for part in text if part.type == "text")
    if answer.error is not None:
        return {"error": answer.error or text or "it failed"}
    if text.lstrip().startswith(("{", "[")):
        # AG-UI has only text results, in which clients send structured results as JSON.
        with suppress(ValueError, RecursionError, InvalidArgument):
            value = json.loads(text)
            check_json(value)
            return {"content": value}
    return {"content": text}


def _validated(shape: type[Any], message: dict[str, Any], number: int) -> Any:
    """Return a message in this shape, without looking at other fields."""
    field = f"messages.{number}"
    keys = [each.alias or name for name, each in shape.model_fields.items()]
    used = {key: message[key] for key in keys if message.get(key) is not None}
    check_json(used, field=field)
    return validate(shape, used, field=field)


OUR_EDITS, AGUI_EDITS = "editedArguments", "editedArgs"


def resume_entry(answer: InterruptAnswer) -> dict[str, Any]:
    """Return an answer in the form of `run_agent`. Our own name for changed arguments is accepted
    too; an answer with both names is not changed, and is refused later."""
    entry = answer.model_dump(by_alias=True)
    payload = entry["payload"]
    if isinstance(payload, dict) and AGUI_EDITS in payload and OUR_EDITS not in payload:
        entry["payload"] = {OUR_EDITS if k == AGUI_EDITS else k: v for k, v in payload.items()}
    return entry


def agui_field(field: str) -> str:
    """Return AG-UI's name of a field of an answer."""
    return field.replace(f".payload.{OUR_EDITS}", f".payload.{AGUI_EDITS}")


UNREGISTERED = "it is not registered as a tool of clients"
OTHER_SCHEMA = "it is registered with other parameters"
_NOT_COMPARED = {
    "$comment",
    "$id",
    "$schema",
    "additionalProperties",
    "default",
    "deprecated",
    "description",
    "examples",
    "title",
}
"""Keywords that do not count when schemas are compared: annotations, and `additionalProperties`,
where ours applies."""
_SCHEMA_MAPS = {"properties", "$defs", "definitions", "patternProperties"}
"""Keywords whose value maps names to schemas."""


def offered_tools(
    registry: Snapshot, tools: Sequence[Tool]
) -> tuple[list[str], list[dict[str, str]]]:
    """Return the ids of the registered tools, and `{name, reason}` of each other one."""
    ids: list[str] = []
    left_out = []
    entries = registry.content.entries
    for tool in {tool.name: tool for tool in tools}.values():
        entry = entries.get(tool.name)
        if entry is None or entry.execution.type != "client":
            left_out.append({"name": tool.name, "reason": UNREGISTERED})
        elif not is_same_schema(tool.parameters, entry.spec.parameters):
            left_out.append({"name": tool.name, "reason": OTHER_SCHEMA})
        else:
            ids.append(tool.name)
    return ids, left_out


def is_same_schema(offered: Any, registered: Any) -> bool:
    """Whether a client's schema has the same constraints as the registered one. An empty schema
    counts as the same."""
    return offered in (None, {}) or _constraints(offered) == _constraints(registered)


def _constraints(schema: Any) -> Any:
    """Return a schema without its descriptions, and with `required` and `enum` sorted."""
    if isinstance(schema, list):
        return [_constraints(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key in schema.keys() - _NOT_COMPARED:
        value = schema[key]
        if key in _SCHEMA_MAPS and isinstance(value, dict):
            kept[key] = {name: _constraints(each) for name, each in value.items()}
        elif key in ("required", "enum") and isinstance(value, list):
            kept[key] = sorted(value, key=repr)
        else:
            kept[key] = _constraints(value)
    return kept


# ---- Threads ----
#
# An AG-UI client names its thread before the thread exists. A thread's id is derived from the user
# and this name, so that each user has their own names and nobody can guess or take another's.


class ClientThread(Struct, frozen=True):
    """The thread that a client calls by its own name.

    Attributes:
        id: The thread's own id; there may be no such thread yet.
        data: The thread's document; empty if there is none.
        run_thread_id: The thread in which the run was opened, if its id was used before.
    """

    id: str
    data: dict[str, Any]
    run_thread_id: str | None = None

    @property
    def is_new(self) -> bool:
        return not self.data

    @property
    def message_keys(self) -> tuple[str, ...]:
        """Keys of its newest messages, if its client has sent any."""
        return tuple(self.data.get("messageKeys", ()))

    @property
    def newest_turn(self) -> tuple[str | None, tuple[str, ...]]:
        """The id of its newest turn, and the keys of the messages that began this turn."""
        turn = self.data.get("newestTurn") or {}
        return turn.get("id"), tuple(turn.get("messageKeys", ()))

    @property
    def waiting(self) -> dict[str, Any]:
        """The field `waiting` of its document; empty if it waits for nothing."""
        return self.data.get("waiting") or {}


def client_thread_id(uid: str, name: str) -> str:
    """Return the id of the thread that a user's client calls `name`."""
    return hashlib.sha256(f"client thread\0{uid}\0{name}".encode()).hexdigest()[:20]


def find_client_thread(db: Client, uid: str, name: str, *, run_id: str) -> ClientThread:
    """Find the thread that a user's client calls `name`: the user's own thread with that id, or
    else the one whose id is derived from the name. Another user's thread of either id is
    ignored."""
    derived_id = client_thread_id(uid, name)
    references = [paths.thread(db, derived_id)]
    if ID.fullmatch(name):
        references.append(paths.thread(db, name))
    key = None if is_generated_id(run_id) else run_key(uid, run_id)
    threads, run = read_for_opening(db, references, key=key)
    run_thread_id = thread_of_run(run) if run is not None else None
    for thread in reversed(threads):
        data = thread.to_dict() or {}
        if data.get("uid") == uid:
            return ClientThread(thread.id, data, run_thread_id)
    return ClientThread(derived_id, {}, run_thread_id)
