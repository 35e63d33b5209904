"""The priority of messages, by rules."""

from datetime import UTC, datetime

import pytest

from packs.messaging.priority_rules import LEVELS, classify, order

SAID_AT = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)  # A Wednesday.

ENGLISH = [
    ("The production server is down!", "urgent"),
    ("URGENT: the client cannot log in", "urgent"),
    ("Please call me back ASAP", "urgent"),
    ("We have an outage in the payments service", "urgent"),
    ("Nobody can check out since noon, we're losing orders", "urgent"),
    ("This is an emergency, drop everything", "urgent"),
    ("Can you fix this right now please?", "urgent"),
    ("I need an answer now", "urgent"),
    ("There was a critical bug found in the release, please look", "urgent"),
    ("It is very important that you review the contract", "high"),
    ("Please send the slides by end of day", "high"),
    ("I'm blocked on your review", "high"),
    ("The invoice is overdue", "high"),
    ("Final reminder: submit your timesheets", "high"),
    ("Could you finish it today?", "high"),
    ("The customer is furious about the delay", "high"),
    ("Can you review my pull request?", "medium"),
    ("Please send me the file by next Thursday", "medium"),
    ("What time is the meeting?", "medium"),
    ("We need to update the wiki", "medium"),
    ("Not urgent, just send it whenever you can", "low"),
    ("No rush on the report", "low"),
    ("FYI the office is closed on Friday", "low"),
    ("When you get a chance, look at the draft", "low"),
    ("The outage was resolved an hour ago", "low"),
    ("It's a nice to have feature", "low"),
    ("lol that was fun", "unspecified"),
    ("Good morning everyone", "unspecified"),
    ("I'm eating lunch right now", "unspecified"),
    ("My critical thinking class was great", "unspecified"),
    ("How are you?", "unspecified"),
    ("I'm down for pizza", "unspecified"),
    ("We took her to urgent care and she is fine", "unspecified"),
]

HEBREW = [
    ("דחוף! השרת נפל", "urgent"),
    ("זה ממש דחוף, תתקשרי אליי", "urgent"),
    ("האתר לא עובד והלקוחות לא מצליחים לשלם", "urgent"),
    ("יש פה מצב חירום", "urgent"),
    ("תוכל לטפל בזה עכשיו?", "urgent"),
    ("צריך תשובה בהקדם האפשרי", "urgent"),
    ("תקלה קריטית במערכת", "urgent"),
    ("הכול נפל אחרי העדכון", "urgent"),
    ("חשוב מאוד שכולם יגיעו", "high"),
    ("אני תקועה בגלל ההרשאות", "high"),
    ("תוכלי לשלוח לי את זה היום?", "high"),
    ("תזכורת אחרונה: להגיש דוח שעות", "high"),
    ("הלקוח כועס על העיכוב", "high"),
    ("אתה יכול לעבור על המסמך?", "medium"),
    ("תשלחי לי בבקשה את הקובץ", "medium"),
    ("מתי הפגישה?", "medium"),
    ("אנחנו צריכים לעדכן את המצגת", "medium"),
    ("זה לא דחוף", "low"),
    ("אין לחץ, מתי שנוח לך", "low"),
    ("לידיעה, המשרד סגור ביום שישי", "low"),
    ("כשיהיה לך זמן תסתכל על הטיוטה", "low"),
    ("זה יכול לחכות לשבוע הבא", "low"),
    ("ממש לא דחוף, רק רעיון", "low"),
    ("בוקר טוב לכולם", "unspecified"),
    ("חחח איזה קטע", "unspecified"),
    ("מה נשמע?", "unspecified"),
    ("היה כיף אתמול", "unspecified"),
    ("אכלתי עכשיו צהריים", "unspecified"),
]


@pytest.mark.parametrize("cases", [ENGLISH, HEBREW], ids=["en", "he"])
def test_levels_are_right_nine_times_in_ten(cases: list[tuple[str, str]]) -> None:
    wrong = [
        (text, level, classify(text, said_at=SAID_AT).level)
        for text, level in cases
        if classify(text, said_at=SAID_AT).level != level
    ]
    assert len(wrong) <= len(cases) * 0.1, wrong


@pytest.mark.parametrize("cases", [ENGLISH, HEBREW], ids=["en", "he"])
def test_nothing_calm_is_called_pressing(cases: list[tuple[str, str]]) -> None:
    calm = [text for text, level in cases if level in ("low", "unspecified")]
    assert [text for text in calm if classify(text).level in ("urgent", "high")] == []


def test_what_comes_after_but_counts() -> None:
    assert classify("Not urgent, but please send it today").level == "high"
    assert classify("Please review the contract. No rush.").level == "low"


def test_an_fyi_does_not_calm_an_outage() -> None:
    assert classify("The site is down. FYI I told Dana.").level == "urgent"


def test_a_condition_is_not_an_alarm() -> None:
    assert classify("If it's urgent, my number is on the wiki").level == "low"


def test_a_word_in_quotes_is_only_mentioned() -> None:
    assert classify("He wrote 'urgent' on the box").level == "unspecified"


def test_a_reading_says_what_it_rests_on() -> None:
    priority = classify("The server is down")
    assert priority.reasons and 0 < priority.confidence <= 1


def test_empty_text_has_no_priority() -> None:
    assert classify("").level == "unspecified"


def test_levels_sort_from_urgent_to_unspecified() -> None:
    assert sorted(["low", "unspecified", "urgent", "medium", "high"], key=order) == list(LEVELS)
