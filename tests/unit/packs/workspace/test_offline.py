"""The planner at work on the sample folder, with the workspace's tools on the client's side."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rollcall.core.messages import ToolCall, ToolMessage, ToolResult
from rollcall.models._offline.files.project import Project, commands, runs_tests
from tests.support.rules import for_every
from tests.unit.packs.workspace.offline_kit import TOOLS, Desk, leads_to, no
from tests.unit.packs.workspace.phrasings import (
    MODEL,
    PHRASINGS,
    TESTS,
    Call,
    edited,
    found,
    listed,
    ran,
    read,
    wrote,
)

Ask = tuple[str, tuple[Call, ...] | str]
At = Callable[..., Desk]

ENGLISH: tuple[Ask, ...] = (
    ("Which files are here?", (listed(),)),
    ("what's in the basket folder?", (listed(path="basket"),)),
    ("show me the project structure", (listed(depth=5),)),
    ("show the directory tree two levels deep", (listed(depth=2),)),
    ("read pyproject.toml", (read("pyproject.toml"),)),
    ("what's in prices.py", (listed(depth=5), read("basket/prices.py"))),
    (
        "read basket/prices.py and basket/receipt.py",
        (read("basket/prices.py"), read("basket/receipt.py")),
    ),
    (
        "show me lines 5-9 of basket/prices.py",
        (read("basket/prices.py", startLine=5, endLine=9),),
    ),
    ("how many lines does basket/prices.py have?", (read("basket/prices.py"),)),
    ('search for "TODO" in notes', (found("TODO", path="notes"),)),
    ("look for 'agorot' in python files", (found("agorot", glob="*.py"),)),
    ("which files import unittest?", (found("unittest"),)),
    ("where do we use DISCOUNT_FROM?", (found("DISCOUNT_FROM"),)),
    ("find the file receipt.py", (listed(depth=5),)),
    ("rename shekels to as_shekels", (edited("basket/receipt.py", "shekels", "as_shekels"),)),
    (
        "can you change DISCOUNT_PERCENT to DISCOUNT_RATE in all files?",
        (edited("basket/prices.py", "DISCOUNT_PERCENT", "DISCOUNT_RATE"),),
    ),
    (
        'in basket/receipt.py, replace "Total" with "Sum"',
        (read("basket/receipt.py"), edited("basket/receipt.py", "Total", "Sum")),
    ),
    (
        "replace 800 with 900 in tests/test_prices.py and run the tests",
        (edited("tests/test_prices.py", "800", "900"), TESTS),
    ),
    ('create a file called todo.txt containing "ring Dana"', (wrote("todo.txt", "ring Dana\n"),)),
    (
        "create notes/a.md with the following content:\n# Hello\n\nSome text",
        (wrote("notes/a.md", "# Hello\n\nSome text\n"),),
    ),
    (
        'create hello.py:\n```python\nprint("hello")\n```\nand then run `python3 hello.py`',
        (wrote("hello.py", 'print("hello")\n'), ran("python3 hello.py")),
    ),
    ("make an empty file basket/extra.py", (wrote("basket/extra.py", ""),)),
    ("do the tests pass?", (TESTS,)),
    ("run: echo one && echo two", (ran("echo one && echo two"),)),
    ("execute the command `ls basket`", (ran("ls basket"),)),
    ("add a function that counts lines", MODEL),
    ("fix the bug in prices.py", MODEL),
    ("refactor basket/receipt.py", MODEL),
    ("write tests for receipt.py", MODEL),
    ("explain what basket/prices.py does", MODEL),
    ("create calc.py with a function that adds two numbers", MODEL),
)
HEBREW: tuple[Ask, ...] = (
    ("אילו קבצים יש כאן?", (listed(),)),
    ("מה יש בתיקייה basket?", (listed(path="basket"),)),
    ("הצג את מבנה הפרויקט", (listed(depth=5),)),
    ("תראה לי את הקבצים ב-tests", (listed(path="tests"),)),
    ("קרא את README.md", (read("README.md"),)),
    ("הראי לי את prices.py", (listed(depth=5), read("basket/prices.py"))),
    (
        "פתח את basket/prices.py ואת basket/receipt.py",
        (read("basket/prices.py"), read("basket/receipt.py")),
    ),
    (
        "הצג את שורות 5 עד 9 של basket/prices.py",
        (read("basket/prices.py", startLine=5, endLine=9),),
    ),
    ("כמה שורות יש ב-basket/prices.py?", (read("basket/prices.py"),)),
    ('חפשי "TODO" בתיקייה notes', (found("TODO", path="notes"),)),
    ('היכן מופיע הטקסט "סך הכול"?', (found("סך הכול"),)),
    ("באילו קבצים מופיע unittest?", (found("unittest"),)),
    ("איפה משתמשים ב-DISCOUNT_FROM?", (found("DISCOUNT_FROM"),)),
    ("איפה הקובץ plans.md?", (listed(depth=5),)),
    ("שנה את השם של shekels ל-as_shekels", (edited("basket/receipt.py", "shekels", "as_shekels"),)),
    (
        "אפשר לשנות את DISCOUNT_PERCENT ל-DISCOUNT_RATE בכל הקבצים?",
        (edited("basket/prices.py", "DISCOUNT_PERCENT", "DISCOUNT_RATE"),),
    ),
    (
        'בקובץ basket/receipt.py החלף את "Total" ב-"Sum"',
        (read("basket/receipt.py"), edited("basket/receipt.py", "Total", "Sum")),
    ),
    (
        "החלף 800 ב-900 בקובץ tests/test_prices.py והרץ את הבדיקות",
        (edited("tests/test_prices.py", "800", "900"), TESTS),
    ),
    ('צור קובץ בשם todo.txt עם התוכן "להתקשר לדנה"', (wrote("todo.txt", "להתקשר לדנה\n"),)),
    (
        "תיצור את הקובץ notes/a.md עם התוכן:\n# שלום\n\nטקסט",
        (wrote("notes/a.md", "# שלום\n\nטקסט\n"),),
    ),
    (
        'צור קובץ hello.py:\n```python\nprint("שלום")\n```\nואז הרץ `python3 hello.py`',
        (wrote("hello.py", 'print("שלום")\n'), ran("python3 hello.py")),
    ),
    ("צרי קובץ ריק basket/extra.py", (wrote("basket/extra.py", ""),)),
    ("האם הבדיקות עוברות?", (TESTS,)),
    ("הרץ: echo one && echo two", (ran("echo one && echo two"),)),
    ("הריצי את הפקודה `ls basket`", (ran("ls basket"),)),
    ("הרץ \u2068`ls basket`\u2069", (ran("ls basket"),)),
    ("הוסף פונקציה שסופרת שורות", MODEL),
    ("תקן את הבאג ב-prices.py", MODEL),
    ("שכתבי את basket/receipt.py", MODEL),
    ("כתבי בדיקות ל-receipt.py", MODEL),
    ("הסבר מה עושה basket/prices.py", MODEL),
    ("צור את calc.py עם פונקציה שמחברת שני מספרים", MODEL),
)


@pytest.fixture
def at(tmp_path: Path) -> At:
    return lambda **more: Desk.at(tmp_path / "sample", **more)


@pytest.mark.parametrize(("message", "want"), [*ENGLISH, *HEBREW, *PHRASINGS])
def test_a_request_leads_to_its_calls_and_to_no_other_write(
    message: str, want: tuple[Call, ...] | str, at: At
) -> None:
    answer = leads_to(at(), message, want)
    is_hebrew = any("א" <= char <= "ת" for char in message)
    assert any("א" <= char <= "ת" for char in answer.split("```")[0][:200]) >= is_hebrew


def test_a_name_is_changed_in_all_files_that_have_it_and_in_no_longer_name(at: At) -> None:
    desk = at()
    answer = desk.say("Rename total_price to basket_total in all files")
    edits = [hop for hop in desk.calls if hop[0].name == "edit_file"]
    assert len(edits) == 1 and len(edits[0]) == 5  # side by side
    assert len(desk.asked) == 5
    assert "5 files" in answer and "10 places" in answer and "`subtotal_price`" in answer
    assert "def basket_total(" in desk.text("basket/prices.py")
    assert "subtotal_price, basket_total" in desk.text("basket/receipt.py")
    everything = "".join(path.read_text() for path in desk.folder.rglob("*.*") if path.is_file())
    assert "subbasket" not in everything
    assert everything.count("total_price") == everything.count("subtotal_price")


def test_what_was_renamed_still_works(at: At) -> None:
    desk = at()
    desk.say("in basket/prices.py replace `> DISCOUNT_FROM` with `>= DISCOUNT_FROM`")
    answer = desk.say("rename the function receipt to make_receipt everywhere and run the tests")
    assert "The tests pass." in answer
    assert "from basket.receipt import make_receipt" in desk.text("tests/test_receipt.py")


@pytest.mark.parametrize(
    "message",
    [
        "In basket/prices.py replace `> DISCOUNT_FROM` with `>= DISCOUNT_FROM` and run the tests",
        "in basket/prices.py, change `> DISCOUNT_FROM` to `>= DISCOUNT_FROM`. Then run the tests.",
        "בקובץ basket/prices.py החלף את `> DISCOUNT_FROM` ב-`>= DISCOUNT_FROM` והרץ את הבדיקות",
        "בקובץ basket/prices.py, החליפי `> DISCOUNT_FROM` ב-`>= DISCOUNT_FROM` ואז הריצי בדיקות",
        "replace in basket/prices.py:\n```\n    if line.quantity > DISCOUNT_FROM:\n```\nwith:\n"
        "```\n    if line.quantity >= DISCOUNT_FROM:\n```\nand run the tests",
        "החלף בקובץ basket/prices.py:\n```\n    if line.quantity > DISCOUNT_FROM:\n```\nב:\n"
        "```\n    if line.quantity >= DISCOUNT_FROM:\n```\nוהרץ את הבדיקות",
    ],
)
def test_a_mistake_that_is_pointed_out_is_mended_and_the_tests_pass(message: str, at: At) -> None:
    desk = at()
    answer = desk.say(message)
    assert "    if line.quantity >= DISCOUNT_FROM:\n" in desk.text("basket/prices.py")
    assert "The tests pass." in answer or "הבדיקות עוברות." in answer
    assert [call.name for call in desk.asked] == ["edit_file", "run_command"]


def test_a_name_that_is_taken_is_warned_of_before_anybody_says_yes(at: At) -> None:
    desk = at(says=no)
    answer = desk.say("rename total_price to subtotal_price")
    said = next(message for message in desk.history if getattr(message, "text", "") and desk.calls)
    assert said and "already in use" in answer


def test_a_no_is_told_and_nothing_is_changed(at: At) -> None:
    desk = at(says=no)
    answer = desk.say("rename shekels to nis and then run the tests")
    assert "You said no, so I did not change `basket/receipt.py`." in answer
    assert "is now" not in answer
    assert [call.name for call in desk.asked] == ["edit_file"]  # the tests were not begun
    assert "I did not go on to “run the tests”" in answer
    assert "shekels" in desk.text("basket/receipt.py")


def test_a_no_is_told_in_hebrew_too(at: At) -> None:
    answer = at(says=no).say("שנה את השם shekels ל-nis ואז הרץ את הבדיקות")
    assert "לא אישרת" in answer and "לא המשכתי" in answer and "הוחלף" not in answer


def test_of_several_files_only_those_are_told_as_changed_that_were(at: At) -> None:
    def not_the_readme(call: ToolCall) -> bool:
        return (call.arguments or {}).get("path") != "README.md"

    desk = at(says=not_the_readme)
    answer = desk.say("rename total_price to grand_total")
    assert "in 4 files, at 8 places" in answer
    assert "I did not change `README.md`" in answer
    assert "total_price" in desk.text("README.md")


def test_a_file_that_changes_meanwhile_is_left_alone_and_the_reason_is_told(at: At) -> None:
    desk = at()

    def somebody_writes(call: ToolCall) -> bool:
        path = desk.folder / str((call.arguments or {})["path"])
        path.write_text(path.read_text() + "\n# mine\n")
        return True

    desk.says = somebody_writes
    answer = desk.say('בקובץ basket/receipt.py החלף את "Total" ב-"Sum"')
    assert "לא הצלחתי לשנות את \u2068`basket/receipt.py`\u2069: הקובץ השתנה מאז שנקרא" in answer
    assert '"Total"' in desk.text("basket/receipt.py")


def test_a_text_at_several_places_is_asked_about(at: At) -> None:
    desk = at()
    asked = desk.say("replace WORDS by LABELS in basket/receipt.py and run the tests")
    assert "2 places" in asked and asked.endswith("?") and not desk.asked
    assert desk.quick_replies == ("Yes", "No")
    answer = desk.say("Yes")
    assert "Changed `basket/receipt.py` at 2 places." in answer
    assert [call.name for call in desk.asked] == ["edit_file", "run_command"]


def test_a_no_to_a_question_changes_nothing(at: At) -> None:
    desk = at()
    desk.say("replace WORDS by LABELS in basket/receipt.py")
    assert desk.say("no") == "All right, nothing was changed."
    assert not desk.asked


def test_another_request_is_no_answer_to_a_question(at: At) -> None:
    desk = at()
    desk.say("replace WORDS by LABELS in basket/receipt.py")
    assert "pyproject.toml" in desk.say("which files are here?")


def test_a_file_that_exists_is_replaced_only_after_a_yes(at: At) -> None:
    desk = at()
    asked = desk.say("צור README.md עם התוכן: חדש")
    assert asked == "הקובץ \u2068`README.md`\u2069 כבר קיים. להחליף את כל תוכנו?"
    assert not desk.asked
    assert "הוחלף" in desk.say("כן")
    assert desk.text("README.md") == "חדש\n"


def test_what_is_missing_is_asked_for_one_by_one(at: At) -> None:
    desk = at()
    assert desk.say("create a new file") == "What should the file be called?"
    assert desk.say("todo.txt") == "What should be in `todo.txt`?"
    assert desk.say("buy bread") == "Created `todo.txt` (10 bytes)."


def test_a_line_is_added_at_the_end_of_a_file(at: At) -> None:
    desk = at()
    desk.say('add the line "- call Dana" to notes/plans.md')
    assert desk.text("notes/plans.md").endswith("בקופונים\n- call Dana\n")


def test_it_means_the_file_spoken_of_last(at: At) -> None:
    desk = at()
    desk.say("create notes.txt with: buy milk")
    assert "buy milk" in desk.say("show it")
    desk.say("search for TODO")
    assert "# Plans" in desk.say("open the second one")


def test_a_command_is_run_again(at: At) -> None:
    desk = at()
    desk.say("run echo hi")
    assert "hi" in desk.say("run it again")
    assert desk.asked[0].arguments == {"command": "echo hi"}


def test_failing_tests_are_told_as_failing_with_the_lines_that_say_so(at: At) -> None:
    answer = at().say("run the tests")
    assert answer.startswith("The tests do not pass. `python3 -m unittest` ended with exit code 1")
    assert "FAIL: test_ten_pieces_are_cheaper" in answer
    assert "AssertionError: 1000 != 950" in answer


def test_a_project_that_does_not_say_how_it_is_tested_is_asked_about(at: At) -> None:
    desk = at()
    for file in (desk.folder / "tests").iterdir():
        file.unlink()
    (desk.folder / "tests").rmdir()
    asked = desk.say("run the tests")
    assert asked == "I can't tell from the files how “test” is run here. Which command is it?"
    answer = desk.say("run `echo all well`")
    assert "`echo all well` ended with exit code 0" in answer


def _unknown_tests(desk: Desk) -> None:
    """Ask for the tests of a project that says two ways to run them."""
    (desk.folder / "package.json").write_text('{"scripts": {"test": "jest"}}')
    assert "Which command do you mean" in desk.say("run the tests")


def test_only_a_command_that_runs_tests_is_told_of_as_tests(at: At) -> None:
    for said in ("run `ls -la`", "run `pwd`", "`ls basket`", "use `echo all well`"):
        desk = at()
        _unknown_tests(desk)
        answer = desk.say(said)
        assert "tests pass" not in answer
        assert "ended with exit code 0" in answer
        shutil.rmtree(desk.folder)
    desk = at()
    _unknown_tests(desk)
    assert "The tests do not pass. `python3 -m unittest`" in desk.say("the second")


def test_a_request_in_place_of_a_command_is_a_new_request(at: At) -> None:
    desk = at()
    _unknown_tests(desk)
    desk.say("list the files in basket")
    assert desk.called == ["list_directory"]


@for_every(
    ("command", "tests"),
    [
        ("pytest -q", True),
        ("python3 -m pytest", True),
        ("python -m unittest", True),
        ("npm test", True),
        ("npx vitest run", True),
        ("make check", True),
        ("cargo test", True),
        ("go test ./...", True),
        ("./run_tests.sh", True),
        ("ls -la", False),
        ("echo tests", False),
        ("git commit -m test", False),
        ("cat tests/test_a.py", False),
        ("make lint", False),
    ],
)
def test_a_test_runner_is_known_by_its_name(command: str, tests: bool) -> None:
    assert runs_tests(command) is tests


@pytest.mark.parametrize(
    "message",
    [
        "run the test test_ten_pieces_are_cheaper only",
        "run only the test test_ten_pieces_are_cheaper",
        "run test_ten_pieces_are_cheaper",
        "run only the test `test_ten_pieces_are_cheaper`",
        "הרץ רק את הבדיקה test_ten_pieces_are_cheaper",
    ],
)
def test_one_test_is_run_alone(message: str, at: At) -> None:
    desk = at()
    answer = desk.say(message)
    command = "python3 -m unittest -k test_ten_pieces_are_cheaper"
    assert [call.arguments for call in desk.asked] == [{"command": command}]
    assert command in answer


def test_where_one_test_cannot_be_run_alone_it_is_said_that_all_were(at: At) -> None:
    desk = at()
    (desk.folder / "Makefile").write_text("test:\n\t@echo fine\n")
    answer = desk.say("run the test test_cart only")
    assert answer.startswith("I don't know how `make test` runs `test_cart` alone")
    assert "`make test` ended with exit code 0" in answer


def test_a_quoted_test_name_brings_no_command_with_it(at: At) -> None:
    desk = at()
    desk.say("run the test `x; echo broken` only")
    assert all("broken" not in str(call.arguments) for call in desk.asked)


@pytest.mark.parametrize(
    "message",
    [
        "remove the second paragraph from notes/plans.md",
        "delete everything after the title in notes/plans.md",
        "מחק את הפסקה השנייה מהקובץ notes/plans.md",
    ],
)
def test_a_change_that_is_not_understood_is_never_read_as_a_wish_to_look(
    message: str, at: At
) -> None:
    desk = at()
    answer = desk.say(message)
    assert "nothing was changed" in answer or "לא שונה דבר" in answer
    assert desk.called == []


def test_names_of_files_are_isolated_in_hebrew_alone(at: At) -> None:
    assert "- \u2068`basket/`\u2069" in at(locale="he").say("אילו קבצים יש כאן?")


def test_names_of_files_are_plain_in_english(at: At) -> None:
    assert "- `basket/`" in at().say("Which files are here?")


def _hebrew_files(desk: Desk) -> None:
    (desk.folder / "מסמכים").mkdir()
    (desk.folder / "מסמכים/קובץ.txt").write_text("שלום לכולם\n")
    (desk.folder / "notes/קובץ.txt").write_text("בוקר, שלום לך\n")


@pytest.mark.parametrize(
    "message",
    [
        "החלף את שלום בברכה בכל הקבצים",
        "החלף את המילה שלום ב-ברכה בכל הקבצים",
        "שנה את השם שלום ל-ברכה",
        "תחליפי את שלום לברכה",
    ],
)
def test_hebrew_words_are_replaced_without_quotes(message: str, at: At) -> None:
    desk = at(locale="he")
    _hebrew_files(desk)
    desk.say(message)
    assert desk.text("מסמכים/קובץ.txt") == "ברכה לכולם\n"
    assert desk.text("notes/קובץ.txt") == "בוקר, ברכה לך\n"


@pytest.mark.parametrize(
    "message",
    [
        "החלף את הצבע בקובץ notes/plans.md",
        "שנה את הפונקציה לאסינכרונית",
        "שנה את השם של הפונקציה בקובץ basket/prices.py",
        "החלף את הכול בבקשה",
    ],
)
def test_hebrew_words_that_name_no_text_are_not_replaced(message: str, at: At) -> None:
    desk = at(locale="he")
    desk.say(message)
    assert desk.asked == []
    assert "search_files" not in desk.called


@pytest.mark.parametrize("message", ["מה יש בתיקייה מסמכים?", "תראה את מסמכים/", "הצג את מסמכים/"])
def test_a_folder_with_a_hebrew_name_is_listed(message: str, at: At) -> None:
    desk = at(locale="he")
    _hebrew_files(desk)
    assert "מסמכים/קובץ.txt" in desk.say(message)
    assert desk.called == ["list_directory"]


def test_a_file_with_a_hebrew_name_in_a_latin_folder_is_read(at: At) -> None:
    desk = at(locale="he")
    _hebrew_files(desk)
    assert "בוקר, שלום לך" in desk.say("הצג את notes/קובץ.txt")


@pytest.mark.parametrize("message", ["מה יש בתיקייה הזאת?", "מה יש בתיקייה הראשית?"])
def test_this_folder_is_the_root(message: str, at: At) -> None:
    desk = at(locale="he")
    desk.say(message)
    assert desk.calls[0][0].arguments in ({}, {"path": "."})


@pytest.mark.parametrize("message", ["which file defines shekels?", "איזה קובץ מגדיר את shekels?"])
def test_a_file_is_asked_for_by_what_it_defines(message: str, at: At) -> None:
    assert "basket/receipt.py:" in at().say(message)


@pytest.mark.parametrize(
    "message",
    [
        "find files that end with .md",
        "which files end in md?",
        'list all files with the extension ".md"',
        "מצא קבצים שמסתיימים ב-.md",
        "הצג את כל הקבצים עם הסיומת md",
    ],
)
def test_files_are_found_by_how_their_names_end(message: str, at: At) -> None:
    desk = at()
    answer = desk.say(message)
    assert "`README.md`" in answer
    assert "`notes/plans.md`" in answer
    assert ".py" not in answer
    assert desk.called == ["list_directory"]


def test_an_ending_that_no_file_has_is_said(at: At) -> None:
    assert "No file's name ends with “.rs”" in at().say("find files that end with .rs")


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("read /etc/passwd", "/etc/passwd"),
        ("show me ~/notes.txt", "~/notes.txt"),
        ('read "/etc/hosts"', "/etc/hosts"),
        ("list the files in /etc", "/etc"),
        ("קרא את /etc/passwd", "/etc/passwd"),
    ],
)
def test_a_path_outside_is_said_to_be_outside(message: str, path: str, at: At) -> None:
    desk = at()
    answer = desk.say(message)
    assert f"`{path}`" in answer
    assert "workspace's root" in answer or "התיקייה הראשית" in answer
    assert desk.called == []


@pytest.mark.parametrize("message", ['look for "/api/users" in python files', 'find "/api/users"'])
def test_a_text_that_looks_like_a_path_outside_is_searched_for(message: str, at: At) -> None:
    desk = at()
    desk.say(message)
    assert desk.called == ["search_files"]


@pytest.mark.parametrize(
    "message",
    ["make a copy of README.md called README2.md", "צור עותק של README.md בשם README2.md"],
)
def test_a_copy_is_offered_as_a_command(message: str, at: At) -> None:
    desk = at()
    desk.say(message)
    assert "cp README.md README2.md" in desk.quick_replies[0]
    assert desk.called == []


def test_what_cannot_be_done_is_said_beside_what_was_done(at: At) -> None:
    answer = at().say("rename shekels to nis and explain receipt.py")
    assert "`shekels` is now `nis`" in answer
    assert "I can't do this: “explain receipt.py”" in answer


def test_files_are_not_moved_or_deleted_but_the_command_for_it_is_offered(at: At) -> None:
    desk = at()
    assert "I have no tool for this" in desk.say("delete notes/plans.md")
    assert desk.quick_replies == ("run `rm notes/plans.md`",)
    assert (desk.folder / "notes/plans.md").exists()
    desk.say(desk.quick_replies[0])
    assert not (desk.folder / "notes/plans.md").exists()


@pytest.mark.parametrize(
    "message",
    [
        'delete the line "- TODO: prices in other currencies" from notes/plans.md',
        'מחק את השורה "- TODO: prices in other currencies" מהקובץ notes/plans.md',
    ],
)
def test_a_line_is_taken_out_of_a_file_and_the_file_stays(message: str, at: At) -> None:
    desk = at()
    leads_to(desk, message, (("edit_file", {"path": "notes/plans.md", "newText": ""}),))
    assert desk.text("notes/plans.md").startswith("# Plans\n\n- שלב")


def test_the_tests_of_one_file_are_run_alone(at: At) -> None:
    answer = at().say("run the tests in tests/test_receipt.py")
    assert "The tests pass. `python3 -m unittest tests/test_receipt.py`" in answer


@pytest.mark.parametrize("message", ["make receipt.py shorter", "כתוב את receipt.py יותר טוב"])
def test_what_a_file_should_be_like_is_not_its_content(message: str, at: At) -> None:
    leads_to(at(), message, MODEL)


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("קרא את מסמכים/פגישה.txt", "מסמכים/פגישה.txt"),
        ("מה כתוב בפגישה.txt?", "מסמכים/פגישה.txt"),
        ("מה יש בתיקיית מסמכים?", "מסמכים"),
    ],
)
def test_a_file_or_folder_with_a_hebrew_name_is_found(message: str, path: str, at: At) -> None:
    desk = at()
    (desk.folder / "מסמכים").mkdir()
    (desk.folder / "מסמכים/פגישה.txt").write_text("שלום\n")
    desk.say(message)
    assert desk.calls[-1][-1].arguments == {"path": path}


@pytest.mark.parametrize("message", ['מחק את "לחם" מקניות.txt', 'הוסף את השורה "ביצים" לקניות.txt'])
def test_a_hebrew_name_is_known_with_a_letter_before_it(message: str, at: At) -> None:
    desk = at()
    (desk.folder / "קניות.txt").write_text("חלב\nלחם\n")
    desk.say(message)
    assert [call.arguments["path"] for call in desk.asked if call.arguments] == ["קניות.txt"]


@pytest.mark.parametrize(
    "message",
    ["חפש תקציב", "חפש את המילה תקציב", "איפה מופיע תקציב?", "באילו קבצים מופיעה המילה תקציב?"],
)
def test_a_hebrew_word_is_searched_for_without_quotes(message: str, at: At) -> None:
    leads_to(at(), message, (found("תקציב"),))


@pytest.mark.parametrize("message", ["חפש את הבאג", "מצא בעיות בקוד"])
def test_what_has_to_be_understood_is_not_searched_for(message: str, at: At) -> None:
    leads_to(at(), message, MODEL)


def test_a_hebrew_name_joined_by_a_hyphen_is_the_name_alone(at: At) -> None:
    assert "mv קניות.txt רשימה.txt" in at().say("שנה את שם הקובץ קניות.txt ל-רשימה.txt")


def test_a_hebrew_content_may_begin_with_any_letter(at: At) -> None:
    desk = at()
    desk.say("צור קובץ חדש.txt עם התוכן: שלום עולם")
    assert desk.text("חדש.txt") == "שלום עולם\n"


@pytest.mark.parametrize(
    "message",
    [
        "run the tests and if they pass create ok.txt with: ok",
        "הרץ את הבדיקות ואם הן עוברות צור קובץ ok.txt",
    ],
)
def test_what_is_wanted_on_a_condition_is_not_done_otherwise(message: str, at: At) -> None:
    desk = at()
    assert "GEMINI_API_KEY" in desk.say(message)
    assert not desk.called


def test_a_folder_may_be_named_before_the_word(at: At) -> None:
    leads_to(at(), "show me the basket directory", (listed(path="basket"),))


def test_a_file_that_is_not_there_is_told(at: At) -> None:
    assert "I could not read `no/such.py`: there is no such file" in at().say("read no/such.py")


def test_a_file_that_is_not_there_is_told_in_hebrew(at: At) -> None:
    answer = at().say("קרא את no/such.py")
    assert "לא הצלחתי לקרוא את \u2068`no/such.py`\u2069: לא נמצא" in answer


def test_a_path_out_of_the_folder_is_refused_and_told(at: At) -> None:
    assert "I could not read `../secret.txt`" in at().say("read ../secret.txt")


def test_a_result_that_is_told_in_short_is_asked_for_again(at: At) -> None:
    desk = at()
    desk.say("read README.md")
    answer = desk.history.pop()
    told = desk.history.pop()
    assert isinstance(told, ToolMessage)
    short = '{"output": {"path": "README.md", "leftOut": "the content; read_file shows it again"}}'
    result = told.results[0]
    desk.history += [ToolMessage((ToolResult(result.call_id, result.name, short),))]
    assert desk._step().tool_calls[0].arguments == {"path": "README.md"}
    assert answer


def test_nothing_is_done_by_other_tools_than_those_for_files(at: At) -> None:
    desk = at(tools=TOOLS[:3])  # a client that only reads
    answer = desk.say("rename shekels to nis")
    assert "This client offers no tool for this" in answer and not desk.called


def test_thanks_and_help_are_answered_without_a_call(at: At) -> None:
    desk = at()
    assert desk.say("thanks!") == "You're welcome!"
    assert "rename a name in all files" in desk.say("what can you do?")
    assert "לשנות שם בכל הקבצים" in desk.say("מה אתה יודע לעשות?")
    assert not desk.called


@for_every(
    ("paths", "texts", "wanted"),
    [
        (("Makefile", "a.py"), {"Makefile": "test:\n\tpytest\n"}, ("make test",)),
        (("package.json",), {"package.json": '{"scripts": {"test": "jest"}}'}, ("npm test",)),
        (
            ("package.json",),
            {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\""}}'},
            (),
        ),
        (
            ("a.py", "pyproject.toml"),
            {"pyproject.toml": "[tool.pytest]"},
            ("python3 -m pytest -q",),
        ),
        (("a.py", "tests", "tests/test_a.py"), {}, ("python3 -m pytest -q",)),
        (("Cargo.toml",), {}, ("cargo test",)),
        (("go.mod",), {}, ("go test ./...",)),
        (
            ("a.py", "pytest.ini", "package.json"),
            {"package.json": '{"scripts": {"test": "vitest"}}'},
            ("npm test", "python3 -m pytest -q"),
        ),
        (("notes.txt",), {}, ()),
        (("package.json",), {"package.json": "not json"}, ()),
    ],
)
def test_the_files_say_how_the_tests_are_run(
    paths: tuple[str, ...], texts: dict[str, str], wanted: tuple[str, ...]
) -> None:
    assert commands("test", Project(paths, texts)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "`" * 32_000,
        "a: " * 10_000,
        "write: `x` " * 3_000,
        "replace " + "a " * 15_000,
        "rename " + "a/" * 15_000,
        "show " + " " * 31_000 + "x",
        "החלף את " + "ב" * 30_000,
        "in " * 10_000,
        "run " + "(" * 30_000,
        '"' * 32_000,
    ],
)
def test_no_message_takes_long(text: str, at: At) -> None:
    desk: Any = at()
    started = time.monotonic()
    desk.say(text)
    assert time.monotonic() - started < 3


def test_a_long_content_is_written_as_it_is(at: At) -> None:
    desk, content = at(), "a: `b` and run the tests\n" * 1_000
    desk.say(f"create long.txt with: {content}")
    assert desk.text("long.txt") == content
