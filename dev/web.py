"""Builds the web app where its sources have changed: python -m dev.web"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dev import commands, problem
from dev.paths import ROOT
from dev.stamp import Stamp

WEB = ROOT / "clients" / "web"
DIST = WEB / "dist"
_SOURCES = (WEB, ROOT / "clients" / "js" / "src")


def build() -> None:
    """Build it, unless it is built from these very sources already."""
    DIST.mkdir(exist_ok=True)
    stamp = Stamp(DIST, ROOT / "package-lock.json", *_sources())
    if stamp.is_current():
        return
    print("Building the web app (ten seconds) ...", flush=True)
    commands.run(["node", WEB / "build.mjs"], failing="The web app could not be built.")
    stamp.write()


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
