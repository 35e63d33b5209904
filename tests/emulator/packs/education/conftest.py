"""A class that most tests here use."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from tests.support.packs.education.classroom import add_content, add_course


@pytest.fixture
def school(db: Client) -> Client:
    """Ada and Dov teach math4, Ben teaches other; Ada has a draft and a published activity."""
    add_course(db, "math4", ["ada", "dov"], grade="ד", subject="math")
    add_course(db, "other", ["ben"])
    add_content(db, "draft", "ada")
    add_content(db, "fractions", "ada", status="published", courseId="math4", maxTries=2)
    return db
