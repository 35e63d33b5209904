"""Extractive summaries."""

from datetime import UTC, datetime, timedelta

from packs.messaging.chat import ChatMessage
from packs.messaging.summaries import summarize
from tests.support.for_every import for_every

START = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
NAMES = {"d": "Dana", "o": "Omer", "n": "נועה"}


def talk(*lines: tuple[str, str]) -> list[ChatMessage]:
    return [
        ChatMessage(f"m{n}", sender, NAMES[sender], text, START + timedelta(minutes=n))
        for n, (sender, text) in enumerate(lines)
    ]


PLANNING = talk(
    ("d", "Morning! The launch budget needs a second look before the launch."),
    ("o", "ok"),
    ("o", "The launch budget is forty thousand and marketing wants half of the budget."),
    ("d", "We decided to give marketing fifteen thousand of the launch budget."),
    ("o", "haha nice"),
    ("o", "I'll update the budget sheet by Friday."),
    ("d", "My cat knocked over a plant today."),
    ("o", "The parking garage closes at ten."),
)
HEBREW = talk(
    ("n", "בוקר טוב, צריך לדבר על הטיול השנתי של הכיתה"),
    ("d", "הטיול השנתי לגליל עולה שמונים שקל לתלמיד"),
    ("n", "החלטנו שהטיול השנתי יוצא ביום ראשון לגליל"),
    ("d", "סבבה"),
)


def test_the_central_things_are_kept_and_the_cat_is_not() -> None:
    summary = summarize(PLANNING, max_length=32)
    assert "Dana: We decided to give marketing fifteen thousand" in summary
    assert "cat" not in summary and "haha" not in summary


@for_every("most", [1, 2, 5, 17, 40, 200])
@for_every("focus", [None, "decisions", "action items", "general", "budget"])
def test_a_summary_is_never_too_long(most: int, focus: str | None) -> None:
    for messages in (PLANNING, HEBREW, []):
        summary = summarize(messages, max_length=most, focus=focus)
        assert 1 <= len(summary.split()) <= most


def test_speakers_stand_before_what_they_said_in_time_order() -> None:
    lines = summarize(PLANNING).split("\n")
    assert all(line.startswith(("Dana: ", "Omer: ")) for line in lines)
    assert lines[0].startswith("Dana: The launch budget")


def test_a_focus_on_decisions_gives_decisions_alone() -> None:
    assert summarize(PLANNING, focus="decisions") == (
        "Dana: Give marketing fifteen thousand of the launch budget"
    )
    assert summarize(HEBREW, focus="החלטות").count("\n") == 0


def test_a_focus_on_action_items_says_by_when() -> None:
    assert "Omer: Update the budget sheet (by 2026-11-20)" in summarize(
        PLANNING, focus="action items"
    )


def test_a_topic_comes_first_when_room_is_short() -> None:
    assert summarize(PLANNING, max_length=8, focus="parking") == (
        "Omer: The parking garage closes at ten."
    )


def test_hebrew_is_summarized_in_hebrew() -> None:
    assert "החלטנו שהטיול השנתי יוצא ביום ראשון" in summarize(HEBREW, max_length=12)
    assert summarize(talk(("n", "שלום")), focus="decisions") == "לא נמצאו החלטות."


def test_encrypted_messages_stay_out() -> None:
    secret = ChatMessage("x", "d", "Dana", "The launch budget secret code", START, encrypted=True)
    assert "secret" not in summarize([*PLANNING, secret])
    assert summarize([secret]) == "There is nothing to summarize."
