"""The list of projects that the rules allow to apps has an index."""

from __future__ import annotations

from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client, FieldFilter

from tests.support.indexes import Indexes, shape_of


def test_a_users_projects_are_listed_by_their_last_change() -> None:
    query: Any = Client(project="demo", credentials=AnonymousCredentials()).collection("projects")
    query = query.where(filter=FieldFilter("memberIds", "array_contains", "ana"))
    query = query.order_by("updatedAt", direction="DESCENDING")
    assert Indexes.committed().problem(shape_of(query._to_protobuf())) is None
