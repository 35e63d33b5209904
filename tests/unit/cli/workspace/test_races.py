"""What is swapped while a tool is at work cannot lead it outside, nor show half of a file.

Tries are counted, not timed. The swapping goes on in another process, so that it happens between
any two system calls of the tools. It comes in bursts: between two of them the folder or file lies
still for a moment, so that a tool is seen to work as well as to refuse.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rollcall_cli.workspace import ToolError
from tests.unit.cli.workspace.conftest import MARK, Sandbox

TRIES = 3000
FEW = 100

_SWAP_FOLDER = """
import os, sys, time
root, outside = sys.argv[1:]
os.chdir(root)
print(flush=True)
turn = 0
while True:
    turn += 1
    os.rename("d", "aside")
    try:
        os.symlink(outside, "d")
        os.unlink("d")
        os.rename("aside", "d")
    except OSError:  # the tool made a folder in the gap, as it may: both stay inside
        os.rename("aside", f"aside-{turn}")
    if turn % 20 == 0:
        time.sleep(0.001)
"""
_SWAP_FILE = """
import os, sys, time
root, outside = sys.argv[1:]
os.chdir(root)
print(flush=True)
turn = 0
while True:
    turn += 1
    if turn % 3 == 0:
        os.symlink(outside + "/secret.txt", "new")
    elif turn % 3 == 1:
        os.mkfifo("new")
    else:
        with open("new", "w") as file:
            file.write("text\\n")
    os.rename("new", "d/f.txt")
    if turn % 20 < 3:  # each of the three kinds lies still in its turn
        time.sleep(0.001)
