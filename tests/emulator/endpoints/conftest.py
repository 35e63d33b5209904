"""The fixtures of these tests."""

from tests.support.office import office  # noqa: F401
