"""The catalogue: what an app's packages declare is found, bound and looked up by name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.catalogs import FUNCTIONS
from tests.support.forked_python import run_python

PING = '''
from rollcall.core.capability import capability

@capability(name={"en": "Ping"}, category="net")
def ping(ctx, *, word: str = "x") -> str:
    """Answer a word."""
    return word
'''
OWN = """
import firebase_admin
from firebase_functions import https_fn

@https_fn.on_call()
def hello(request):
    return "hi"
"""
BIND = "\nfrom rollcall import bind\nbind(globals()%s)\n"
LIST = "import main, sys; print(*sorted(n for n, v in vars(main).items() if hasattr(v, %r)))"
NAMES = LIST % "__firebase_endpoint__"


def make(root: Path, main: str, **modules: str) -> Path:
    """A functions folder: its `main.py` and the modules of its package `capabilities`. The engine
    alone is where packages are installed."""
    (root / "installed").mkdir()
    (root / "installed" / "rollcall").symlink_to(FUNCTIONS / "rollcall")
    (root / "capabilities").mkdir()
    (root / "capabilities" / "__init__.py").touch()
    (root / "main.py").write_text(main)
    for name, source in modules.items():
        (root / "capabilities" / f"{name}.py").write_text(source)
    return root


def run(
    root: Path, code: str = NAMES, *, target: str | None = None, last: bool = False, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run code as discovery does, or with a target as functions-framework does.

    Args:
        last: Whether the app's folder is the last that modules are looked for in.
    """
    order = f"import sys; sys.path.remove(''); sys.path.append({str(root)!r})\n" if last else ""
    given = {
        "PATH": os.environ["PATH"],
        "GCLOUD_PROJECT": "demo-x",
        "PYTHONPATH": str(root / "installed"),
    }
    if target:
        given["FUNCTION_TARGET"] = target
    return run_python(order + code, folder=root, environment=given | env)


def test_an_app_has_its_own_functions_and_the_engines_and_its_capabilities(tmp_path: Path) -> None:
    root = make(tmp_path, OWN + BIND % "", net=PING)
    names = run(root).stdout.split()
    assert {"hello", "ping", "run_agent", "sync_registry"} <= set(names)


def test_a_process_of_an_own_function_loads_nothing_of_the_engine(tmp_path: Path) -> None:
    root = make(tmp_path, OWN + BIND % "", net=PING)
    code = "import main, sys; print([m for m in sys.modules if m.startswith('rollcall.')])"
    assert run(root, code, target="hello").stdout == "[]\n"


def test_a_process_of_a_capability_has_it_alone(tmp_path: Path) -> None:
    root = make(tmp_path, BIND % "", net=PING, broken="raise SystemExit(9)\n")
    assert run(root, target="ping").stdout.split() == ["ping"]


def test_an_async_capability_is_found_by_its_name(tmp_path: Path) -> None:
    root = make(tmp_path, BIND % "", net=PING.replace("def ping", "async def ping"))
    code = "from rollcall.catalog import Catalog as C; print(C('.').find_capability('ping').id)"
    assert run(root, code).stdout == "ping\n"


@pytest.mark.parametrize(
    ("main", "modules", "told"),
    [
        (
            BIND % "",
            {"net": PING, "web": PING},
            ["net.py:4", "web.py:5", "declares a capability `ping` as well", "Rename one"],
        ),
        (BIND % "", {"net": PING + "\nalias = ping\n"}, ["net.py:9: 'alias' has", "def alias("]),
        (
            OWN.replace("hello", "ping") + BIND % "",
            {"net": PING},
            ["main.py", "has a 'ping' of its own", "net.py:4"],
        ),
        (
            OWN.replace("hello", "run_agent") + BIND % "",
            {"net": PING},
            ["main.py", "has a 'run_agent' of its own", "without=[...]"],
        ),
        (BIND % ", packs=['skills']", {"net": PING}, ["packs names 'skills'"]),
        (BIND % ", packs=['shop.skills']", {"net": PING}, ["packs names 'shop.skills'"]),
        (BIND % ", packs=['./capabilities']", {"net": PING}, ["packs names './capabilities'"]),
        (BIND % ", packs=['packs', 'capabilities']", {"net": PING}, ["packs names 'packs'"]),
        (BIND % ", packs='skills'", {"net": PING}, ["packs='skills' is a text", "['skills']"]),
        (BIND % ", without=['chat']", {"net": PING}, ["without=['chat']", "engine, agui, files"]),
    ],
)
def test_what_cannot_be_bound_is_told_with_its_place(
    tmp_path: Path, main: str, modules: dict[str, str], told: list[str]
) -> None:
    done = run(make(tmp_path, main, **modules))
    assert done.returncode != 0
    for words in told:
        assert words in done.stderr, done.stderr


def test_a_capability_that_a_call_made_is_refused_at_discovery(tmp_path: Path) -> None:
    made = PING.replace("def ping", "def inner").replace("@cap", "def make():\n    @cap")
    made = made.replace("\ndef inner", "\n    def inner").replace('\n    """', '\n        """')
    made = made.replace("\n    return word", "\n        return word\n    return inner")
    made += "\nping = make()\nping.__name__ = 'ping'\n"
    done = run(make(tmp_path, BIND % "", net=made))
    assert "'ping' has no `def ping(` of its own" in done.stderr, done.stderr


