"""The fixtures of these tests."""

from tests.support.packs.workspace.desk import desk, folder  # noqa: F401
