"""Short forms of the workspace's calls in a compacted history."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import validate
from tests.support.catalogs import catalog
from tests.support.for_every import for_every

LONG = "x = 1\n" * 2_000
READ = {
    "path": "a.py",
    "content": LONG,
    "size": 12_000,
    "digest": "0123456789abcdef",
    "lines": 2_000,
    "startLine": 1,
    "endLine": 2_000,
}


def compaction(tool: str, arguments: dict[str, Any], output: Any) -> Any:
    found = catalog.find_capability(tool).compaction(arguments, output)
    assert found is not None
    return found


def test_a_file_that_was_read_keeps_its_path_size_and_digest() -> None:
    told = compaction("read_file", {"path": "a.py"}, READ)
    assert told.output == {
        **{key: READ[key] for key in READ if key != "content"},
        "leftOut": "the content; read_file shows it again",
    }
    assert (told.arguments, told.of) == ({"path": "a.py"}, "a.py")


def test_a_file_that_was_written_keeps_its_path_and_what_it_became() -> None:
    written = {"path": "a.py", "size": 12_000, "digest": "0" * 16, "created": True}
    told = compaction("write_file", {"path": "a.py", "content": LONG}, written)
    assert told.output == written
    assert told.arguments == {
        "path": "a.py",
        "leftOut": "content of 12,000 characters; read_file shows the file",
    }


def test_an_edit_keeps_its_texts_where_they_are_short() -> None:
    short = {"path": "a.py", "oldText": "total", "newText": "sum_of"}
    assert compaction("edit_file", short, None).arguments == short
    long = {"path": "a.py", "oldText": "total", "newText": LONG, "replaceAll": True}
    assert compaction("edit_file", long, None).arguments == {
        "path": "a.py",
        "oldText": "total",
        "replaceAll": True,
        "leftOut": "newText of 12,000 characters; read_file shows the file",
    }


def test_a_command_keeps_the_beginning_and_the_end_of_its_output() -> None:
    ran = {"command": "pytest", "exitCode": 1, "output": f"begins{LONG}1 failed", "ms": 12}
    told = compaction("run_command", {"command": "pytest"}, ran)
    assert told.output["output"].startswith("begins") and told.output["exitCode"] == 1
    assert told.output["output"].endswith("1 failed")
    assert "[10,814 characters left out]" in told.output["output"]


@pytest.mark.parametrize(
    ("tool", "name"), [("list_directory", "entries"), ("search_files", "matches")]
)
def test_lists_keep_their_first_items_and_say_how_many_there_were(tool: str, name: str) -> None:
    told = compaction(tool, {}, {name: list(range(60)), "total": 60}).output
    assert told == {
        name: list(range(10)),
        "total": 60,
        "leftOut": f"50 more; {tool} shows them again",
    }


CALLS: list[tuple[str, dict[str, Any], Any]] = [
    ("read_file", {"path": "a.py"}, READ),
    ("write_file", {"path": "a.py", "content": LONG}, {"path": "a.py"}),
    ("edit_file", {"path": "a.py", "oldText": LONG, "newText": LONG}, None),
    ("run_command", {"command": "ls"}, {"output": LONG}),
    ("list_directory", {}, {"entries": [{}] * 60}),
    ("search_files", {"query": "x"}, {"matches": [{}] * 60}),
]


@pytest.mark.parametrize(("tool", "arguments", "output"), CALLS)
def test_what_is_short_already_stays_as_it_is(
    tool: str, arguments: dict[str, Any], output: Any
) -> None:
    once = compaction(tool, arguments, output)
    assert compaction(tool, once.arguments, once.output) == once


@for_every("tool", [tool for tool, _, _ in CALLS])
@for_every("output", [None, "text", [], {}, {"content": 1, "output": []}])
def test_whatever_a_client_answered_can_be_told(tool: str, output: Any) -> None:
    told = compaction(tool, {"path": 5, "content": None}, output)
    assert told.output == output and told.of is None


def test_a_call_that_copies_what_is_left_out_is_refused() -> None:
    told = compaction("write_file", {"path": "a.py", "content": LONG}, None)
    with pytest.raises(InvalidArgument):
        validate(catalog.find_capability("write_file").arguments, told.arguments, field="arguments")
