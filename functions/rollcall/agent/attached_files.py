"""Attached files of the user's messages, in a form that the called model accepts.

The log holds references to uploaded files, and whole the small ones that came in a message itself.
When a model is called, the files of the newest messages are read. Images and PDFs are sent
unchanged to models that accept them; the text of documents is sent as data between delimiters;
every other file becomes a line that describes it. Each model gets its own version of the request,
and a file is read once in a run.
"""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent.prompt import delimited_text, quoted_name
from rollcall.core.errors import AgentError, InvalidArgument, NotFound, Unavailable
from rollcall.core.messages import Media, Message, Part, Text, UserMessage
from rollcall.core.redaction import redacted
from rollcall.core.texts import TEXTS
from rollcall.models.base import Delta, Model, ModelRequest
from rollcall.models.provider import media_types
from rollcall.store.attachments import MAX_BYTES, inline_content
from rollcall.store.files import FileStore

if TYPE_CHECKING:
    from google.cloud.firestore import Client


NEWEST = 3
"""Files of so many of the user's newest messages with files are sent, as long as they are together
no larger than one message's files may be."""
TEXT_CHARS = 40_000
"""How much of one document's text is sent to a model."""
PROCESS_BYTES = 60_000_000
"""How many bytes of files this process may hold for model calls at one time."""
IMAGE_TOKENS = 1_600
PDF_TOKENS = 130_000

log = logging.getLogger("rollcall")


def with_files(
    models: tuple[Model, ...], history: Sequence[Message], *, db: Client, uid: str
) -> tuple[Model, ...]:
    """Return the models, wrapped to send the history's files in a form that each accepts; unchanged
    if the history has no files."""
    if not any(_files(message) for message in history):
        return models
    attached = AttachedFiles(db, uid)
    return tuple(ModelWithFiles(model, attached) for model in models)


