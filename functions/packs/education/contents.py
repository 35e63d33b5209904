"""Stored contents: the material that teachers made, and access to it.

    contents/{id}             the fields of `Content`, createdAt, updatedAt, schemaVersion
    contents/{id}/blocks/{b}  the fields of `Block`; a table's rows are `{cells}`, since Firestore
                              keeps no list in a list
    contents/{id}/keys/{b}    the fields of `Key`: no client reads them

A block's id begins with its content's id (`block_id`), so that it names both, and block ids sort
in the blocks' order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from packs.education.blocks import Block, Item, Key, Source
from packs.education.courses import COURSES, checked_id, is_student
from packs.education.school import SubjectId
from packs.education.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, PermissionDenied, ResourceExhausted
from rollcall.core.shapes import FileRef, Locale, Wire
from rollcall.core.text import language
from rollcall.store.batches import update_unchanged, where
from rollcall.store.made_files import MadeFiles

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentReference

    from rollcall.store.batches import DocumentSnapshot

CONTENTS = "contents"
BLOCKS = "blocks"
KEYS = "keys"
ATTEMPTS = "attempts"
SCHEMA_VERSION = 1
MAX_BLOCKS = 200
"""Most blocks of a content: they are written with their keys in one commit."""
MAX_BYTES = 2_000_000

StaticKind = Literal["worksheet", "test", "lesson_plan", "letter", "feedback", "rubric"]
InteractiveKind = Literal["activity", "exam", "lesson", "podcast"]
ContentKind = Literal[StaticKind, InteractiveKind, "infographic"]
Text = Annotated[str, Field(min_length=1, max_length=300)]
Reader = Literal["owner", "teacher", "student"]
"""The least role of a reader. "owner" is the owner only; "teacher" adds the teachers of its course
once it is published; "student" adds that course's pupils too."""


def material_locale(ctx: ToolContext, topic: str) -> Locale:
    """Return the language of the material about a topic: Hebrew for a topic in Hebrew, whoever
    asks, else the caller's."""
    return "he" if language(topic) == "he" else ctx.locale


class QaCounts(Wire):
    """Counts of the findings of the quality checks; `codes` counts them by kind."""

    errors: int
    warnings: int
    codes: dict[str, int]


class Content(Wire):
    """A content without its blocks.

    Attributes:
        grade: The grade's letters, as `school.read_grade` returns them.
        standards: Ids of stored standards that it covers.
        version: Raised by each publication after the first.
        variant_of: The id of the block that this is a variant of.
        qa: The findings of the quality checks when it was made.
        unit_id: The app's own label of a unit.
        max_tries: How often a pupil may answer each block.
        points: The sum of all blocks' points.
    """

    uid: str
    kind: ContentKind
    title: Text
    topic: Text
    subject: SubjectId | None = None
    grade: str | None = None
    locale: Locale = "he"
    standards: list[str] = Field(default_factory=list, max_length=50)
    sources: list[Source] = Field(default_factory=list, max_length=50)
    generator: Literal["model", "offline"]
    status: Literal["draft", "published"] = "draft"
    version: int = 1
    course_id: str | None = None
    unit_id: str | None = None
    variant_of: str | None = None
    qa: QaCounts | None = None
    files: list[FileRef] = Field(default_factory=list, max_length=20)
    max_tries: int = 1
    block_count: int = 0
    points: float = 0


class OpenedContent(Struct, frozen=True):
    """A stored content; `snapshot` is for writes on condition that it has not changed."""

    id: str
    content: Content
    snapshot: DocumentSnapshot

    @property
    def reference(self) -> DocumentReference:
        reference: DocumentReference = self.snapshot.reference
        return reference


def block_id(content_id: str, number: int) -> str:
    """Return the id of a content's block; numbers begin at 1."""
    return f"{content_id}-{number:03d}"


def create_content(ctx: ToolContext, id: str, content: Content, items: Sequence[Item]) -> Content:
    """Add a new content with its blocks and keys to the batch; return it as stored.

    Raises:
        ResourceExhausted: It has too many blocks, or too much text.
    """
    from google.cloud.firestore import SERVER_TIMESTAMP

    place = ctx.db.collection(CONTENTS).document(id)
    stored, parts = content_documents(id, content, items)
    times = {"createdAt": SERVER_TIMESTAMP, "updatedAt": SERVER_TIMESTAMP}
    ctx.batch.create(place, {**stored.dump(), **times, "schemaVersion": SCHEMA_VERSION})
    for path, data in parts.items():
        ctx.batch.create(ctx.db.document(f"{CONTENTS}/{id}/{path}"), data)
    return stored


def content_documents(
    id: str, content: Content, items: Sequence[Item]
) -> tuple[Content, dict[str, dict[str, Any]]]:
    """Return a content with its counts, and its blocks and keys as documents by relative path.

    Raises:
        ResourceExhausted: It has too many blocks, or too much text.
    """
    if len(items) > MAX_BLOCKS:
        raise ResourceExhausted(
            TEXTS.text("errors.too_many_blocks", number=len(items), most=MAX_BLOCKS)
        )
    parts: dict[str, dict[str, Any]] = {}
    for number, item in enumerate(items, 1):
        block = item.block.dump()
        if rows := block.get("rows"):
            block["rows"] = [{"cells": row} for row in rows]
        parts[f"{BLOCKS}/{block_id(id, number)}"] = block
        parts[f"{KEYS}/{block_id(id, number)}"] = item.key.dump()
    size = len(json.dumps(parts, ensure_ascii=False).encode())
    if size > MAX_BYTES:
        raise ResourceExhausted(TEXTS.text("errors.blocks_too_large", size=size, most=MAX_BYTES))
    counts = {"block_count": len(items), "points": sum(item.block.points for item in items)}
    return content.model_copy(update=counts), parts


