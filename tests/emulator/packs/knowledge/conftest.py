"""What these tests share: a library of their own."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from tests.support.knowledge import Library
from tests.support.reading_rights import ids  # noqa: F401  # a fixture


@pytest.fixture
def library(db: Client) -> Library:
    return Library(db)