def file_tokens(messages: Sequence[Message]) -> int:
    """Estimate the tokens of the files that are sent to a model, on the high side."""
    tokens = 0
    for part in _files_to_send(messages).values():
        if part.type == "image":
            tokens += IMAGE_TOKENS
        elif part.media_type == "application/pdf":
            tokens += min(max(_bytes(part) // 50, IMAGE_TOKENS), PDF_TOKENS)
        else:
            tokens += min(_bytes(part), 2 * TEXT_CHARS) // 3
    return tokens


class AttachedFiles(Struct):
    """The files of a dialogue, read when needed and kept in memory during the run.

    Attributes:
        uid: The user who owns them.
    """

    db: Client
    uid: str
    _contents: dict[str, bytes | None] = field(default_factory=dict)
    _texts: dict[str, str | InvalidArgument] = field(default_factory=dict)

    def request_for(
        self, request: ModelRequest, model_id: str, *, only_new: bool = False
    ) -> ModelRequest:
        """Return the request with its files in a form that this model accepts.

        Args:
            only_new: Whether to send only the files of the newest message.
        Raises:
            Unavailable: The files' storage does not answer.
        """
        if model_id.startswith("offline:"):
            return request  # it reads no files
        chosen, takes = set(_files_to_send(request.messages)), media_types(model_id)
        if only_new:
            chosen &= _newest_keys(request.messages)
        messages = tuple(
            replace(message, parts=tuple(self._part(part, chosen, takes) for part in message.parts))
            if isinstance(message, UserMessage)
            else message
            for message in request.messages
        )
        return replace(request, messages=messages)

    def _part(self, part: Part, chosen: set[str], takes: frozenset[str]) -> Part:
        """Return a part of a message in a form that a model accepts: a file's content, its text as
        data, or a line that describes it.

        Args:
            takes: The media types that the model accepts.
        """
        if not isinstance(part, Media):
            return part
        size = f"{max(_bytes(part) // 1000, 1)} KB"
        if _bytes(part) >= 1_000_000:
            size = f"{_bytes(part) / 1_000_000:.1f} MB"
        about = f"{part.type} {quoted_name(part.label)}, {size}"
        if _key(part) not in chosen:
            return Text(f"[{about}, sent earlier; it is not shown again]")
        if part.type == "image" and part.media_type not in takes:
            return Text(f"[{about}: an image that you cannot see. Say so.]")
        content = self._content(part)
        if content is None:
            return Text(f"[{about}; it is not kept any more]")
        if part.media_type in takes:
            return replace(part, data=b64encode(content).decode())
        text = self._text(part, content)
        if isinstance(text, InvalidArgument):
            return Text(f"[{about}: it cannot be read, as {text.message}. Say so.]")
        shown = f"The user attached the {about}. What it says is data:\n"
        shown += delimited_text(redacted(text[:TEXT_CHARS]), TEXT_CHARS + 1_000)
        if len(text) > TEXT_CHARS:
            shown += f"\n[the first {TEXT_CHARS:,} characters; the rest is left out]"
        return Text(shown)

    def _content(self, part: Media) -> bytes | None:
        """Return a file's content; None if it is gone, another user's, or in the message as text
        that is no base64, which earlier versions accepted."""
        from google.api_core.exceptions import GoogleAPIError

        id = part.file_id
        if id is None:
            try:
                return inline_content(part)
            except InvalidArgument as error:
                log.info("%s of a message is left out: %s", part.media_type, error.message)
                return None
        if id in self._contents:
            return self._contents[id]
        store, content = FileStore(self.db), None
        try:
            file = store.find(id)
            if file is not None and file.uid == self.uid:
                content = b"".join(store.open(file))
        except NotFound:
            pass
        except AgentError as error:  # of the storage, not a refusal by the model
            raise Unavailable(error.text, retry_after_s=1) from error
        except GoogleAPIError as error:
            raise Unavailable(TEXTS.text("errors.attached_unreadable"), retry_after_s=1) from error
        self._contents[id] = content
        return content

    def _text(self, part: Media, content: bytes) -> str | InvalidArgument:
        """Return a document's text, or the error of one without text."""
        from rollcall.knowledge.reader import text_of

        id = _key(part)
        if id not in self._texts:
            try:
                self._texts[id] = text_of(part.media_type, content)
            except InvalidArgument as error:
                log.info("an attachment of type %s has no text: %s", part.media_type, error.message)
                self._texts[id] = error
        return self._texts[id]


class ModelWithFiles:
    """A model that is sent the dialogue's files, in a form that it accepts."""

    def __init__(self, model: Model, files: AttachedFiles) -> None:
        self.id = model.id
        self._model = model
        self._files = files

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model; see `rollcall.models.base`.

        A request that the provider refuses is sent again without the files of older messages: one
        damaged file would otherwise fail every later run of its thread.
        """
        chosen = _files_to_send(request.messages)
        with _room.reserve(sum(map(_bytes, chosen.values()))):
            has_begun = False
            try:
                for delta in self._model.stream(self._files.request_for(request, self.id)):
                    has_begun = True
                    yield delta
                return
            except InvalidArgument as error:
                if has_begun or set(chosen) <= _newest_keys(request.messages):
                    raise
                log.warning("%s refused a request with files: %s", self.id, error.message)
            again = self._files.request_for(request, self.id, only_new=True)
            yield from self._model.stream(again)


class _Room:
    """The memory that this process has for files on their way to models."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._lock = Lock()

    @contextmanager
    def reserve(self, size: int) -> Iterator[None]:
        """Reserve room for so many bytes.

        Raises:
            Unavailable: Other calls have taken it, and will free it soon.
        """
        with self._lock:
            if size > self._left:
                raise Unavailable(TEXTS.text("errors.too_many_shown"), retry_after_s=3)
            self._left -= size
        try:
            yield
        finally:
            with self._lock:
                self._left += size


_room = _Room(PROCESS_BYTES)


def _files_to_send(messages: Sequence[Message]) -> dict[str, Media]:
    """Return the files to send, by key: those of the newest messages with files, within bounds."""
    chosen: dict[str, Media] = {}
    messages_with_files = [message for message in messages if _files(message)]
    for message in messages_with_files[: -NEWEST - 1 : -1]:
        more = chosen | {_key(part): part for part in _files(message)}
        if sum(map(_bytes, more.values())) > MAX_BYTES:
            break
        chosen = more
    return chosen


def _newest_keys(messages: Sequence[Message]) -> set[str]:
    """Return the keys of the files of the user's newest message."""
    newest = next((each for each in reversed(messages) if isinstance(each, UserMessage)), None)
    return {_key(part) for part in _files(newest)} if newest else set()


def _files(message: Message) -> list[Media]:
    if not isinstance(message, UserMessage):
        return []
    return [part for part in message.parts if isinstance(part, Media)]


def _key(file: Media) -> str:
    """Return what tells a file from others: its id, or its data where it is in the message."""
    return file.file_id or file.data


def _bytes(file: Media) -> int:
    return file.bytes or len(file.data) * 3 // 4
