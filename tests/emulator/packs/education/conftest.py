"""A class that most tests here use."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from tests.support.packs.education.secrets import add_school


@pytest.fixture
def school(db: Client) -> Client:
    """Ada and Dov teach math4, Ben teaches other; Ada has a draft and a published activity."""
    add_school(db)
    return db
