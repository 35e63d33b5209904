"""Declarations of what is stored about users, for export and erasure.

A pack declares its user data in `packs/<pack>/my_data.py`, as a constant
`USER_DATA = UserData(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from pydantic import Field

from rollcall.core.options import collection_id
from rollcall.core.shapes import Wire

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentSnapshot, WriteBatch
    from google.cloud.firestore_v1.base_query import BaseQuery

    Document = DocumentSnapshot[Any]


class Section(Struct, frozen=True, kw_only=True):
    """One kind of document with a user's data.

    Args:
        kind: Its name in exports and receipts, in camelCase, unique among all sections.
        find: `find(db, uid)` returns the query for a user's documents, without order or limit.
        show: `show(data, uid)` returns a document's fields for an export: only what this user may
            have, or None for nothing. A section without it is in no export.
        whole: `whole(document)` returns the data for `show`, if other documents belong to this one;
            by default the document's own fields.
        erase: `erase(db, batch, document, uid)` adds to the batch at most two writes that remove
            the user from a document, which `find` then finds no more. It may be called twice for a
            document. None if another section erases it.
        reads: The fields that `erase` needs.
        page: How many documents are erased in one commit, at most 200.
    """

    kind: str
    find: Callable[[Client, str], BaseQuery]
    show: Callable[[dict[str, Any], str], dict[str, Any] | None] | None = None
    whole: Callable[[Document], dict[str, Any]] | None = None
    erase: Callable[[Client, WriteBatch, Document, str], None] | None = None
    reads: tuple[str, ...] = ()
    page: int = 200


class UserData(Struct, frozen=True):
    """All sections of a pack, in the order of export and erasure."""

    sections: tuple[Section, ...]


def of_user(
    collection: str, field: str = "uid", *, platform: bool = False
) -> Callable[[Client, str], BaseQuery]:
    """Return the query for documents whose `field` is the user's id.

    Args:
        platform: Whether the collection is one of the platform's, which `ROLLCALL_PREFIX` renames.
    """
    return _query(collection, field, "==", platform=platform)


def listing_user(
    collection: str, field: str, *, platform: bool = False
) -> Callable[[Client, str], BaseQuery]:
    """Return the query for documents whose list `field` holds the user's id.

    Args:
        platform: As for `of_user`.
    """
    return _query(collection, field, "array_contains", platform=platform)


def _query(
    collection: str, field: str, operator: str, *, platform: bool
) -> Callable[[Client, str], BaseQuery]:
    def find(db: Client, uid: str) -> BaseQuery:
        from google.cloud.firestore import FieldFilter

        id = collection_id(collection) if platform else collection
        return db.collection(id).where(filter=FieldFilter(field, operator, uid))

    return find


def as_stored(data: dict[str, Any], uid: str) -> dict[str, Any]:
    """Show a whole document that belongs to the user alone."""
    return data


def delete(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Delete a whole document that belongs to the user alone."""
    batch.delete(document.reference)


class ExportRequest(Wire):
    """The data of `export_my_data`: empty, or with the `cursor` of the previous page."""

    cursor: str | None = Field(default=None, min_length=1, max_length=16_000)


class ErasureRequest(Wire):
    """The data of `delete_my_data`."""

    confirm: Literal[True]
    delete_account: bool = False


class Receipt(Wire):
    """The receipt that `clear_thread`, `delete_thread` and `delete_my_data` return.

    `removed` counts the documents removed so far, by kind. While the status is `running`, the work
    goes on by itself, and the same call again returns its progress.
    """

    receipt_id: str
    kind: Literal["clear_thread", "delete_thread", "delete_my_data"]
    status: Literal["running", "done"]
    removed: dict[str, int]
    started_at: str
    ended_at: str | None = None
