"""The fixtures of these tests."""

from tests.support.knowledge import library  # noqa: F401
from tests.support.reading_rights import ids  # noqa: F401
