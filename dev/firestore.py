"""The Firestore emulator's program, a jar of over 100 MB, from where it may be already."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

from dev import commands, java
from dev.paths import FIREBASE, NODE_MODULES, SCRATCH
from dev.problem import Problem

_MAIN_CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
_IN_CLOUD_SDK = Path("platform", "cloud-firestore-emulator", "cloud-firestore-emulator.jar")


def prepare() -> None:
    """Make sure the emulator can start without a download."""
    chosen = os.environ.get("FIRESTORE_EMULATOR_BINARY_PATH")
    if chosen and not Path(chosen).is_file():
        raise Problem(f"FIRESTORE_EMULATOR_BINARY_PATH names no file: {chosen}")
    if chosen or environment() or _downloaded().exists():
        return
    print("Downloading the Firestore emulator (130 MB) ...", flush=True)
    commands.run(
        [FIREBASE, "setup:emulators:firestore"],
        env={**os.environ, "PATH": java.search_path()},
        failing="The Firestore emulator could not be downloaded. Where downloads are not\n"
        "possible, install it with the Google Cloud SDK (`gcloud components install\n"
        "cloud-firestore-emulator`, or the Debian package\n"
        "google-cloud-cli-firestore-emulator), or set FIRESTORE_EMULATOR_BINARY_PATH to\n"
        "a copy of the jar that firebase-tools uses.",
    )


def environment() -> dict[str, str]:
    """The variables that firebase-tools needs to find the jar; often none."""
    if os.environ.get("FIRESTORE_EMULATOR_BINARY_PATH") or _downloaded().exists():
        return {}
    jar = _of_cloud_sdk()
    if jar is None:
        return {}
    return {"FIRESTORE_EMULATOR_BINARY_PATH": str(_launcher(jar))}


def _downloaded() -> Path:
    """Where firebase-tools keeps the version it was made for."""
    info = NODE_MODULES / "firebase-tools/lib/emulator/downloadableEmulatorInfo.json"
    name: str = json.loads(info.read_text())["firestore"]["downloadPathRelativeToCacheDir"]
    cache = os.environ.get("FIREBASE_EMULATORS_PATH")
    return (Path(cache) if cache else Path.home() / ".cache" / "firebase" / "emulators") / name


def _of_cloud_sdk() -> Path | None:
    """The jar of an installed Google Cloud SDK."""
    gcloud = shutil.which("gcloud")
    homes = [Path(gcloud).resolve().parent.parent] if gcloud else []
    homes.append(Path.home() / "google-cloud-sdk")
    return next((home / _IN_CLOUD_SDK for home in homes if (home / _IN_CLOUD_SDK).exists()), None)


def _launcher(jar: Path) -> Path:
    """A jar that runs `jar`, which does not say itself what to run.

    It is ours as well, and firebase-tools insists on changing the jar's mode.
    """
    launcher = SCRATCH / "firestore-emulator.jar"
    launcher.parent.mkdir(exist_ok=True)
    manifest = (
        "Manifest-Version: 1.0",
        f"Main-Class: {_MAIN_CLASS}",
        f"Class-Path: {jar.as_uri()}",
    )
    unfinished = launcher.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(unfinished, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "".join(map(_manifest_line, manifest)) + "\r\n")
    unfinished.replace(launcher)
    return launcher


def _manifest_line(line: str) -> str:
    """Cut into lines of at most 72 bytes, as the format of manifests demands."""
    rest = range(72, len(line), 71)
    return "\r\n ".join([line[:72], *(line[start : start + 71] for start in rest)]) + "\r\n"
