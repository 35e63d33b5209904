from __future__ import annotations

import pytest

from rollcall_cli.workspace import Workspace
from tests.unit.cli.workspace import attacks
from tests.unit.cli.workspace.conftest import Sandbox

VERSION_CONTROL = [path for path in attacks.GUARDED if "git" in path.lower() or "ｇit" in path]


@pytest.mark.parametrize("path", attacks.GUARDED)
def test_secrets_and_version_control_are_neither_read_nor_found(
    sandbox: Sandbox, path: str
) -> None:
    sandbox.put(path if not path.endswith(".git") else ".git/x", "token=12345\n")
    assert sandbox.refusal("read_file", path=path)
    assert sandbox.run("search_files", query="12345")["total"] == 0


def test_secrets_are_listed_so_that_the_model_knows_they_are_there(sandbox: Sandbox) -> None:
    sandbox.put(".env", "KEY=1")
    assert sandbox.run("list_directory")["entries"] == [{"path": ".env", "type": "file", "size": 5}]
    assert "--allow secrets" in sandbox.refusal("read_file", path=".env")


def test_the_user_can_allow_secrets_but_not_version_control(sandbox: Sandbox) -> None:
    sandbox.put(".env", "KEY=1")
    sandbox.put(".git/config", "x")
    with Workspace(sandbox.root, allow=["secrets"]) as workspace:
        assert workspace.run("read_file", {"path": ".env"})["content"] == "KEY=1"
    assert "use its command" in sandbox.refusal("read_file", path=".git/config")


@pytest.mark.parametrize("name", [".env.example", ".env.sample", "id_rsa.pub", "environment.ts"])
def test_examples_and_public_keys_are_no_secrets(sandbox: Sandbox, name: str) -> None:
    sandbox.put(name)
    assert sandbox.run("read_file", path=name)["content"] == "text\n"


@pytest.mark.parametrize(
    "path",
    [
        ".bashrc",
        ".ZSHRC",
        ".profile",
        ".gitconfig",
        ".gitmodules",
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".husky/pre-commit",
        ".config/autostart/x.desktop",
        ".config/systemd/user/x.service",
        ".config/nvim/init.lua",
        "src/.vimrc",
        ".Exrc",
        ".dir-locals.el",
        "mise.toml",
        ".claude/settings.json",
        "app.code-workspace",
        "venv/lib/python3.11/site-packages/x.pth",
        "venv/lib/python3.11/site-packages/sitecustomize.py",
        "lib/HEAD",
        ".mcp.json",
        ".cargo/config.toml",
        ".hgrc",
        ".Rprofile",
        ".local/bin/ls",
        "node_modules/.bin/eslint",
    ],
)
def test_what_runs_by_itself_is_read_but_written_only_if_allowed(
    sandbox: Sandbox, path: str
) -> None:
    sandbox.put(path)
    assert sandbox.run("read_file", path=path)["lines"] == 1
    edit = {"path": path, "oldText": "text", "newText": "other"}
    assert "--allow startup-files" in sandbox.refusal("edit_file", **edit)
    with Workspace(sandbox.root, allow=["startup-files"]) as workspace:
        assert workspace.run("edit_file", edit)["replaced"] == 1


def test_the_clients_own_files_are_out_of_reach(sandbox: Sandbox) -> None:
    own = sandbox.put(".config/rollcall/session.json", "token")
    with Workspace(sandbox.root, own=[own.parent], allow=["secrets"]) as workspace:
        place_of_it = Sandbox(workspace, sandbox.root, sandbox.outside)
        path = ".config/Rollcall/session.json"
        assert "client itself" in place_of_it.refusal("read_file", path=path)
        assert "client itself" in place_of_it.refusal("write_file", path=path, content="x")
        assert place_of_it.run("search_files", query="token")["total"] == 0


@pytest.mark.parametrize("path", ["conftest.py", "package.json", "Makefile", ".cargo/README.md"])
def test_what_a_person_is_asked_about_is_written_like_any_file(sandbox: Sandbox, path: str) -> None:
    assert sandbox.run("write_file", path=path, content="x\n")["created"]


def test_a_repository_of_another_name_is_not_written(sandbox: Sandbox) -> None:
    for path in ("lib/HEAD", "lib/objects/x", "lib/refs/x"):
        sandbox.put(path)
    for path in ("lib/config", "lib/hooks/pre-commit"):
        assert "git repository" in sandbox.refusal("write_file", path=path, content="x")
    assert sandbox.run("write_file", path="library/config", content="x")["created"]
