"""Fixtures of the apps: the wheel, its environment, and the SDKs from the registries."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from dev import wheel
from dev.paths import ROOT
from tests.adoption.apps import Library, check_output, installed_bytes, next_commands

HERE = Path(__file__).parent
_NPM = ("npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
CLIENT = {"private": True, "type": "module", "dependencies": {"firebase": "^12.0.0"}}
NODE_FUNCTIONS = {
    "private": True,
    "main": "index.js",
    "engines": {"node": "20"},
    "dependencies": {"firebase-admin": "^13.0.0", "firebase-functions": "^6.0.0"},
}


@pytest.fixture(scope="session")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is not in this repository."""
    folder = tmp_path_factory.mktemp("outside")
    assert not folder.is_relative_to(ROOT)
    return folder


@pytest.fixture(scope="session", autouse=True)
def downloads(outside: Path) -> Iterator[dict[str, Future[Path]]]:
    """What comes from the registries, all at once."""
    with ThreadPoolExecutor() as pool:
        yield {
            "packages": pool.submit(_download_packages, outside),
            "client": pool.submit(_install_node, outside / "client", CLIENT),
            "node functions": pool.submit(_install_node, outside / "node", NODE_FUNCTIONS),
        }


@pytest.fixture(scope="session")
def packages(downloads: dict[str, Future[Path]]) -> Path:
    """A folder with the wheel and all that it needs."""
    return downloads["packages"].result()


@pytest.fixture(scope="session")
def client_folder(downloads: dict[str, Future[Path]]) -> Path:
    """A folder with the Firebase JavaScript SDK, and a client on it."""
    folder = downloads["client"].result()
    shutil.copy(HERE / "client.mjs", folder)
    return folder


@pytest.fixture(scope="session")
def node_functions(downloads: dict[str, Future[Path]]) -> Path:
    """A folder with what functions in Node need."""
    return downloads["node functions"].result()


@pytest.fixture(scope="session")
def sizes() -> dict[str, int]:
    """Bytes installed: "firebase" and "rollcall"; filled when `library` is made."""
    return {}


@pytest.fixture(scope="session")
def library(outside: Path, packages: Path, sizes: dict[str, int]) -> Library:
    """The wheel in an environment of its own, installed after what every app has."""
    venv = outside / "venv"
    (wheel_file,) = packages.glob("rollcall_firebase-*.whl")
    check_output(sys.executable, "-m", "venv", venv, cwd=outside)
    python = venv / "bin" / "python"
    found = Library(wheel_file, packages, python)
    pip = (python, "-m", "pip", "install", "--quiet")
    check_output(*pip, "firebase-functions", "firebase-admin", cwd=outside, env=found.offline)
    sizes["firebase"] = installed_bytes(venv)
    check_output(*pip, wheel_file, cwd=outside, env=found.offline)
    sizes["rollcall"] = installed_bytes(venv)
    return found


@pytest.fixture(scope="session")
def new_app(outside: Path, library: Library) -> Path:
    """What init and the first command that it says make of an empty folder."""
    root = outside / "empty"
    root.mkdir()
    done = library.init("--yes", cwd=root)
    assert done.returncode == 0, done.stdout
    install, dev, _ = next_commands(done.stdout)
    assert install.startswith("python3.") and "pip install -r functions/requirements.txt" in install
    assert dev == "functions/venv/bin/python -m rollcall dev"
    check_output("sh", "-c", install, cwd=root, env=library.offline)
    return root


@pytest.fixture(scope="session")
def functions_venv(new_app: Path) -> Path:
    """The environment of functions, which later apps link to."""
    return new_app / "functions" / "venv"


@pytest.fixture(scope="session")
def figure(request: pytest.FixtureRequest) -> Iterator[Callable[[str], None]]:
    """Takes a measured figure, to be printed at the end."""
    figures: list[str] = []
    yield figures.append
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("", *figures, sep="\n")


def _download_packages(outside: Path) -> Path:
    folder = outside / "packages"
    built = wheel.build(folder)
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder)
    check_output(*pip, built, cwd=outside)
    return folder


def _install_node(folder: Path, package: dict[str, object]) -> Path:
    folder.mkdir()
    (folder / "package.json").write_text(json.dumps(package), encoding="utf-8")
    check_output(*_NPM, cwd=folder)
    return folder
