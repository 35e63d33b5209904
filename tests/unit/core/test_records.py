"""Structs can be read in many threads at once."""

from __future__ import annotations

import ast
import subprocess
import sys

import msgspec
import pytest
from msgspec import Struct

from rollcall.core.records import convert, decode
from tests.support.sources import FUNCTIONS, tree

RACE = """
import sys, threading
from msgspec import defstruct
from rollcall.core.records import convert

sys.setswitchinterval(1e-5)
for number in range(40):
    inner = defstruct("Inner", [(f"f{n}", "int | None", None) for n in range(20)])
    middle = defstruct("Middle", [("inner", inner), ("names", "list[str]", [])])
    outer = defstruct("Outer", [("middle", middle), ("names", "dict[str, str] | None", None)])
    begin = threading.Barrier(16)

    def read():
        begin.wait()
        assert convert({"middle": {"inner": {"f1": 1}}}, outer).middle.inner.f1 == 1

    threads = [threading.Thread(target=read) for _ in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""
SINGLE_THREADED = "rollcall/commands/"


class Point(Struct):
    x: int


def test_data_and_json_become_structs() -> None:
    assert convert([{"x": 1}], list[Point]) == decode(b'[{"x": 1}]', list[Point]) == [Point(1)]


def test_what_is_of_another_type_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="Expected `int`"):
        convert({"x": "1"}, Point)
    with pytest.raises(msgspec.DecodeError):
        decode(b"{", Point)


def test_types_that_many_threads_use_first_at_once_are_read_by_all() -> None:
    done = subprocess.run([sys.executable, "-c", RACE], cwd=FUNCTIONS, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_functions_read_structs_by_no_other_way() -> None:
    others = []
    sources = (path for part in ("rollcall", "packs") for path in (FUNCTIONS / part).rglob("*.py"))
    for path in sorted(sources):
        name = path.relative_to(FUNCTIONS).as_posix()
        if name.startswith(SINGLE_THREADED) or name == "rollcall/core/records.py":
            continue
        for node in ast.walk(tree(path)):
            is_import = isinstance(node, ast.ImportFrom) and node.module == "msgspec"
            if is_import and "convert" in {each.name for each in node.names}:
                others.append(name)
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("json.decode", "msgspec.convert")
            ):
                others += [name] if len(node.args) + len(node.keywords) > 1 else []
    assert others == []
