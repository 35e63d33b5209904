"""The word search over tools."""

from __future__ import annotations

import random
import re
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.registry.index import (
    Index,
    Match,
    Searchable,
    Trigrams,
    context_words,
    message_words,
    words,
)
from tests.support.for_every import for_every
from tests.support.full_form import amount

MANY = amount(2_000, full=10_000)
TOOLS = [
    Searchable(
        "calculate_voltage_drop",
        names=("Voltage drop", "מפל מתח"),
        description="Estimate the voltage lost along a copper run.",
        keywords=("wire", "כבל"),
        parameters=(("lengthFt", "One-way length of the run, in feet."),),
    ),
    Searchable(
        "getUserConversations",
        names=("Conversations", "שיחות"),
        description="List the conversations of a user.",
        examples=("who did I talk to?",),
    ),
    Searchable(
        "send_whatsapp",
        names=("Send WhatsApp",),
        description="Send a message over WhatsApp.",
        keywords=("וואטסאפ",),
    ),
    Searchable(
        "math.factorial",
        description="Compute the factorial of a number.",
        parameters=(("number", "The number."), ("unit", "Unit: celsius, fahrenheit.")),
    ),
    Searchable("budget_report", names=("דוח תקציב",), description="Sum up a budget by month."),
]
INDEX = Index.build(TOOLS)
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


def search_ids(text: str, index: Index = INDEX, tools: list[Searchable] = TOOLS) -> list[str]:
    return [tools[match.place].id for match in index.search(text, limit=5)]


@pytest.mark.parametrize(
    ("asked", "tool"),
    [
        ("what is the voltage drop over 100 feet", "calculate_voltage_drop"),
        ("user conversations", "getUserConversations"),
        ("the factorials of 5", "math.factorial"),
        ("temperature in Fahrenheit", "math.factorial"),
        ("who have I talked to", "getUserConversations"),
        ("budgets", "budget_report"),
    ],
)
def test_every_field_finds_its_tool(asked: str, tool: str) -> None:
    assert search_ids(asked)[0] == tool


@pytest.mark.parametrize(
    ("asked", "tool"),
    [
        ("מה מפל המתח בכבלים?", "calculate_voltage_drop"),
        ("תַּקְצִיב", "budget_report"),
        ("כשבתקציבים", "budget_report"),
        ("תשלח לו ב-WhatsApp", "send_whatsapp"),
        ("הודעה בוואטסאפ", "send_whatsapp"),
        ("עם מי היו השיחות", "getUserConversations"),
    ],
)
def test_hebrew_finds_tools_through_prefixes_niqqud_and_mixed_scripts(
    asked: str, tool: str
) -> None:
    assert search_ids(asked)[0] == tool


def test_word_of_place_finds_its_tool() -> None:
    hours = Searchable("opening_hours", description="List when the shops of a chain open.")
    places = Searchable("find_places", description="List the shops near an address.")
    tools = [hours, places]
    assert search_ids("which shops are near?", Index.build(tools), tools)[0] == "find_places"
    assert search_ids("what is near?", Index.build(tools), tools) == ["find_places"]


def test_gershayim_do_not_split_an_acronym() -> None:
    index = Index.build([Searchable("a", names=('דו"ח',)), Searchable("b", names=("חשבון",))])
    assert [match.place for match in index.search("הדו״ח", limit=2)] == [0]


@pytest.mark.parametrize("word", ["café", "погода", "天気", "الطقس", "ημέρα"])
def test_other_languages_find_their_exact_words(word: str) -> None:
    index = Index.build([Searchable("other"), Searchable("x", description=f"about {word}")])
    assert [match.place for match in index.search(word, limit=2)] == [1]


def test_small_talk_finds_nothing() -> None:
    assert search_ids("hi there, how are you?") == []
    assert search_ids("תודה לך, זה הכול") == []


