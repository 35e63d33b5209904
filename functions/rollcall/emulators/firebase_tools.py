"""Finds firebase-tools, the program that runs the emulators."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from rollcall.core.problem import Problem

_COMMAND = Path("node_modules", ".bin", "firebase")


def find(folder: Path) -> Path:
    """The `firebase` command for the app in `folder`: its own, one of a folder above, or PATH's.

    Raises:
        Problem: There is none, or no Node to run it.
    """
    if shutil.which("node") is None:
        raise Problem(
            "The emulators need Node 20 or newer, and there is no `node` on PATH: https://nodejs.org"
        )
    for above in (folder, *folder.parents):
        if (above / _COMMAND).exists():
            return above / _COMMAND
    if on_path := shutil.which("firebase"):
        return Path(on_path)
    raise Problem(
        f"The emulators need firebase-tools, which is neither in {folder}/node_modules nor on "
        f"PATH.\nInstall it there: cd {folder} && npm install --save-dev firebase-tools"
    )


def is_downloaded(firebase: Path, emulator: str) -> bool:
    """Whether what this firebase-tools runs `emulator` with is on this computer: those that are no
    part of it (firestore, database, storage, pubsub, ui) it downloads when they are first started.
    """
    # node_modules/.bin/firebase is a link to firebase-tools/lib/bin/firebase.js
    info = firebase.resolve().parents[1] / "emulator" / "downloadableEmulatorInfo.json"
    if not info.is_file():
        return False  # the standalone program does not tell
    known: dict[str, Any] = json.loads(info.read_text(encoding="utf-8"))
    if emulator not in known:
        return True
    cache = os.environ.get("FIREBASE_EMULATORS_PATH")
    folder = Path(cache) if cache else Path.home() / ".cache" / "firebase" / "emulators"
    of_emulator = known[emulator].get("main", known[emulator])
    name = of_emulator.get("downloadPathRelativeToCacheDir")
    return name is not None and (folder / name).exists()
