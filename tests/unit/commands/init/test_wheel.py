from __future__ import annotations

import hashlib
import io
import zipfile
from base64 import urlsafe_b64encode
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from rollcall.commands.init import wheel
from rollcall.commands.init.wheel import (
    conflicts,
    installed_wheel,
    require,
    same_content,
    wheel_of,
)
from rollcall.core.errors import Problem

INFO = "rollcall_firebase-0.1.0+g1.dist-info"
METADATA = """Metadata-Version: 2.4
Name: rollcall-firebase
Version: 0.1.0+g1
Requires-Dist: pydantic~=2.10
Requires-Dist: google-genai~=3.4; extra == 'gemini'
"""
FILES = {
    "rollcall/__init__.py": "",
    "rollcall/texts/he.json": '"שלום"',
    f"{INFO}/METADATA": METADATA,
    f"{INFO}/WHEEL": "Tag: py3-none-any\n",
    f"{INFO}/entry_points.txt": "[pytest11]\n",
}
PUT_THERE_BY_PIP = {
    f"{INFO}/INSTALLER": "pip\n",
    f"{INFO}/REQUESTED": "",
    f"{INFO}/direct_url.json": "{}",
    "rollcall/__pycache__/__init__.cpython-311.pyc": "",
    "../../bin/rollcall": "#!",
}


def install(folder: Path) -> Distribution:
    """Lay files out as pip does."""
    rows = []
    for name, text in {**FILES, **PUT_THERE_BY_PIP}.items():
        path = folder / "lib/site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        digest = urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(text.encode())}")
    rows.append(f"{INFO}/RECORD,,")
    (folder / "lib/site" / INFO / "RECORD").write_text("\n".join(reversed(rows)) + "\n")
    return Distribution.at(folder / "lib/site" / INFO)


def test_a_wheel_made_again_has_the_files_of_the_first_and_nothing_of_pips(tmp_path: Path) -> None:
    wheel = wheel_of(install(tmp_path))
    assert wheel.file_name == "rollcall_firebase-0.1.0+g1-py3-none-any.whl"
    assert wheel.needs == ("pydantic~=2.10", "google-genai~=3.4; extra == 'gemini'")
    with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
        assert archive.namelist() == [*FILES, f"{INFO}/RECORD"]
        assert archive.read("rollcall/texts/he.json").decode() == '"שלום"'
        record = archive.read(f"{INFO}/RECORD").decode().splitlines()
    assert [row.split(",")[0] for row in record] == [*FILES, f"{INFO}/RECORD"]


def test_the_same_installation_makes_the_same_bytes(tmp_path: Path) -> None:
    first, second = wheel_of(install(tmp_path / "a")), wheel_of(install(tmp_path / "b"))
    assert first.content == second.content


def test_a_file_that_was_changed_is_told(tmp_path: Path) -> None:
    installed = install(tmp_path)
    (tmp_path / "lib/site/rollcall/__init__.py").write_text("x = 1")
    with pytest.raises(Problem, match=r"__init__\.py was changed after rollcall-firebase 0\.1\.0"):
        wheel_of(installed)


def test_an_installation_without_files_is_told(tmp_path: Path) -> None:
    installed = install(tmp_path)
    record = tmp_path / "lib/site" / INFO / "RECORD"
    kept = [row for row in record.read_text().splitlines() if row.startswith(INFO)]
    record.write_text("\n".join(kept) + "\n")
    with pytest.raises(Problem, match=r"editable.*\n.*make wheel"):
        wheel_of(installed)


def test_from_its_sources_the_library_says_how_to_install_it() -> None:
    with pytest.raises(Problem, match=r"runs from its sources[^\n]*\n *make wheel"):
        installed_wheel()


