"""The fixtures of these tests."""

from tests.support.seed_command import seeding  # noqa: F401
