"""Lists of conversations and messages that the rules allow to apps have indexes."""

from __future__ import annotations

from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client, FieldFilter

from tests.support.for_every import for_every
from tests.support.indexes import Indexes, shape_of


def mine(collection: str, **fields: str) -> Any:
    """As an app lists what its user takes part in."""
    query = Client(project="demo", credentials=AnonymousCredentials()).collection(collection)
    query = query.where(filter=FieldFilter("participantIds", "array_contains", "ana"))
    for field, value in fields.items():
        query = query.where(filter=FieldFilter(field, "==", value))
    return query


@for_every(
    "query",
    [
        mine("conversations").order_by("lastMessageAt", direction="DESCENDING"),
        mine("messages", conversationId="c1").order_by("timestamp"),
        mine("messages", conversationId="c1").order_by("timestamp", direction="DESCENDING"),
        mine("actionItems", conversationId="c1"),
        mine("decisions", conversationId="c1"),
    ],
)
def test_lists_that_the_rules_allow_to_apps_have_indexes(query: Any) -> None:
    assert Indexes.committed().problem(shape_of(query._to_protobuf())) is None
