"""The Firestore emulator's jar of over 100 MB, found where it was downloaded before."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

from rollcall.core.errors import Problem
from rollcall.emulators import requirements
from rollcall.emulators.processes import scratch

_MAIN_CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
_IN_CLOUD_SDK = Path("platform", "cloud-firestore-emulator", "cloud-firestore-emulator.jar")


def prepare(root: Path) -> bool:
    """Make sure the emulator of the app in `root` can start without a download; whether it was
    downloaded.

    Raises:
        Problem: It could not be downloaded.
    """
    chosen = os.environ.get("FIRESTORE_EMULATOR_BINARY_PATH")
    if chosen and not Path(chosen).is_file():
        raise Problem(f"FIRESTORE_EMULATOR_BINARY_PATH names no file: {chosen}")
    firebase = requirements.find_firebase(root)
    if chosen or requirements.is_downloaded(firebase, "firestore") or _of_cloud_sdk():
        return False
    print("Downloading the Firestore emulator (130 MB) ...", flush=True)
    try:
        subprocess.run(
            [firebase, "setup:emulators:firestore"],
            cwd=scratch(root),
            env={**os.environ, "PATH": requirements.search_path(root)},
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise Problem(
            "The Firestore emulator could not be downloaded. Where downloads are not\n"
            "possible, install it with the Google Cloud SDK (`gcloud components install\n"
            "cloud-firestore-emulator`, or the Debian package\n"
            "google-cloud-cli-firestore-emulator), or set FIRESTORE_EMULATOR_BINARY_PATH to\n"
            f"a copy of the jar that firebase-tools uses.\n({error})"
        ) from error
    return True


def environment(root: Path) -> dict[str, str]:
    """The variables that firebase-tools needs to find the jar; often none."""
    if os.environ.get("FIRESTORE_EMULATOR_BINARY_PATH"):
        return {}
    jar = _of_cloud_sdk()
    if jar is None or requirements.is_downloaded(requirements.find_firebase(root), "firestore"):
        return {}
    return {"FIRESTORE_EMULATOR_BINARY_PATH": str(_launcher(jar, scratch(root)))}


def _of_cloud_sdk() -> Path | None:
    """The jar of an installed Google Cloud SDK."""
    gcloud = shutil.which("gcloud")
    homes = [Path(gcloud).resolve().parent.parent] if gcloud else []
    homes.append(Path.home() / "google-cloud-sdk")
    return next((home / _IN_CLOUD_SDK for home in homes if (home / _IN_CLOUD_SDK).exists()), None)


def _launcher(jar: Path, folder: Path) -> Path:
    """A jar that runs `jar`, which does not say itself what to run.

    It is ours as well, and firebase-tools insists on changing the jar's mode.
    """
    launcher = folder / "firestore-emulator.jar"
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