@pytest.mark.parametrize(
    "asked",
    [
        "Calculate the voltage drop along the copper wire run, then list conversations",
        "חשב את מפל המתח בכבל voltage copper run wire, ואחר כך הצג שיחות user",
        "calculate the voltage drop along the copper wire run and also the conversations list",
    ],
)
def test_of_several_requests_each_raises_its_own_tool(asked: str) -> None:
    words = re.sub(r",|then |and also |ואחר כך ", "", asked)
    second = [match.score for match in INDEX.search(asked, limit=5) if match.place == 1]
    alone = [match.score for match in INDEX.search(words, limit=5) if match.place == 1]
    assert second > alone
    assert search_ids(asked)[:2] == ["calculate_voltage_drop", "getUserConversations"]


def test_a_clause_that_fits_no_tool_is_no_request() -> None:
    said = "the voltage drop of the wire"
    plain, padded = (INDEX.search(text, limit=1) for text in (said, f"{said}, my dear friend"))
    assert [match.score for match in plain] == [match.score for match in padded]


def test_what_a_user_may_not_use_is_gone_before_ranking() -> None:
    allowed = bytearray(len(TOOLS))
    allowed[1] = 1
    matches = INDEX.search("voltage drop conversations", limit=1, allowed=allowed)
    assert [match.place for match in matches] == [1]


def test_a_mask_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="allowed"):
        INDEX.search("voltage", limit=1, allowed=b"\1")


def test_the_threads_messages_are_weaker_evidence() -> None:
    matches = INDEX.search("and the budget?", limit=5, context=["the voltage drop please"])
    assert [TOOLS[match.place].id for match in matches] == [
        "budget_report",
        "calculate_voltage_drop",
    ]


def test_tools_of_one_score_keep_their_order() -> None:
    index = Index.build([Searchable(f"t{n}", description="the same words") for n in range(50)])
    assert [m.place for m in index.search("same words", limit=10)] == list(range(10))


def test_the_same_tools_give_the_same_bytes() -> None:
    assert Index.build(TOOLS).dump() == INDEX.dump()


def test_a_loaded_index_answers_like_the_one_that_was_built() -> None:
    loaded = Index.load(INDEX.dump())
    for text in ("voltage drop", "שיחות עם WhatsApp", "number", ""):
        assert loaded.search(text, limit=5) == INDEX.search(text, limit=5)
    assert loaded.dump() == INDEX.dump()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"{}",
        lambda data: data[:-10],
        lambda data: data[:40] + b"\0\0\0" + data[43:],
        lambda data: data + data,
    ],
)
def test_damaged_and_foreign_bytes_are_refused(damage) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="index"):
        Index.load(damage(INDEX.dump()))


def test_nothing_is_found_in_nothing() -> None:
    empty = Index.load(Index.build([]).dump())
    assert empty.search("voltage", limit=5) == []
    assert INDEX.search("", limit=5) == INDEX.search("voltage", limit=0) == []


def test_a_pasted_document_costs_no_more_than_its_ends() -> None:
    filler = " ".join(f"word{n}" for n in range(12_000))
    assert len(filler) > 100_000
    assert search_ids(f"{filler} what is the voltage drop?")[0] == "calculate_voltage_drop"
    assert search_ids(f"what is the voltage drop? {filler}")[0] == "calculate_voltage_drop"
    assert search_ids(f"{filler[:50_000]} voltage {filler[:50_000]}") == []


def test_fit_grows_with_what_speaks_for_a_tool_and_stays_below_1() -> None:
    (weak, *_), (strong, *_) = (
        INDEX.search(text, limit=1) for text in ("how long is the run?", "voltage drop of a wire")
    )
    assert TOOLS[weak.place].id == TOOLS[strong.place].id == "calculate_voltage_drop"
    assert 0 < weak.fit < 0.5 < strong.fit < 1


def test_words_of_no_tool_leave_the_fit_as_it_is() -> None:
    (alone, *_), (among, *_) = (
        INDEX.search(text, limit=1) for text in ("voltage drop", "voltage drop 123 xylophones")
    )
    assert alone.fit == among.fit


def test_the_share_of_a_message_is_large_where_it_says_nothing_else() -> None:
    index = Index.build([Searchable(f"{verb}_wire") for verb in ("cut", "draw", "find", "test")])
    (alone, *others), (among, *_) = (
        index.search(text, limit=4) for text in ("the wires", "wires for a xylophone")
    )
    assert alone.fit < 0.05 < 0.3 < alone.share <= 1
    assert [each.share for each in others] == [alone.share] * 3
    assert among.share < 0.1


