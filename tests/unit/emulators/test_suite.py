"""Ending a suite of emulators."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import cast

import pytest

from rollcall.emulators import suite
from rollcall.emulators.addresses import Configuration


def test_a_second_ctrl_c_leaves_no_file_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(process: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(suite, "stop", interrupt)
    (tmp_path / "firebase.json").write_text("{}")
    configuration = Configuration(tmp_path, port_offset=3000)
    written = configuration.file(ui=False)
    process = cast("subprocess.Popen[bytes]", None)
    running = suite.Suite(process, tmp_path / "log", configuration, configuration.addresses("demo"))
    assert written.is_file()
    with pytest.raises(KeyboardInterrupt):
        running.stop()
    assert not written.exists()
