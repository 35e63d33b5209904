from __future__ import annotations

import pytest
from packaging.requirements import Requirement

from rollcall.commands.init import requirements_file
from rollcall.commands.init.requirements_file import merge

NEEDED = [
    Requirement(line)
    for line in ("firebase-functions~=0.6.0", "pydantic~=2.10", "google-genai~=3.4", "flask>=3")
]


def told(text: str, files: dict[str, str] | None = None) -> list[str]:
    found = requirements_file.conflicts(
        "functions/requirements.txt", text, NEEDED, (files or {}).get
    )
    return [f"{each.line.file}:{each.line.number} {each.needed.name}" for each in found]


def test_our_lines_go_behind_those_of_the_app_which_stay() -> None:
    merged = merge("flask~=3.1  # תגובות\r\nrequests", "0.1.0+g1")
    assert merged.startswith("flask~=3.1  # תגובות\r\nrequests\r\n")
    assert merged.endswith("--find-links ./vendor\r\nrollcall-firebase==0.1.0+g1\r\n")
    assert merge(merged, "0.1.0+g1") == merged


def test_a_new_version_changes_the_version_alone() -> None:
    text = "--find-links ./vendor\nRollcall_Firebase[openai,gemini] == 0.1.0+g1  # ours\nflask\n"
    assert merge(text, "0.2.0+g2") == (
        "--find-links ./vendor\nrollcall-firebase[gemini,openai]==0.2.0+g2  # ours\nflask\n"
    )
    assert requirements_file.extras(text) == {"gemini", "openai"}


def test_a_folder_of_wheels_that_is_missing_is_named_again() -> None:
    assert merge("rollcall-firebase==1\n", "1") == ("--find-links ./vendor\nrollcall-firebase==1\n")
    assert merge("-f vendor/\nrollcall-firebase==1\n", "1") == (
        "-f vendor/\nrollcall-firebase==1\n"
    )


@pytest.mark.parametrize(
    ("line", "conflict"),
    [
        ("firebase_functions~=0.5.0", True),
        ("firebase-functions>=0.5", False),
        ("pydantic==1.10", True),
        ("pydantic==2.11.3", False),
        ("pydantic<2", True),
        ("pydantic>=1.8,<3", False),
        ("pydantic>2.10,<2.10.2", False),
        ("pydantic!=2.10", False),
        ("pydantic==2.9.*", True),
        ("Pydantic[email]~=1.10 ; python_version > '3'", True),
        ("pydantic==1.10; python_version < '3'", False),
        ("flask==2.3", True),
        ("flask", False),
        ("# pydantic==1.10", False),
        ("-e git+https://example.com/x#egg=pydantic", False),
        ("numpy==1.0", False),
    ],
)
def test_lines_that_no_version_meets_are_told(line: str, conflict: bool) -> None:
    assert bool(told(f"requests\n{line}\n")) is conflict


def test_a_conflict_names_the_file_and_line_that_it_stands_in() -> None:
    files = {"functions/base.txt": "\npydantic==1.9\n-r requirements.txt\n"}
    assert told("-r ./base.txt\nflask<3\n", files) == [
        "functions/base.txt:2 pydantic",
        "functions/requirements.txt:2 flask",
    ]


def test_hashes_are_noticed_but_not_in_comments() -> None:
    assert requirements_file.has_hashes("flask==3.1.0 \\\n    --hash=sha256:00\n")
    assert not requirements_file.has_hashes("flask  # no --hash here\n")


def test_a_compiled_file_asks_for_us_with_a_hash() -> None:
    text = "--find-links ./vendor\nrollcall-firebase==1+g1 \\\n    --hash=sha256:00\n"
    assert requirements_file.asks_for(text, "1+g1")
    assert not requirements_file.asks_for(text, "2+g2")
