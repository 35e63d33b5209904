"""Messages about files that lean on the one before: once more, the other one, the next lines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.packs.workspace.offline_kit import Desk, leads_to
from tests.unit.packs.workspace.phrasings import listed, read

At = Callable[..., Desk]
PLANS = "notes/plans.md"


@pytest.fixture
def at(tmp_path: Path) -> At:
    def desk(**more: Any) -> Desk:
        return Desk.at(tmp_path / "sample", **more)

    return desk


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("remove line 1 of notes/plans.md", "do it again for README.md"),
        ("remove line 1 of notes/plans.md", "same for README.md"),
        ("remove line 1 of notes/plans.md", "now the same thing in README.md please"),
        ("תמחק את שורה 1 ב-notes/plans.md", "ועכשיו אותו דבר ב-README.md"),
        ("תמחק את שורה 1 ב-notes/plans.md", "וגם ב-README.md"),
    ],
)
def test_the_same_is_done_to_another_file_with_a_yes(first: str, then: str, at: At) -> None:
    desk = at()
    desk.say(first)
    desk.say(then)
    assert desk.text("README.md").startswith("\nAdds up")
    assert [(call.name, (call.arguments or {})["path"]) for call in desk.asked] == [
        ("edit_file", "README.md")
    ]


@pytest.mark.parametrize("then", ["do it again for the other file", "אותו דבר בקובץ השני"])
def test_the_other_file_is_the_other_of_two(then: str, at: At) -> None:
    desk = at()
    for message in ("show README.md", "show notes/plans.md", "remove line 1", then):
        desk.say(message)
    assert desk.text("README.md").startswith("\nAdds up")


def test_of_three_files_none_is_the_other(at: At) -> None:
    desk = at()
    for message in (
        "show README.md",
        "show pyproject.toml",
        "show notes/plans.md",
        "remove line 1",
    ):
        desk.say(message)
    before = desk.text("README.md")
    assert "I don't understand" in desk.say("do it again for the other file")
    assert desk.text("README.md") == before
    assert desk.called == []


@pytest.mark.parametrize(
    "then", ["no, the other file, receipt", "no, I meant receipt", "לא, את receipt"]
)
def test_a_correction_reads_the_other_file(then: str, at: At) -> None:
    desk = at()
    desk.say("show me lines 10-20 of basket/prices.py")
    leads_to(desk, then, (read("basket/receipt.py"),))


@pytest.mark.parametrize("then", ["no, README.md", "לא, README.md"])
def test_a_correction_of_a_write_writes_nothing(then: str, at: At) -> None:
    desk = at()
    desk.say("remove line 1 of notes/plans.md")
    desk.say(then)
    assert desk.asked == []


@pytest.mark.parametrize(
    "then", ["and the next ten", "next 10 lines", "ועוד עשר", "עשר השורות הבאות"]
)
def test_the_next_lines_follow_those_that_were_shown(then: str, at: At) -> None:
    desk = at()
    desk.say("show me lines 1-10 of basket/prices.py")
    leads_to(desk, then, (read("basket/prices.py", startLine=11, endLine=20),))


@pytest.mark.parametrize("then", ["the rest", "more", "המשך"])
def test_the_rest_goes_to_the_end(then: str, at: At) -> None:
    desk = at()
    desk.say("show me lines 1-10 of basket/prices.py")
    leads_to(desk, then, (read("basket/prices.py", startLine=11),))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("which file is the biggest?", "how many lines does it have"),
        ("what's the largest file here", "how many lines are in it?"),
        ("איזה קובץ הכי גדול?", "וכמה שורות יש בו?"),
    ],
)
def test_the_biggest_file_is_told_with_its_size_and_spoken_of_after(
    first: str, then: str, at: At
) -> None:
    desk = at()
    answer = leads_to(desk, first, (listed(depth=5), read("basket/prices.py")))
    assert "741" in answer
    assert "29" in answer
    assert "29" in desk.say(then)


@pytest.mark.parametrize(
    "message", ["find the smallest file in basket", "מה הקובץ הכי קטן בתיקייה basket"]
)
def test_the_smallest_file_of_a_folder_is_told(message: str, at: At) -> None:
    assert "basket/__init__.py" in at().say(message)


@pytest.mark.parametrize(
    "message",
    [
        "rename notes/plans.md to notes/ideas.md",
        "rename notes/plans.md to ideas.md",
        "תשנה את השם של notes/plans.md ל-notes/ideas.md",
    ],
)
def test_a_file_is_renamed_by_a_command_that_is_offered(message: str, at: At) -> None:
    desk = at()
    assert "mv notes/plans.md notes/ideas.md" in desk.say(message)
    assert desk.called == []


@pytest.mark.parametrize(
    "message",
    ["show me the last 3 lines of README.md", "תראה לי את 3 השורות האחרונות של README.md"],
)
def test_the_last_lines_are_shown(message: str, at: At) -> None:
    leads_to(at(), message, (read("README.md", startLine=8, endLine=10),))


@pytest.mark.parametrize(
    "message",
    [
        'put "# end" at the bottom of basket/receipt.py and then show me the last 2 lines',
        'הוסף את השורה "# end" לקובץ basket/receipt.py ותראה לי את 2 השורות האחרונות',
    ],
)
def test_lines_that_are_wanted_after_a_change_are_of_that_file(message: str, at: At) -> None:
    assert "# end" in at().say(message).partition("```")[2]


@pytest.mark.parametrize("message", ["how big is prices.py?", "מה הגודל של prices.py?"])
def test_the_size_of_a_file_is_told_without_its_text(message: str, at: At) -> None:
    answer = at().say(message)
    assert "741" in answer
    assert "DISCOUNT" not in answer