def test_wheels_that_are_compressed_differently_have_the_same_content(tmp_path: Path) -> None:
    wheel = wheel_of(install(tmp_path)).content
    stored = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(wheel)) as old, zipfile.ZipFile(stored, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert stored.getvalue() != wheel
    assert same_content(stored.getvalue(), wheel)
    assert not same_content(b"PK no wheel", wheel)


def test_our_lines_go_behind_those_of_the_app_which_stay() -> None:
    merged = require("flask~=3.1  # תגובות\r\nrequests", "0.1.0+g1")
    assert merged.startswith("flask~=3.1  # תגובות\r\nrequests\r\n")
    assert merged.endswith("--find-links ./vendor\r\nrollcall-firebase==0.1.0+g1\r\n")
    assert require(merged, "0.1.0+g1") == merged


def test_a_new_version_changes_the_version_alone() -> None:
    text = "--find-links ./vendor\nRollcall_Firebase[openai,gemini] == 0.1.0+g1  # ours\nflask\n"
    assert require(text, "0.2.0+g2") == (
        "--find-links ./vendor\nrollcall-firebase[gemini,openai]==0.2.0+g2  # ours\nflask\n"
    )


def test_a_folder_of_wheels_that_is_missing_is_named_again() -> None:
    assert require("rollcall-firebase==1\n", "1") == (
        "--find-links ./vendor\nrollcall-firebase==1\n"
    )
    assert require("-f vendor/\nrollcall-firebase==1\n", "1") == (
        "-f vendor/\nrollcall-firebase==1\n"
    )


def test_hashes_are_noticed_but_not_in_comments() -> None:
    assert wheel.has_hashes("flask==3.1.0 \\\n    --hash=sha256:00\n")
    assert not wheel.has_hashes("flask  # no --hash here\n")


def test_a_compiled_file_asks_for_us_with_a_hash() -> None:
    text = "--find-links ./vendor\nrollcall-firebase==1+g1 \\\n    --hash=sha256:00\n"
    exported = "./vendor/rollcall_firebase-1+g1-py3-none-any.whl \\\n    --hash=sha256:00\n"
    for asking in (text, exported):
        assert wheel.asks_for(asking, "1+g1")
        assert not wheel.asks_for(asking, "2+g2")


def test_a_path_of_the_wheel_becomes_a_version_when_there_is_a_new_one() -> None:
    text = "flask\n./vendor/rollcall_firebase-1+g1-py3-none-any.whl\n"
    assert wheel.require(text, "1+g1") == text
    assert wheel.require(text, "2+g2") == (
        "flask\n--find-links ./vendor\nrollcall-firebase==2+g2\n"
    )
    exact = "./vendor/rollcall_firebase-1%2Bg1-py3-none-any.whl[pdf] ; python_version > '3.11'\n"
    assert wheel.require(exact, "1+g1") == exact
    assert wheel.require(exact, "2+g2") == (
        '--find-links ./vendor\nrollcall-firebase[pdf]==2+g2; python_version > "3.11"\n'
    )


NEEDS = (
    "firebase-functions~=0.6.0",
    "pydantic~=2.10",
    "packaging>=24",
    "google-genai~=3.4; extra == 'gemini'",
)


@pytest.mark.parametrize(
    "line",
    [
        "firebase_functions~=0.5.0",  # what `firebase init` writes
        "firebase-functions==0.5.0  # pinned",
        "Firebase.Functions >=0.4, <0.6",
        "pydantic<2",
        "pydantic==2.*,<2.10",
        "packaging==23.2; python_version >= '3.11'",
        "packaging==23.2 \\",
        "pydantic==3.0.0rc1",
        "pydantic===latest",
    ],
)
def test_a_requirement_that_no_version_satisfies_is_told_with_its_line(line: str) -> None:
    ((number, problem),) = conflicts(f"requests\n{line}\n", NEEDS)
    assert number == 2
    assert "leave no version that pip could install. Write `" in problem


@pytest.mark.parametrize(
    "line",
    [
        "firebase-functions",
        "firebase-functions~=0.6",
        "firebase-functions>0.5",
        "pydantic==2.12.3",
        "pydantic<3,!=2.10",
        "pydantic!=2.10.*",
        "pydantic===2.12.3",
        "pydantic==2.12.0rc1",
        "packaging!=24.*",
        "packaging>=20,<30",
        "packaging==23.2; python_version < '3.8'",
        "google-genai==1.0",
        "-r more.txt",
        "# pydantic==1.0",
        "pydantic @ https://example.com/pydantic.whl",
    ],
)
def test_requirements_that_agree_are_none_of_our_business(line: str) -> None:
    assert [*conflicts(f"{line}\n", NEEDS)] == []
