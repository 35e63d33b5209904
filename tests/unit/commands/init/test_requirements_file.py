from __future__ import annotations

from rollcall.commands.init import wheel
from rollcall.commands.init.wheel import require


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
    assert wheel.asks_for(text, "1+g1")
    assert not wheel.asks_for(text, "2+g2")
