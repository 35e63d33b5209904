"""The folder that the demo's agent works in."""

from dev.sample import SAMPLE, sample_workspace


def test_what_the_agent_writes_is_gone_with_the_copy() -> None:
    with sample_workspace() as workspace:
        workspace.run("write_file", {"path": "notes.txt", "content": "mine\n"})
        found = workspace.run("search_files", {"query": "mine", "glob": "notes.txt"})
    assert found["total"] == 1
    assert not (SAMPLE / "notes.txt").exists()
