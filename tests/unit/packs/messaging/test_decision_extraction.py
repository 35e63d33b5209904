"""Extraction of decisions from chats."""

from datetime import UTC, datetime, timedelta

import pytest

from packs.messaging.chat import ChatMessage
from packs.messaging.decision_extraction import extract_decisions
from packs.messaging.findings import Decision

START = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
TEAM = {"d": "Dana Levi", "o": "Omer Katz", "n": "נועה כהן"}


def talk(*lines: tuple[str, str], first: int = 0) -> list[ChatMessage]:
    return [
        ChatMessage(f"m{n}", sender, TEAM[sender], text, START + timedelta(minutes=n))
        for n, (sender, text) in enumerate(lines, start=first)
    ]


def extract(*lines: tuple[str, str]) -> list[Decision]:
    items = extract_decisions(talk(*lines), conversation_id="c", names=TEAM)
    return [item for item in items if item.confidence >= 0.5 or item.superseded_by]


ENGLISH = [
    "We decided to use Postgres for the new service",
    "Let's go with the blue logo",
    "Final decision: we launch on Monday",
    "The budget was approved by the board",
    "We agreed to postpone the release by a week",
    "OK, we're going with option B",
    "It's settled, Omer leads the project",
    "We've chosen the Tel Aviv office",
    "I approve the new design",
    "The board approved the merger",
    "We'll switch to weekly meetings",
    "Decided: no meetings on Wednesdays",
    "We're sticking with the current vendor",
    "The new date is 3 December",
    "Option two it is.",
    "The proposal was rejected by the client",
]
ENGLISH_NONE = [
    "We haven't decided yet",
    "What did we decide about the venue?",
    "We need to decide on a vendor",
    "Let's decide tomorrow",
    "It will be decided next week",
    "If the budget is approved we can hire",
    "Should we go with the blue logo?",
    "We couldn't agree on a date",
    "I'm still waiting for approval",
    "No decision yet",
    "The weather is nice today",
    "I like the blue logo",
    "Who decides about the budget?",
    "The decision is yours",
    "We discussed the budget",
    "That's how it is",
    "Can you approve my request?",
]
HEBREW = [
    "החלטנו לעבור לפוסטגרס",
    "הוחלט לדחות את ההשקה בשבוע",
    "סוכם שנפגשים ביום ראשון במשרד",
    "ההחלטה: עובדים מהבית בימי חמישי",
    "התקציב אושר על ידי ההנהלה",
    "הולכים על הלוגו הכחול",
    "נלך על האפשרות השנייה",
    "בחרנו את הספק החדש",
    "ההנהלה אישרה את הגיוס של שני עובדים",
    "מאשרת את ההצעה של הקבלן",
    "סגרנו על מסעדה איטלקית",
    "אז החלטנו: שלושה מבחנים בסמסטר",
    "הסכמנו להעלות את המחיר",
    "ההצעה של הספק נדחתה",
    "המועד החדש הוא 3 בדצמבר",
]
HEBREW_NONE = [
    "עוד לא החלטנו",
    "מה החלטנו לגבי המקום?",
    "צריך להחליט על ספק",
    "בואו נחליט מחר",
    "לא סוכם כלום",
    "אם התקציב יאושר נוכל לגייס",
    "מי מחליט על התקציב?",
    "אנחנו מחכים לאישור",
    "טרם אושר",
    "מזג האוויר נעים היום",
    "אני אוהבת את הלוגו הכחול",
    "דיברנו על התקציב",
    "אין עדיין החלטה",
    "קשה להחליט בין שתי האפשרויות",
]


@pytest.mark.parametrize(
    ("cases", "none"), [(ENGLISH, ENGLISH_NONE), (HEBREW, HEBREW_NONE)], ids=["en", "he"]
)
def test_decisions_are_found_and_little_else(cases: list[str], none: list[str]) -> None:
    missed = [text for text in cases if not extract(("d", text))]
    false = [text for text in none if extract(("d", text))]
    hits = len(cases) - len(missed)
    assert hits / len(cases) >= 0.9, missed
    assert hits / (hits + len(false)) >= 0.9, false


def test_a_decision_says_what_who_and_when() -> None:
    (item,) = extract(("d", "We decided to hire two engineers"))
    assert item.decision == "Hire two engineers"
    assert (item.decision_maker, item.decided_at, item.impact) == ("Dana Levi", START, "high")


def test_a_named_body_decides_for_itself() -> None:
    assert extract(("d", "The board approved the merger"))[0].decision_maker == "The board"
    assert extract(("d", "Omer decided to use Postgres for storage"))[0].decision_maker_id == "o"


def test_a_proposal_becomes_a_decision_when_another_agrees() -> None:
    (item,) = extract(("d", "Should we go with the blue logo?"), ("o", "Yes, agreed"))
    assert "blue logo" in item.decision
    assert item.decision_maker == "Omer Katz"
    (item,) = extract(("d", "מה דעתכם שנעבור לפגישות שבועיות?"), ("n", "מעולה, מסכימה"))
    assert item.decision_maker_id == "n"


