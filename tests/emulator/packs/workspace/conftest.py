"""What these tests share: the workspace's agent, and a client with files."""

from tests.support.packs.workspace.desk import desk, folder  # noqa: F401  # fixtures