def test_a_capability_that_another_modules_function_made_is_refused(tmp_path: Path) -> None:
    timed = "def timed(f):\n    def inner(*a, **k):\n        return f(*a, **k)\n    return inner\n"
    wrapped = "from capabilities.time import timed\n" + PING.replace("\ndef", "\n@timed\ndef")
    done = run(make(tmp_path, BIND % "", net=wrapped, time=timed))
    assert "capabilities/net.py:7: 'ping' has no `def ping(`" in done.stderr, done.stderr


def test_a_capability_that_main_imports_is_no_clash(tmp_path: Path) -> None:
    root = make(tmp_path, "from capabilities.net import ping\n" + BIND % "", net=PING)
    assert "ping" in run(root).stdout.split()
    assert run(root, target="ping").stdout.split() == ["ping"]


def test_hidden_copies_of_a_module_declare_nothing(tmp_path: Path) -> None:
    root = make(tmp_path, BIND % "", net=PING)
    (root / "capabilities" / ".#net.py").symlink_to("/nowhere/net.py")
    (root / "capabilities" / ".copies").mkdir()
    (root / "capabilities" / ".copies" / "net.py").write_text(PING)
    assert "ping" in run(root).stdout.split()
    assert run(root, target="ping").stdout.split() == ["ping"]


def test_a_package_in_a_linked_folder_is_found(tmp_path: Path) -> None:
    root = make(tmp_path, BIND % "")
    (root / "shared").mkdir()
    (root / "shared" / "net.py").write_text(PING)
    (root / "capabilities" / "office").symlink_to("../shared")
    (root / "capabilities" / "circle").symlink_to(".")
    (root / "shared" / "circle").symlink_to("../capabilities")
    assert run(root, target="ping").stdout.split() == ["ping"]


def test_a_folder_that_an_installed_package_hides_is_told(tmp_path: Path) -> None:
    root = make(tmp_path, BIND % "", net=PING)
    (root / "capabilities" / "__init__.py").unlink()
    other = root / "installed" / "capabilities"
    other.mkdir()
    (other / "__init__.py").touch()
    (other / "net.py").touch()
    done = run(root)
    assert f"{root}/capabilities: Python imports {other}/__init__.py" in done.stderr, done.stderr


def test_the_apps_package_comes_before_an_installed_one_of_the_same_name(tmp_path: Path) -> None:
    app = make(tmp_path, BIND % "", net=PING)
    other = app / "installed" / "capabilities"
    other.mkdir()
    (other / "__init__.py").write_text("raise SystemExit(9)\n")
    done = run(app, target="ping", last=True)
    assert done.stdout.split() == ["ping"], done.stderr


def test_groups_of_the_engines_functions_can_be_left_out(tmp_path: Path) -> None:
    root = make(tmp_path, BIND % ", without=['agui', 'files', 'ratings', 'usage']", net=PING)
    names = set(run(root).stdout.split())
    assert {"run_agent", "ping"} <= names
    assert names.isdisjoint({"agui", "begin_upload", "rate_message", "my_usage"})
    root.joinpath("main.py").write_text(BIND % ", without=['engine']")
    assert run(root).stdout.split() == ["ping"]


def test_with_a_prefix_the_engines_functions_have_it_and_capabilities_do_not(
    tmp_path: Path,
) -> None:
    root = make(tmp_path, OWN.replace("hello", "run_agent") + BIND % "", net=PING)
    names = set(run(root, ROLLCALL_PREFIX="rc").stdout.split())
    assert {"run_agent", "rc_run_agent", "rccontinuerun", "ping"} <= names
    assert names.isdisjoint({"continuerun", "rc_ping", "list_capabilities"})
    for target in ("rc_run_agent", "rccontinuerun", "ping"):
        assert target in run(root, target=target, ROLLCALL_PREFIX="rc").stdout.split()
    for target in ("continuerun", "rc_ping"):
        assert "there is no function" in run(root, target=target, ROLLCALL_PREFIX="rc").stderr


def test_wrong_definitions_are_told_all_at_once_at_discovery(tmp_path: Path) -> None:
    wrong = PING.replace("word: str", "word: strr")
    root = make(tmp_path, BIND % "", net=wrong, web=PING.replace("ping", "pong") + "x = y\n")
    done = run(root)
    assert done.returncode != 0
    assert "net.py" in done.stderr and "strr" in done.stderr
    assert "web.py" in done.stderr and "name 'y' is not defined" in done.stderr


def test_the_apps_region_is_the_engines(tmp_path: Path) -> None:
    main = "from firebase_functions import options\n"
    main += "options.set_global_options(region='europe-west1')\n" + BIND % ""
    root = make(tmp_path, main, net=PING)
    code = "import main; from rollcall.core.options import region; print(region())"
    for target in ("ping", "run_agent"):
        assert run(root, code, target=target).stdout == "europe-west1\n"
    named = run(root, code, target="ping", ROLLCALL_REGION="us-east1")
    assert named.stdout == "us-east1\n"