def test_more_who_agree_make_it_surer() -> None:
    one = extract(("d", "How about moving to weekly meetings?"), ("o", "Sounds good"))
    two = extract(
        ("d", "How about moving to weekly meetings?"), ("o", "Sounds good"), ("n", "מסכימה")
    )
    assert two[0].confidence > one[0].confidence


def test_a_no_or_a_but_leaves_a_proposal_open() -> None:
    proposal = ("d", "Should we go with the blue logo?")
    assert extract(proposal, ("o", "No, I prefer green"), ("n", "Yes")) == []
    assert extract(proposal, ("o", "Yes, but let's ask the client")) == []
    assert extract(proposal, ("d", "Yes!")) == []


def test_approved_decides_what_was_asked_for() -> None:
    (item,) = extract(("o", "I need approval for a bigger disk"), ("d", "Approved, go ahead."))
    assert "bigger disk" in item.decision
    assert item.decision_maker_id == "d"


def test_a_later_decision_supersedes_the_earlier() -> None:
    first, second = extract(
        ("d", "We decided to launch the beta on Monday"),
        ("o", "hm"),
        ("d", "We changed our minds, we decided to launch the beta on Wednesday"),
    )
    assert first.superseded_by == second.id
    assert first.confidence < second.confidence


def test_the_same_decision_twice_is_one() -> None:
    assert len(extract(("d", "We decided to hire Maya"), ("o", "So we decided to hire Maya"))) == 1


def test_lunch_matters_less_than_money() -> None:
    assert extract(("d", "We decided to order pizza for lunch"))[0].impact == "low"
    assert extract(("d", "החלטנו להגדיל את התקציב"))[0].impact == "high"


def test_hebrew_words_are_not_beheaded() -> None:
    assert extract(("d", "החלטנו: שלושה סרטונים קצרים"))[0].decision == "שלושה סרטונים קצרים"


def test_new_messages_change_earlier_decisions_and_repeat_no_others() -> None:
    before = talk(
        ("d", "We decided to launch the beta on Monday"), ("o", "We decided to hire Maya")
    )
    after = talk(("d", "Change of plan: we decided to launch the beta on Friday"), first=2)
    items = extract_decisions(after, conversation_id="c", names=TEAM, context=before)
    assert [item.message.id for item in items] == ["m0", "m2"]
    assert items[0].superseded_by == items[1].id


def test_encrypted_messages_are_not_read() -> None:
    secret = ChatMessage("m0", "d", "Dana", "We decided to merge", START, encrypted=True)
    assert extract_decisions([secret], conversation_id="c", names=TEAM) == []


@pytest.mark.parametrize(
    ("asked", "answer", "decision"),
    [
        (
            "Maya thinks we can go to every two minutes.",
            "Let's do that.",
            "Go to every two minutes",
        ),
        (
            "By air or by sea? I don't mind.",
            "Half and half it is. Samples by air, the rest by sea.",
            "Half and half: samples by air, the rest by sea",
        ),
        (
            "They'd like the water bill paid.",
            "We pay it.",
            "Pay it (They'd like the water bill paid)",
        ),
        ("He asks for a 10% discount.", "10% is fine.", "10% (He asks for a 10% discount)"),
        (
            "An interview or a trial day with the team?",
            "Trial day.",
            "Trial day (An interview or a trial day with the team?)",
        ),
        (
            "Half the price, and paid before delivery.",
            "Agreed.",
            "Half the price, and paid before delivery",
        ),
    ],
)
def test_a_short_answer_is_stored_with_what_it_answers(
    asked: str, answer: str, decision: str
) -> None:
    assert [item.decision for item in extract(("o", asked), ("d", answer))] == [decision]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("It was half an hour of rain.", "Agreed."),
        ("Do you want tea or coffee?", "Tea."),
        ("Is it raining or snowing?", "Snowing."),
        ("How was the food?", "The food is fine."),
        ("They want to talk.", "That is fine"),
    ],
)
def test_opinions_and_tastes_are_no_decisions(before: str, said: str) -> None:
    assert extract(("o", before), ("d", said)) == []


def test_a_proposal_said_again_as_a_decision_is_one() -> None:
    proposed = talk(("d", "How about moving the office to Haifa?"), ("o", "Sounds good"))
    decided = talk(("n", "We decided to move the whole office to Haifa, near the port"), first=2)
    both = extract_decisions([*proposed, *decided], conversation_id="c", names=TEAM)
    assert [item.message.id for item in both] == ["m2"]
    later = extract_decisions(decided, conversation_id="c", names=TEAM, context=proposed)
    assert [(item.message.id, item.confidence > 0) for item in later] == [
        ("m0", False),
        ("m2", True),
    ]