def open_content(ctx: ToolContext, content_id: str, *, reader: Reader = "owner") -> OpenedContent:
    """Return a content that the user may read.

    Args:
        reader: The least role that the user needs.

    Raises:
        PermissionDenied: The user may not read it, or it does not exist; the error does not say
            which.
    """
    checked_id(content_id, "content", "contentId")
    snapshot = ctx.db.collection(CONTENTS).document(content_id).get()
    data = snapshot.to_dict()
    if data is None or not _may_read(ctx, data, reader):
        raise PermissionDenied(
            TEXTS.text("errors.no_content", content_id=content_id),
            field="contentId",
            hint="search_user_content finds yours",
        )
    return OpenedContent(content_id, Content.read(data), snapshot)


def open_block(
    ctx: ToolContext, id: str, *, reader: Reader = "owner"
) -> tuple[OpenedContent, Item]:
    """Return a block with its key, and its content.

    Raises:
        PermissionDenied: As for `open_content`; or the content has no such block.
    """
    content_id = checked_id(id, "block", "blockId").rpartition("-")[0]
    hidden = PermissionDenied(TEXTS.text("errors.no_block", id=id), field="blockId")
    if not content_id:
        raise hidden
    try:
        opened = open_content(ctx, content_id, reader=reader)
    except PermissionDenied as denied:
        raise hidden from denied
    block, key = (opened.reference.collection(name).document(id).get() for name in (BLOCKS, KEYS))
    if not block.exists:
        raise hidden
    return opened, _read_item(block.to_dict() or {}, key.to_dict() or {})


def read_items(opened: OpenedContent) -> dict[str, Item]:
    """Return the blocks of a content with their keys, by block id, in order."""
    keys = {each.id: each.to_dict() or {} for each in opened.reference.collection(KEYS).stream()}
    blocks = opened.reference.collection(BLOCKS).stream()
    found = sorted((each.id, each.to_dict() or {}) for each in blocks)
    return {id: _read_item(data, keys.get(id, {})) for id, data in found}


def own_contents(ctx: ToolContext, limit: int) -> list[OpenedContent]:
    """Return the contents that the user made, newest first."""
    query = ctx.db.collection(CONTENTS).where(filter=where("uid", "==", ctx.user.uid))
    found = query.order_by("createdAt", direction="DESCENDING").limit(limit).stream()
    return [OpenedContent(each.id, Content.read(each.to_dict() or {}), each) for each in found]


def retain_files(ctx: ToolContext, opened: OpenedContent) -> list[FileRef]:
    """Retain a content's files for as long as it exists, in the batch; return the existing ones.

    Raises:
        FailedPrecondition: A picture in it no longer exists.
        ResourceExhausted: The owner retains as many files as allowed.
    """
    content, of = opened.content, f"{CONTENTS}/{opened.id}"
    images = _image_files(opened)
    named = [*(each.file_id for each in content.files), *images]
    existing = MadeFiles(ctx.db).retain(ctx.batch, content.uid, named, of=of)
    if not images <= existing:
        raise FailedPrecondition(
            TEXTS.text("errors.picture_gone"),
            field="contentId",
            hint=TEXTS.text("hints.make_again"),
        )
    return [each for each in content.files if each.file_id in existing]


def _image_files(opened: OpenedContent) -> set[str]:
    """Return the file ids of a content's pictures."""
    blocks = opened.reference.collection(BLOCKS).select(["image"]).stream()
    return {image["fileId"] for each in blocks if (image := (each.to_dict() or {}).get("image"))}


def update_content(ctx: ToolContext, opened: OpenedContent, changes: dict[str, Any]) -> None:
    """Add changes of a content's own fields, by wire name, to the batch; the commit fails if the
    content has changed since it was read."""
    from google.cloud.firestore import SERVER_TIMESTAMP

    update_unchanged(ctx.batch, opened.snapshot, {**changes, "updatedAt": SERVER_TIMESTAMP})


def remove_content(ctx: ToolContext, opened: OpenedContent) -> None:
    """Add the deletion of a content with its blocks, keys and files to the batch."""
    named = [*(each.file_id for each in opened.content.files), *_image_files(opened)]
    of = f"{CONTENTS}/{opened.id}"
    MadeFiles(ctx.db).release(ctx.batch, opened.content.uid, named, of=of)
    for name in (BLOCKS, KEYS):
        for part in opened.reference.collection(name).select([]).stream():
            ctx.batch.delete(part.reference)
    unchanged = ctx.db.write_option(last_update_time=opened.snapshot.update_time)
    ctx.batch.delete(opened.reference, option=unchanged)


def _may_read(ctx: ToolContext, data: dict[str, Any], reader: Reader) -> bool:
    uid, course_id = ctx.user.uid, data.get("courseId")
    if data.get("uid") == uid:
        return True
    if reader == "owner" or data.get("status") != "published" or not course_id:
        return False
    course = ctx.db.collection(COURSES).document(course_id).get().to_dict()
    if course is None:
        return False
    if uid in course.get("teacherIds", ()):
        return True
    return reader == "student" and is_student(ctx, course_id, uid)


def _read_item(block: dict[str, Any], key: dict[str, Any]) -> Item:
    rows = [row["cells"] for row in block.get("rows", ())]
    return Item(block=Block.read(block, rows=rows), key=Key.read(key))
