"""What these tests share: a library of their own."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from tests.support.knowledge import Library


@pytest.fixture
def library(db: Client) -> Library:
    return Library(db)
