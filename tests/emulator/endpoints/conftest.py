"""What the tests of runs share: an office of their own."""

from tests.support.office import office  # noqa: F401  # a fixture
