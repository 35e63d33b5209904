"""What these tests share."""

from tests.support.seeding import seeding  # noqa: F401  # a fixture
