from __future__ import annotations

from typing import Any

import pytest

from rollcall_cli.workspace.arguments import TOOLS, check_arguments
from tests.unit.cli.workspace.conftest import Sandbox


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("delete_file", {}, "no tool 'delete_file' here; there are list_directory, read_file"),
        ("read_file", {}, "read_file: path is missing"),
        ("read_file", {"path": None}, "read_file: path is missing"),
        ("read_file", {"path": 7}, "read_file: path is a text, not 7"),
        ("read_file", {"path": ["a"]}, "read_file: path is a text, not ['a']"),
        ("read_file", {"path": "a", "lines": 3}, "no argument 'lines'; it takes path, startLine"),
        ("read_file", {"path": "a", "startLine": 0}, "a whole number from 1 to"),
        ("read_file", {"path": "a", "startLine": True}, "a whole number from 1 to"),
        ("list_directory", {"depth": 6}, "depth is a whole number from 1 to 5, not 6"),
        ("search_files", {"query": "a", "isRegex": "yes"}, "isRegex is true or false, not 'yes'"),
        ("run_command", {"command": "ls", "timeoutS": 601}, "from 1 to 600, not 601"),
        ("write_file", {"path": "a", "content": "", "digest": "ABC"}, "16 hexadecimal digits"),
    ],
)
def test_a_wrong_argument_is_refused_with_what_is_accepted(
    sandbox: Sandbox, tool: str, arguments: dict[str, Any], words: str
) -> None:
    assert words in sandbox.refusal(tool, **arguments)


def test_null_counts_as_not_given() -> None:
    assert check_arguments("read_file", {"path": "a", "startLine": 2, "endLine": None}) == {
        "path": "a",
        "start_line": 2,
    }


def test_tools_can_be_run_by_their_ids(sandbox: Sandbox) -> None:
    assert list(sandbox.workspace.tools) == list(TOOLS)
    assert sandbox.workspace.tools["list_directory"]({})["entries"] == []
