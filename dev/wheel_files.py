"""Adds the web app to the library's wheel, as `rollcall/web`; the build backend runs this file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import (  # type: ignore[import-not-found]
    BuildHookInterface,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dev import web


class WebApp(BuildHookInterface):  # type: ignore[misc]
    """Ships the built files where they are those of the sources; a checkout may have older ones."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if web.is_current():
            build_data["force_include"] |= {
                str(file): f"rollcall/web/{file.relative_to(web.DIST).as_posix()}"
                for file in web.built_files()
            }