"""


@contextmanager
def _swapping(program: str, sandbox: Sandbox) -> Iterator[None]:
    """Run a program that swaps things in the root until the block ends."""
    arguments = (sys.executable, "-c", program, str(sandbox.root), str(sandbox.outside))
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            assert process.poll() is None, "the swapping stopped early"
            process.kill()


_MAKE: dict[str, Callable[[Path, Path], object]] = {
    "link": lambda secret, file: file.symlink_to(secret),
    "pipe": lambda secret, file: os.mkfifo(file),
    "folder": lambda secret, file: file.mkdir(),
    "hard link": lambda secret, file: os.link(secret, file),
    "nothing": lambda secret, file: None,
}


@pytest.fixture(autouse=True)
def _without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda fd: None)


def _outside(sandbox: Sandbox) -> dict[str, str]:
    return {path.name: path.read_text() for path in sandbox.outside.iterdir()}


def test_a_folder_swapped_for_a_link_never_lets_a_write_out(sandbox: Sandbox) -> None:
    (sandbox.root / "d").mkdir()
    before = _outside(sandbox)
    seen: Counter[str] = Counter()
    with _swapping(_SWAP_FOLDER, sandbox):
        for turn in range(TRIES):
            path = (f"d/f{turn}.txt", f"d/new{turn}/f.txt", "d/secret.txt")[turn % 3]
            try:
                sandbox.run("write_file", path=path, content="written\n")
                seen["written"] += 1
            except ToolError:
                seen["refused"] += 1
            if turn % 100 == 99:
                assert _outside(sandbox) == before
    assert _outside(sandbox) == before
    assert seen["written"] > 0
    assert seen["refused"] > 0


def test_a_folder_swapped_for_a_link_never_lets_a_read_out(sandbox: Sandbox) -> None:
    sandbox.put("d/secret.txt", "what is inside\n")
    seen: Counter[str] = Counter()
    with _swapping(_SWAP_FOLDER, sandbox):
        for _ in range(TRIES // 3):
            for tool, arguments in (
                ("read_file", {"path": "d/secret.txt"}),
                ("search_files", {"path": "d", "query": "what"}),
                ("list_directory", {"path": "d"}),
            ):
                try:
                    told = json.dumps(sandbox.run(tool, **arguments))
                except ToolError as refused:
                    told = str(refused)
                    seen["refused"] += 1
                else:
                    seen["inside"] += 1
                assert MARK not in told
    assert seen["inside"] > 0
    assert seen["refused"] > 0


def test_a_file_swapped_for_a_link_or_a_pipe_is_refused_and_nothing_hangs(sandbox: Sandbox) -> None:
    sandbox.put("d/f.txt")
    before = _outside(sandbox)
    seen: Counter[str] = Counter()
    with _swapping(_SWAP_FILE, sandbox):
        for _ in range(TRIES // 2):
            for tool, arguments in (
                ("read_file", {}),
                ("edit_file", {"oldText": "text", "newText": "mine"}),
            ):
                try:
                    told = json.dumps(sandbox.run(tool, path="d/f.txt", **arguments))
                except ToolError as refused:
                    told = str(refused)
                seen[told] += 1
                assert MARK not in told
    assert _outside(sandbox) == before
    assert any("links are never followed" in told for told in seen)
    assert any("pipe" in told for told in seen)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("link", "links are never followed"),
        ("pipe", "a device, pipe or socket"),
        ("folder", "a directory, not a file"),
        ("hard link", "a hard link"),
        ("nothing", "there is no such file"),
    ],
)
def test_what_takes_a_files_place_just_after_the_look_at_it_is_refused_and_never_waited_for(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, kind: str, words: str
) -> None:
    file = sandbox.put("f.txt")
    stat = os.stat

    def swap_after(name: str, **options: Any) -> os.stat_result:
        found = stat(name, **options)
        swapped.append(name)
        if len(swapped) == 2:  # the first look finds the name, the second what it is
            file.unlink()
            _MAKE[kind](sandbox.outside / "secret.txt", file)
        return found

    swapped: list[str] = []
    said: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", swap_after)
        reader = threading.Thread(
            target=lambda: said.append(sandbox.refusal("read_file", path="f.txt")), daemon=True
        )
        reader.start()
        reader.join(30)
    assert len(said) == 1, "it waits for the pipe"
    assert words in said[0]


def test_readers_see_one_whole_content_or_the_other(sandbox: Sandbox) -> None:
    contents = ["a" * 300_000, "b" * 500_000]
    file = sandbox.put("f.txt", contents[0])
    partial: list[str] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            if (seen := file.read_text()) not in contents:
                partial.append(seen[:20])

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for turn in range(FEW):
            digest = sandbox.digest("f.txt")
            content = contents[(turn + 1) % 2]
            sandbox.run("write_file", path="f.txt", content=content, digest=digest)
    finally:
        done.set()
        watcher.join()
    assert partial == []
    assert [path.name for path in sandbox.root.iterdir()] == ["f.txt"]


def test_of_several_that_create_a_file_one_does_and_the_others_are_told(sandbox: Sandbox) -> None:
    for turn in range(FEW):
        told: list[str] = []

        def write(content: str, path: str = f"f{turn}.txt", told: list[str] = told) -> None:
            with contextlib.suppress(FileExistsError):
                # Not through the workspace: another program that takes the name meanwhile.
                if content == "other":
                    fd = os.open(sandbox.root / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                    os.close(fd)
                    told.append("other")
                    return
                try:
                    sandbox.run("write_file", path=path, content=content)
                    told.append(content)
                except ToolError:
                    pass

        threads = [threading.Thread(target=write, args=(name,)) for name in ("one", "other")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(told) == 1
        expected = "one" if told == ["one"] else ""
        assert (sandbox.root / f"f{turn}.txt").read_text() == expected


def test_a_file_changed_between_reading_and_replacing_is_not_overwritten(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = sandbox.put("f.txt", "one\n")
    digest = sandbox.digest("f.txt")
    fsync = os.fsync

    def change_meanwhile(fd: int) -> None:
        file.write_text("somebody else's\n")
        fsync(fd)

    monkeypatch.setattr(os, "fsync", change_meanwhile)
    said = sandbox.refusal("write_file", path="f.txt", content="mine\n", digest=digest)
    assert said == "f.txt: changed since it was read: read it again"
    assert file.read_text() == "somebody else's\n"
    assert [path.name for path in sandbox.root.iterdir()] == ["f.txt"]


def test_a_disk_that_fails_leaves_the_file_as_it_was(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = sandbox.put("f.txt", "one\n")

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    edit = {"path": "f.txt", "oldText": "one", "newText": "two"}
    assert "no space left" in sandbox.refusal("edit_file", **edit)
    assert file.read_text() == "one\n"
    assert list(sandbox.root.iterdir()) == [Path(file)]
