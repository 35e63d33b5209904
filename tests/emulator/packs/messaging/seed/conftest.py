"""What these tests share."""

from tests.support.seed_command import seeding  # noqa: F401  # a fixture
