"""The arguments and results of the workspace's tools, and what is refused before a client sees
it."""

from __future__ import annotations

from typing import Any

import pytest

from packs.workspace import tools
from packs.workspace.agents import TOOLS, WORKSPACE
from rollcall.agent.approvals import ARGUMENTS_BYTES
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.store.approvals import canonical_json
from tests.support.for_every import for_every

FUNCTIONS = {
    "list_directory": tools.list_directory,
    "read_file": tools.read_file,
    "search_files": tools.search_files,
    "write_file": tools.write_file,
    "edit_file": tools.edit_file,
    "run_command": tools.run_command,
}
DIGEST = "0123456789abcdef"


def frozen(tool: str, **arguments: Any) -> dict[str, Any]:
    return Capability.of(FUNCTIONS[tool]).frozen(arguments)


def test_the_agent_has_all_of_them_and_asks_before_it_writes() -> None:
    assert tuple(FUNCTIONS) == TOOLS == WORKSPACE.tools == WORKSPACE.pinned
    writes = {id for id, each in FUNCTIONS.items() if Capability.of(each).mark.effect == "write"}
    assert writes == set(WORKSPACE.approvals)
    for policy in WORKSPACE.approvals.values():
        assert policy.asks({"path": "a", "command": "ls"}, allowed_before=True)


@pytest.mark.parametrize(("tool", "function"), FUNCTIONS.items())
def test_none_of_them_runs_on_the_server(tool: str, function: Any) -> None:
    example = Capability.of(function).examples[0]["parameters"]
    with pytest.raises(FailedPrecondition, match=f"{tool} runs on the user's client"):
        Capability.of(function).call(ToolContext(user=User("ann")), example)


@pytest.mark.parametrize(
    "path", [".", "a", "a/b.py", "./a", "תיקייה/קובץ.txt", "a b", ".env", "..a"]
)
def test_a_path_below_the_root_is_taken_as_it_is(path: str) -> None:
    assert frozen("read_file", path=path) == {"path": path}


@for_every(
    "path",
    ["", "/a", "//a", "..", "../a", "a/../b", "a/..", "~", "~/a", "C:/a", "c:a", "\\a", "a\\b",
     "a\nb", "a\x1bb", "a\x7f", "a\u2028b", "a\u202eb", "a\u2069b",
     "a" * 1_001],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused_with_what_would_be_taken(path: str) -> None:
    for tool, more in (("read_file", {}), ("write_file", {"content": ""}), ("list_directory", {})):
        with pytest.raises(InvalidArgument) as refused:
            frozen(tool, path=path, **more)
        assert refused.value.field == "arguments.path"


@for_every(
    ("tool", "arguments"),
    [
        ("list_directory", {"depth": 0}),
        ("list_directory", {"depth": 6}),
        ("read_file", {"path": "a", "startLine": 0}),
        ("search_files", {"query": ""}),
        ("search_files", {"query": "x" * 1_001}),
        ("search_files", {"query": "x", "maxMatches": 1_001}),
        ("write_file", {"path": "a", "content": "x" * 150_001}),
        ("write_file", {"path": "a", "content": "漢" * 110_000}),
        ("write_file", {"path": "a", "content": "", "digest": "x"}),
        ("edit_file", {"path": "a", "oldText": "", "newText": "x"}),
        ("run_command", {"command": ""}),
        ("run_command", {"command": "  "}),
        ("run_command", {"command": "ls \x1b[2K"}),
        ("run_command", {"command": "ls \x00"}),
        ("run_command", {"command": "x" * 4_001}),
        ("run_command", {"command": "ls", "timeoutS": 601}),
        ("run_command", {"command": "ls", "env": {}}),
    ],
)
def test_every_argument_is_bounded(tool: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        frozen(tool, **arguments)


@pytest.mark.parametrize("letter", ["x", "ש", '"', "\n", "\\"])
def test_the_longest_content_can_be_asked_about(letter: str) -> None:
    given = frozen("write_file", path="a" * 1_000, content=letter * 149_990)
    assert len(canonical_json(given).encode()) <= ARGUMENTS_BYTES


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("list_directory", {"path": ".", "entries": [{"path": "a", "type": "file", "size": 1}]}),
        ("read_file", {"path": "a", "content": "", "size": 0, "digest": DIGEST, "lines": 0,
                       "startLine": 1, "endLine": 0, "truncated": False}),
        ("search_files", {"query": "x", "matches": [], "files": 0, "total": 0}),
        ("write_file", {"path": "a", "size": 3.0, "digest": DIGEST, "created": True}),
        ("edit_file", {"path": "a", "size": 3, "digest": DIGEST, "replaced": 1}),
        ("run_command", {"command": "ls", "exitCode": None, "output": "", "timedOut": True,
                         "ms": 1}),
    ],
)  # fmt: skip
def test_what_they_return_is_what_they_declare(tool: str, result: dict[str, Any]) -> None:
    capability = Capability.of(FUNCTIONS[tool])
    capability.check_result(result, field="content")
    with pytest.raises(InvalidArgument) as refused:
        capability.check_result({**result, "more": 1}, field="content")
    assert refused.value.field == "content.more"
    first = next(iter(result))
    with pytest.raises(InvalidArgument) as refused:
        capability.check_result({**result, first: 5}, field="content")
    assert refused.value.field == f"content.{first}"


@pytest.mark.parametrize("tool", ["write_file", "edit_file", "run_command"])
@pytest.mark.parametrize("locale", ["en", "he"])
def test_an_approval_is_summarized_in_one_line(tool: str, locale: str) -> None:
    example = Capability.of(FUNCTIONS[tool]).examples[0]["parameters"]
    said = Capability.of(FUNCTIONS[tool]).summarize(example, locale)
    assert example.get("path", example.get("command")) in said
    assert "\n" not in said
