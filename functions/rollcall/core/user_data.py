"""Declarations of what is stored about users, for export and erasure.

A pack declares its own in `packs/<pack>/my_data.py`, as a constant `USER_DATA = UserData(...)`.
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
        kind: What exports and receipts call it, in camelCase and unique in all.
        find: The query for those of a user, `find(db, uid)`; it sorts and limits nothing.
        show: What an export tells of one, `show(data, uid)`: only what is this user's to have,
            or None for nothing. A section without it is in no export.
        whole: All that a document holds for `show`, `whole(document)`, where more documents belong
            to it than itself; its own fields where left out.
        erase: Puts into the batch what takes the user out of a document, at most two writes,
            `erase(db, batch, document, uid)`; afterwards `find` finds it no more. It may be asked
            for the same document twice. None where another section does it.
        reads: The fields that `erase` needs to see.
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
    """All sections of a pack, in the order in which they are exported and erased."""

    sections: tuple[Section, ...]


def of_user(
    collection: str, field: str = "uid", *, platform: bool = False
) -> Callable[[Client, str], BaseQuery]:
    """Return the query for documents whose `field` is the user's id.

    Args:
        platform: The collection is one of the platform's, which `ROLLCALL_PREFIX` names anew.
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
    """Show a whole document, which is the user's alone."""
    return data


def delete(db: Client, batch: WriteBatch, document: Document, uid: str) -> None:
    """Delete a whole document, which is the user's alone."""
    batch.delete(document.reference)


class ExportRequest(Wire):
    """The data of `export_my_data`: nothing, or the `cursor` of the page before."""

    cursor: str | None = Field(default=None, min_length=1, max_length=16_000)


class ErasureRequest(Wire):
    """The data of `delete_my_data`."""

    confirm: Literal[True]
    delete_account: bool = False


class Receipt(Wire):
    """The receipt that `clear_thread`, `delete_thread` and `delete_my_data` return.

    `removed` counts documents by kind, so far while the status is `running`: the work then goes
    on by itself, and the same call again tells how far it is.
    """

    receipt_id: str
    kind: Literal["clear_thread", "delete_thread", "delete_my_data"]
    status: Literal["running", "done"]
    removed: dict[str, int]
    started_at: str
    ended_at: str | None = None
