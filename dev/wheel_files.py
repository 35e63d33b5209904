"""Adds the web app to the library's wheel, as `rollcall/web.zip`; the build backend runs this."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import (  # type: ignore[import-not-found]
    BuildHookInterface,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dev import web


class WebApp(BuildHookInterface):  # type: ignore[misc]
    """Ships the built files where they are those of the sources; a checkout may have older ones.

    They are one compressed file, since they are copied into an app and never served from here.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not web.is_current():
            return
        file = web.DIST / ".web.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in web.built_files():
                name = each.relative_to(web.DIST).as_posix()
                member = zipfile.ZipInfo(name)  # without a time: the same bytes again
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, each.read_bytes(), compresslevel=9)
        build_data["force_include"][str(file)] = "rollcall/web.zip"