def test_the_share_is_of_the_message_alone() -> None:
    (before, *_) = INDEX.search("thanks a lot", limit=1, context=["sum up my budget"])
    assert before.share == 0
    (said, *_) = INDEX.search("budget", limit=1, context=["sum up my budget"])
    assert said.share == pytest.approx(INDEX.search("budget", limit=1)[0].share)


def test_lead_says_how_far_behind_what_may_not_be_offered_a_tool_is() -> None:
    said = "send a whatsapp message to the user"
    everyone = {match.place: match for match in INDEX.search(said, limit=5)}
    [alone] = INDEX.search(said, limit=5, allowed=bytes([0, 1, 0, 0, 0]))
    assert everyone[2].lead == 1.0
    assert 0 < alone.lead == everyone[1].lead < 0.5


def test_fit_is_of_the_message_alone() -> None:
    (alone, *_), (said, *_) = (
        INDEX.search("budget", limit=1, context=context) for context in ((), ["sum up my budget"])
    )
    assert alone.fit == pytest.approx(said.fit)
    (before, *_) = INDEX.search("thanks a lot", limit=1, context=["sum up my budget"])
    assert before.fit == 0


def test_a_word_written_alike_finds_but_less() -> None:
    (right, *_), (wrong, *_) = (
        INDEX.search(text, limit=1) for text in ("conversations", "converzations")
    )
    assert right.place == wrong.place
    assert wrong.score < right.score


def test_what_is_like_an_unknown_word_is_looked_up_once_however_much_it_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_up: list[str] = []
    similar = Trigrams.similar

    def counted(trigrams: Trigrams, word: str) -> list[tuple[int, float]]:
        looked_up.append(word)
        return similar(trigrams, word)

    monkeypatch.setattr(Trigrams, "similar", counted)
    index = Index.load(INDEX.dump())
    asked = index.search("converzations", limit=1)
    after = index.search("and since when?", limit=1, context=["converzations"])
    assert looked_up.count("converz") == 1
    assert after[0].place == asked[0].place
    assert after[0].score < asked[0].score


def test_of_two_alike_the_tool_that_needs_less_comes_first() -> None:
    index = Index.build([Searchable("convert", required=5), Searchable("convert", required=1)])
    assert [match.place for match in index.search("convert", limit=2)] == [1, 0]


_texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
_pools = st.lists(
    st.builds(
        Searchable,
        id=st.sampled_from(WORDS),
        description=_texts,
        keywords=st.tuples(st.sampled_from(WORDS)),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(_pools, _texts, st.data())
def test_authorising_first_equals_filtering_the_whole_ranking(
    pool: list[Searchable], text: str, data: st.DataObject
) -> None:
    index = Index.build(pool)
    allowed = bytes(data.draw(st.lists(st.booleans(), min_size=len(pool), max_size=len(pool))))
    limit = data.draw(st.integers(0, 5))
    everything = index.search(text, limit=len(pool) + 1)
    assert (
        index.search(text, limit=limit, allowed=allowed)
        == [match for match in everything if allowed[match.place]][:limit]
    )


@pytest.fixture(scope="module")
def many() -> Index:
    """Thousands of tools out of 3,000 words, common ones common."""
    draw = random.Random(7)
    words = [f"w{n:x}" for n in range(3_000)]
    sums = list(accumulate(1 / (n + 1) for n in range(len(words))))
    return Index.build(
        [
            Searchable(
                f"tool_{n}", description=" ".join(draw.choices(words, cum_weights=sums, k=25))
            )
            for n in range(MANY)
        ]
    )


@pytest.mark.long
@settings(max_examples=amount(10, full=25), deadline=None)
@given(st.lists(st.integers(0, 200), min_size=1, max_size=12), st.integers(1, 20))
def test_reading_less_of_thousands_of_tools_changes_nothing(
    many: Index, numbers: list[int], limit: int
) -> None:
    text = " ".join(f"w{n:x}" for n in numbers)
    everything: list[Match] = many.search(text, limit=MANY)
    assert many.search(text, limit=limit) == everything[:limit]


@for_every(
    ("forms", "stem"),
    [
        (("city", "cities", "city's"), "city"),
        (("book", "books", "booked", "booking"), "book"),
        (("planned", "planning", "plan"), "plan"),
        (("rate", "rates", "rated", "rating"), "rat"),
        (("estimate", "estimates", "estimated", "estimating"), "estimat"),
        (("convert", "converts", "converted"), "convert"),
        (("classes", "class"), "class"),
        (("shipment", "shipments", "ship"), "ship"),
        (("status",), "status"),
        (("analysis",), "analysis"),
        (("sing",), "sing"),
    ],
)
def test_plain_endings_do_not_part_english_words(forms: tuple[str, ...], stem: str) -> None:
    assert {word for form in forms for word in words(form)} == {stem}


def test_names_are_split_and_little_words_dropped() -> None:
    assert words("getUserName of the user_profile") == ["user", "nam", "user", "profil"]


def test_hebrew_words_lose_prefixes_niqqud_and_final_letters() -> None:
    assert words("בַּתקציבים ושל ה-WhatsApp")[0] == words("תקציב")[0]
    assert "whatsapp" in words("ב-WhatsApp")


def test_words_that_ask_for_anything_count_less() -> None:
    said = message_words("Please show me the forecast")
    assert said["forecast"] == 1
    assert set(said.values()) == {1.0, 0.7}


def test_what_was_said_before_counts_less_and_less() -> None:
    said = context_words(["budget", "invoice and budget", "a", "b", "salary"])
    assert 1 > said["budget"] > said["invoic"] > 0
    assert "salary" not in said and "salari" not in said


def test_a_long_message_is_read_at_its_ends() -> None:
    said = message_words("forecast " + "x " * 50_000 + "weather")
    assert {"forecast", "weather"} <= said.keys()
    assert "middle" not in message_words("a " * 5_000 + "middle" + " a" * 5_000)


@pytest.mark.parametrize(
    ("word", "like"),
    [("investor", "invest"), ("forcast", "forecast"), ("תקציבאי", "תקציב"), ("погоды", "погода")],
)
def test_words_written_alike_are_near(word: str, like: str) -> None:
    known = ["invest", "forecast", "תקציב", "погода", "music"]
    assert [known[number] for number, _ in Trigrams(known).similar(word)] == [like]


def test_the_most_alike_come_first_and_a_word_is_not_near_itself() -> None:
    known = ["conversation", "conversion", "conserve", "convert", "conversational", "tax"]
    near = Trigrams(known).similar("conversation")
    assert 0 not in dict(near) and 5 not in dict(near)
    assert [share for _, share in near] == sorted((share for _, share in near), reverse=True)
    assert all(0 < share < 1 for _, share in near)
    assert len(near) <= 3


_letters = st.text("abcinot", min_size=1, max_size=9)


def _dice(word: str, other: str) -> float:
    pieces, others = (
        {f"^{each}$"[at : at + 3] for at in range(len(each))} for each in (word, other)
    )
    return 2 * len(pieces & others) / (len(pieces) + len(others))


@given(st.lists(_letters, max_size=60, unique=True), _letters)
def test_what_is_near_is_what_comparing_with_every_word_finds(known: list[str], word: str) -> None:
    alike = [(number, _dice(word, other)) for number, other in enumerate(known)]
    expected = sorted(
        (each for each in alike if 0.4 <= each[1] < 1), key=lambda each: (-each[1], each[0])
    )
    assert Trigrams(known).similar(word) == expected[:3]


def test_numbers_are_like_nothing() -> None:
    assert Trigrams(["2023", "sha256", "share"]).similar("2024") == []
    assert Trigrams(["sha256"]).similar("sha256sum") == []


@pytest.mark.parametrize("word", ["", "a", "é", "x" * 100_000])
def test_any_word_may_be_asked_for(word: str) -> None:
    assert Trigrams([]).similar(word) == []
    assert Trigrams(["a", "music"]).similar(word) == []
