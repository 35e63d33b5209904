"""Finds a Chromium for the tests of the web app."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from playwright.sync_api import Playwright

ROOT = Path(__file__).parents[2]
_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_CARRIED = (
    "import('@sparticuz/chromium').then(async (c) => console.log(await c.default.executablePath()))"
)
MISSING = (
    "no Chromium was found, so the web app was not tried in a browser; install one, or run "
    "functions/venv/bin/playwright install chromium"
)
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-zygote")
"""For a machine without a screen, and for root."""


def find(playwright: Playwright) -> str | None:
    """Return the path of a Chromium: the machine's own, Playwright's, or the one in an npm package;
    None where none runs here."""
    for command in _COMMANDS:
        if path := shutil.which(command):
            return path
    for path in (*_APPS, playwright.chromium.executable_path):
        if Path(path).exists():
            return path
    return _carried()


@cache
def _carried() -> str | None:
    """The path of the one that an npm package carries; None where it does not run."""
    # The package unpacks it into the folder of temporary files, where a second process would take
    # the unfinished file for the whole.
    with (Path(tempfile.gettempdir()) / "rollcall-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["node", "-e", _CARRIED], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
    path = done.stdout.strip()
    # It is built for one kind of system; elsewhere it does not start.
    runs = path and subprocess.run([path, "--version"], capture_output=True).returncode == 0
    return path if runs else None
