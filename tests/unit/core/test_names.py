"""Names in Hebrew and in Latin letters."""

import pytest

from rollcall.core.names import same_name, spellings_in


@pytest.mark.parametrize(
    ("hebrew", "latin"),
    [
        ("דן", "Dan"),
        ("שי", "Shai"),
        ("קרול", "Carol"),
        ("איתן", "Eitan"),
        ("אורי", "Uri"),
        ("דוד", "David"),
        ("משה", "Moshe"),
        ("חיים", "Chaim"),
        ("יוסי", "Yossi"),
        ("גיא", "Guy"),
        ("ויקטור", "Victor"),
        ("מייק", "Mike"),
        ("רינה חדד", "Rina Hadad"),
    ],
)
def test_a_name_is_the_same_in_both_scripts(hebrew: str, latin: str) -> None:
    assert same_name(hebrew, latin) and same_name(latin.lower(), hebrew)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("דיון", "Dan"),
        ("דין", "Dan"),
        ("דנה", "Dan"),
        ("דן", "Dana"),
        ("עדן", "Dan"),
        ("שיר", "Sarah"),
        ("כן", "Ken"),
        ("תום", "time"),
        ("דן", "דן"),
        ("Dan", "Dan"),
        ("דן לוי", "Dan"),
        ("", ""),
        ("א" * 200, "a" * 200 + "!"),
    ],
)
def test_other_words_are_no_spelling_of_a_name(one: str, other: str) -> None:
    assert not same_name(one, other)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Maya", "שלחי למאיה שאני מאחרת", ["למאיה"]),
        ("דן", "tell Dan that I'm late", ["Dan"]),
        ("דן", "it was done in a den", []),
        ("Maya", "tell Maya", []),
    ],
)
def test_a_name_is_found_in_a_text_of_the_other_script(
    name: str, text: str, found: list[str]
) -> None:
    assert spellings_in(name, text) == found


def test_rare_spellings_count_where_they_may() -> None:
    assert spellings_in("Omer", "שלחי לאמיר") == ["לאמיר"]
    assert spellings_in("Omer", "שלחי לאמיר", is_close=True) == []
