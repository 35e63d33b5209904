"""Who is meant by a name."""

import pytest

from packs.messaging.people import People, namesakes

TEAM = {"d": "Dana Levi", "o": "Omer Katz", "n": "נועה כהן", "m": "Maya Cohen", "s": "Sarah"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Dana", "d"),
        ("dana levi", "d"),
        ("דנה", "d"),
        ("עומר", "o"),
        ("Noa", "n"),
        ("מאיה", "m"),
        ("שרה", "s"),
    ],
)
def test_a_participant_is_found_by_any_spelling(name: str, expected: str) -> None:
    person = People(TEAM).find(name)
    assert person is not None and person.id == expected


@pytest.mark.parametrize("word", ["לא", "מה", "the", "so", "Bob", ""])
def test_other_words_are_nobody(word: str) -> None:
    assert People(TEAM).find(word) is None


def test_two_of_a_name_are_not_told_apart() -> None:
    assert People({"a": "Dana Levi", "b": "Dana Katz"}).find("Dana") is None
    assert People({"a": "Dana Levi", "b": "Dana Katz"}).find("Dana Katz").id == "b"  # type: ignore[union-attr]


def test_a_call_is_taken_off_the_sentence() -> None:
    person, rest = People(TEAM).addressed("Hey Omer, send it please")
    assert person is not None and person.id == "o"
    assert rest == "send it please"
    person, rest = People(TEAM).addressed("תשלחי לי @נועה את זה")
    assert person is not None and person.id == "n"


def test_a_mention_by_full_name_is_taken_off_whole() -> None:
    people = People({"l": "Noa Levi", "k": "Noa Katz", "d": "Dan"})
    person, rest = people.addressed("@Noa Levi please send the report")
    assert (person and person.id, rest) == ("l", "please send the report")
    person, rest = people.addressed("please check it, @Noa Katz.")
    assert (person and person.id, rest) == ("k", "please check it")
    person, rest = people.addressed("@Dana call the bank")
    assert (person and person.name, rest) == ("Dana", "call the bank")


def test_namesakes_are_all_of_that_name_in_either_script() -> None:
    people = [("a", "Omer Katz"), ("b", "עומר לוי"), ("c", "Dana"), ("a", "Omer Katz")]
    assert namesakes("omer katz", people) == ["a"]
    assert namesakes("Omer", people) == ["a"]
    assert namesakes("עומר", people) == ["b"]
    assert namesakes("דנה", people) == ["c"]
    assert namesakes("", people) == namesakes("Ruth", people) == []


def test_of_names_in_the_other_script_the_closest_counts() -> None:
    hebrew = {"a": "אמיר נאסר", "o": "עומר כץ", "p": "פיטר"}
    assert namesakes("Omer", hebrew.items()) == ["o"]
    assert namesakes("Amir", hebrew.items()) == ["a"]
    assert namesakes("Peter", hebrew.items()) == ["p"]
    latin = {"a": "Amir Nasser", "o": "Omer Katz"}
    assert namesakes("אמיר", latin.items()) == ["a"]
    person = People(hebrew).find("Omer")
    assert person is not None and person.id == "o"
