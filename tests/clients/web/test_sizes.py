"""What a page loads, and when: shell and chat, then Firestore, then charts."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from dev.paths import ROOT

WEB = ROOT / "clients/web"
CHAT_BYTES = 60_000
"""Shell and chat beyond Firebase, compressed."""
FIREBASE_BYTES = 60_000
"""Firebase's app, auth and functions, compressed."""
VIEW_BYTES = 20_000
"""What a view of activities adds to the first load, compressed."""
STORE_BYTES = 190_000
"""Firestore, compressed."""
LESSON_BYTES = 35_000
"""What a view of lessons adds to the first load and Firestore, compressed."""
VOICE_BYTES = 5_000
"""What live voice adds to the lesson room, compressed."""


def built() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((WEB / "built.json").read_text())
    return found


def loaded_at_once(entry: str) -> set[str]:
    """The scripts that one imports, itself included."""
    files, waiting = set(), [entry]
    while waiting:
        file = waiting.pop()
        if file not in files:
            files.add(file)
            imports = built()[file]["imports"]
            waiting += [each["file"] for each in imports if each["kind"] == "import-statement"]
    return files


def compressed(files: set[str]) -> tuple[int, int]:
    """Bytes of our own and of Firebase's; a file of both is shared out by what is in it."""
    own = firebase = 0.0
    for file in files:
        size = len(gzip.compress((WEB / "dist" / file).read_bytes(), 9))
        inputs: dict[str, int] = built()[file]["inputs"]
        whole = sum(inputs.values()) or 1
        theirs = sum(n for path, n in inputs.items() if "firebase" in path or "/idb/" in path)
        firebase += size * theirs / whole
        own += size * (1 - theirs / whole)
    return round(own), round(firebase)


def main_script() -> str:
    return script_of("src/main.tsx")


def script_of(entry: str) -> str:
    (file,) = [name for name, about in built().items() if about.get("entryPoint") == entry]
    return file


def test_web_first_load_is_small() -> None:
    own, firebase = compressed(loaded_at_once(main_script()))
    assert own < CHAT_BYTES
    assert firebase < FIREBASE_BYTES


@pytest.mark.parametrize("view", ["src/activity/view.tsx", "src/activity/results.tsx"])
def test_web_activities_come_later_and_are_small(view: str) -> None:
    first = loaded_at_once(main_script())
    (script,) = [name for name, about in built().items() if about.get("entryPoint") == view]
    own, firebase = compressed(loaded_at_once(script) - first)
    assert script not in first and 1_000 < own + firebase < VIEW_BYTES


def test_web_firestore_comes_later_and_alone() -> None:
    first = loaded_at_once(main_script())
    later = {
        each["file"]
        for file in first
        for each in built()[file]["imports"]
        if each["kind"] == "dynamic-import"
    }
    (store,) = [file for file in later if "src/store/store.ts" in built()[file]["inputs"]]
    own, firebase = compressed(loaded_at_once(store) - first)
    assert own + firebase < STORE_BYTES
    packages = {path for file in first for path in built()[file]["inputs"]}
    assert not [path for path in packages if "@firebase/firestore" in path or "vega" in path]


@pytest.mark.parametrize("view", ["src/lesson/panel.tsx", "src/lesson/room.tsx"])
def test_web_lessons_come_later_and_are_small(view: str) -> None:
    before = loaded_at_once(main_script()) | loaded_at_once(script_of("src/store/store.ts"))
    own, firebase = compressed(loaded_at_once(script_of(view)) - before)
    assert 1_000 < own + firebase < LESSON_BYTES


def test_web_voice_comes_when_it_is_asked_for() -> None:
    room = loaded_at_once(main_script()) | loaded_at_once(script_of("src/lesson/room.tsx"))
    voice = script_of("src/lesson/voice.tsx")
    own, firebase = compressed(loaded_at_once(voice) - room)
    assert voice not in room and 1_000 < own + firebase < VOICE_BYTES
