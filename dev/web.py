"""Builds the web app where its sources have changed: python -m dev.web"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from dev import commands, problem
from dev.paths import NODE_MODULES, ROOT
from dev.stamp import Stamp

WEB = ROOT / "clients" / "web"
DIST = WEB / "dist"
_SOURCES = (WEB, ROOT / "clients" / "js" / "src")


def build() -> None:
    """Build the web app, unless it is current."""
    if is_current():
        return
    print("Building the web app (ten seconds) ...", flush=True)
    DIST.mkdir(exist_ok=True)
    stamp = _stamp()
    commands.run(["node", WEB / "build.mjs"], failing="The web app could not be built.")
    stamp.write()


def is_current() -> bool:
    """Whether the built web app is that of the sources."""
    return _stamp().is_current()


def missing() -> str | None:
    """What the build needs and this computer lacks; None where nothing is missing."""
    if shutil.which("node") is None:
        return "there is no `node` on PATH"
    if not (NODE_MODULES / "esbuild-wasm").is_dir():
        return "node_modules is not installed (`make setup` does it)"
    return None


def built_files() -> list[Path]:
    """The files of the built web app."""
    return [
        file for file in sorted(DIST.rglob("*")) if file.is_file() and not file.name.startswith(".")
    ]


def _stamp() -> Stamp:
    return Stamp(DIST, ROOT / "package-lock.json", *_sources())


def _sources() -> Iterator[Path]:
    for folder in _SOURCES:
        for file in sorted(folder.rglob("*")):
            is_built = DIST in file.parents or file.name == "built.json"
            if file.is_file() and not is_built:
                yield file


def main() -> int:
    build()
    return 0


if __name__ == "__main__":
    problem.run(main)
