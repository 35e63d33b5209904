"""The planner at whole lines of files: taken out, replaced, put in, by exact replacement."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rollcall.models._offline.files.lines import Deed, Having, NoSuchLine, Numbered, edit
from tests.unit.packs.workspace.offline_kit import Desk, no

At = Callable[..., Desk]
CONTENT = "one\n# TODO: two\n\nfour\nTODOS = 5\n# TODO: six\n"
CART = "shop/cart.py"


@pytest.fixture
def at(tmp_path: Path) -> At:
    def desk(content: str = CONTENT, **more: Any) -> Desk:
        made = Desk.at(tmp_path / "sample", **more)
        (made.folder / "shop").mkdir()
        (made.folder / CART).write_text(content)
        return made

    return desk


REQUESTS: tuple[tuple[str, str], ...] = (
    ("remove line 3 of shop/cart.py", "one\n# TODO: two\nfour\nTODOS = 5\n# TODO: six\n"),
    ("מחק את שורה 3 בקובץ shop/cart.py", "one\n# TODO: two\nfour\nTODOS = 5\n# TODO: six\n"),
    ("pls delete lines 2-4 from cart.py", "one\nTODOS = 5\n# TODO: six\n"),
    ("תמחקי בבקשה את שורות 2 עד 4 מהקובץ cart.py", "one\nTODOS = 5\n# TODO: six\n"),
    ("erase lines 1, 3 and 5 in shop/cart.py", "# TODO: two\nfour\n# TODO: six\n"),
    ("הסר את שורות 1, 3 ו-5 מ-shop/cart.py", "# TODO: two\nfour\n# TODO: six\n"),
    ("delete the last line of shop/cart.py", "one\n# TODO: two\n\nfour\nTODOS = 5\n"),
    ("תורידי את השורה האחרונה ב-shop/cart.py", "one\n# TODO: two\n\nfour\nTODOS = 5\n"),
    ("drop the first two lines of shop/cart.py", "\nfour\nTODOS = 5\n# TODO: six\n"),
    ("מחק את שתי השורות הראשונות של shop/cart.py", "\nfour\nTODOS = 5\n# TODO: six\n"),
    ("could u remove the 2nd line in shop/cart.py", "one\n\nfour\nTODOS = 5\n# TODO: six\n"),
    ("delete all TODO lines from shop/cart.py", "one\n\nfour\nTODOS = 5\n"),
    ("remove every line that mentions TODO in shop/cart.py", "one\n\nfour\nTODOS = 5\n"),
    ("תעיף את כל השורות שמופיע בהן TODO מ-shop/cart.py", "one\n\nfour\nTODOS = 5\n"),
    ("מחקי את כל השורות עם TODO מהקובץ shop/cart.py", "one\n\nfour\nTODOS = 5\n"),
    ("remove the empty lines from shop/cart.py", CONTENT.replace("\n\n", "\n")),
    ("מחק את השורות הריקות מ-shop/cart.py", CONTENT.replace("\n\n", "\n")),
    ("replace line 4 in shop/cart.py with # 4", CONTENT.replace("four", "# 4")),
    ("תחליף את שורה 4 ב-shop/cart.py ב-# ארבע", CONTENT.replace("four", "# ארבע")),
    ('change line 1 of shop/cart.py to "1"', CONTENT.replace("one", "1")),
    ('שני את שורה 1 בקובץ shop/cart.py ל"1"', CONTENT.replace("one", "1")),
    ("replace line 1 of shop/cart.py with: import os", CONTENT.replace("one", "import os")),
    ('insert "x" after line 1 in shop/cart.py', CONTENT.replace("one\n", "one\nx\n")),
    ('תכניס "x" אחרי שורה 1 בקובץ shop/cart.py', CONTENT.replace("one\n", "one\nx\n")),
    ('insert "x" before "four" in shop/cart.py', CONTENT.replace("four", "x\nfour")),
    ('הוסף את השורה "x" לפני "four" בקובץ shop/cart.py', CONTENT.replace("four", "x\nfour")),
    ("add import os at the top of shop/cart.py", f"import os\n{CONTENT}"),
    ('הוסף "import os" בתחילת shop/cart.py', f"import os\n{CONTENT}"),
    ('add "x" as the first line of shop/cart.py', f"x\n{CONTENT}"),
    ('add "x" as the last line of shop/cart.py', f"{CONTENT}x\n"),
    ("insert an empty line after line 1 in shop/cart.py", CONTENT.replace("one", "one\n")),
    ('in shop/cart.py, add "x" below line 4', CONTENT.replace("four\n", "four\nx\n")),
    ("shop/cart.py: remove line 1", CONTENT.removeprefix("one\n")),
)


@pytest.mark.parametrize(("message", "want"), REQUESTS)
def test_lines_are_changed_by_one_exact_replacement_with_a_yes(
    message: str, want: str, at: At
) -> None:
    desk = at()
    desk.say(message)
    assert desk.text(CART) == want
    assert [call.name for call in desk.asked] == ["edit_file"]


def test_without_a_yes_nothing_is_changed_and_that_is_said(at: At) -> None:
    desk = at(says=no)
    assert "You said no" in desk.say("remove line 3 of shop/cart.py")
    assert desk.text(CART) == CONTENT


@pytest.mark.parametrize(
    "message", ["delete all the TODO lines", "תמחק את כל השורות שיש בהן TODO בכל הקבצים"]
)
def test_lines_with_a_word_are_taken_out_of_every_file_that_has_them(message: str, at: At) -> None:
    desk = at()
    desk.say(message)
    left = [path.read_text() for path in desk.folder.rglob("*") if path.suffix in (".py", ".md")]
    assert not any("TODO:" in text or "TODO " in text for text in left)
    assert desk.text(CART) == "one\n\nfour\nTODOS = 5\n"
    assert {call.name for call in desk.asked} == {"edit_file"}


@pytest.mark.parametrize(
    "message",
    [
        "replace line 4 in shop/cart.py with something nicer",
        "change line 4 of shop/cart.py to be shorter",
        "add a comment after line 1 in shop/cart.py",
        "insert error handling before line 4 of shop/cart.py",
        "תשנה את שורה 4 ב-shop/cart.py למשהו יפה יותר",
        "תוסיפי הערה אחרי שורה 1 בקובץ shop/cart.py",
        "delete the long lines from shop/cart.py",
        "תחליף את שורה 1 במשהו אחר",
        "swap line 1 and line 4 in shop/cart.py",
        "תחליף בין שורה 1 לשורה 4 ב-shop/cart.py",
    ],
)
def test_a_line_that_is_only_described_is_not_made_up(message: str, at: At) -> None:
    desk = at()
    assert "GEMINI_API_KEY" in desk.say(message)
    assert desk.called == []


@pytest.mark.parametrize(
    "message", ["delete line 7 of shop/cart.py", "מחק את שורה 7 ב-shop/cart.py"]
)
def test_a_line_beyond_the_end_is_said_not_to_be_there(message: str, at: At) -> None:
    desk = at()
    answer = desk.say(message)
    assert "6 lines" in answer or "6 שורות" in answer
    assert desk.asked == []


def test_of_several_lines_none_is_taken_where_one_was_meant(at: At) -> None:
    desk = at()
    answer = desk.say("remove the TODO line from shop/cart.py")
    assert "several lines of `shop/cart.py` (2, 6), so nothing was changed" in answer
    assert desk.asked == []


def test_a_word_is_a_line_s_where_it_stands_by_itself(at: At) -> None:
    desk = at("import os\n# TODO: discounts\nTODOS = 1\n")
    desk.say("מחק את שורת ה-TODO מ-shop/cart.py")
    assert desk.text(CART) == "import os\nTODOS = 1\n"


def test_the_last_line_is_taken_out_with_the_break_before_it(at: At) -> None:
    desk = at("import os\nos\n# TODO")
    desk.say("remove the TODO line from shop/cart.py")
    assert desk.text(CART) == "import os\nos"


def test_the_file_spoken_of_last_is_meant_and_else_it_is_asked(at: At) -> None:
    desk = at()
    assert desk.say("remove line 1") == "In which file?"
    desk.say("shop/cart.py")
    assert desk.text(CART) == CONTENT.removeprefix("one\n")
    desk.say("ואז מחק את שורה 1")
    assert desk.text(CART) == CONTENT.removeprefix("one\n# TODO: two\n")


def test_the_edit_is_there_once_and_changes_these_lines_alone() -> None:
    dice = random.Random(7)
    for _ in range(400):
        lines = [dice.choice(["a\n", "b\n", "\n", "aa\n"]) for _ in range(dice.randint(1, 9))]
        content = "".join(lines).removesuffix("\n" if dice.random() < 0.3 else "")
        count = len(content.splitlines(keepends=True))
        if not count:
            continue
        at_ = sorted(dice.sample(range(count), dice.randint(1, count)))
        old, new = edit(content, at_, Deed.REMOVE)
        kept = [line for at, line in enumerate(content.splitlines(keepends=True)) if at not in at_]
        want = "".join(kept)
        if at_[-1] == count - 1 and not content.endswith("\n"):
            want = want.removesuffix("\n")
        assert content.count(old) == 1
        assert content.replace(old, new) == want, json.dumps([content, at_])


def test_line_breaks_stay_as_the_file_has_them() -> None:
    assert edit("a\r\nb\r\n", [0], Deed.AFTER, "x\ny") == ("a\r\n", "a\r\nx\r\ny\r\n")
    assert edit("a\nb", [1], Deed.AFTER, "x") == ("b", "b\nx")


def test_places_are_counted_from_either_end() -> None:
    lines = ["a\n", "TODO\n", "b\n", "TODO b\n"]
    assert Numbered(((1, 2), (4, 4))).places(lines) == [0, 1, 3]
    assert Numbered(((-2, -1),)).places(lines) == [2, 3]
    assert Having("TODO").places(lines) == [1]
    assert Having("TODO", every=True).places(lines) == [1, 3]
    with pytest.raises(NoSuchLine) as error:
        Numbered(((3, 5),)).places(lines)
    assert error.value.number == 5


@pytest.mark.parametrize(
    "repeated", ["all the ", "every line ", "the text word ", "1, 2, ", "after line ", "ב ", "עוד "]
)
def test_many_words_that_may_mean_lines_take_no_time(repeated: str, at: At) -> None:
    desk = at()
    started = time.monotonic()
    for size in (900, 30_000):
        desk.say(f"delete {repeated * (size // len(repeated))}")
    assert time.monotonic() - started < 5
    assert desk.asked == []
