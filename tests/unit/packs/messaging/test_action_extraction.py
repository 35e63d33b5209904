"""Extraction of action items from chats."""

from datetime import UTC, datetime, timedelta

import pytest

from packs.messaging.action_extraction import extract_actions
from packs.messaging.chat import ChatMessage
from packs.messaging.findings import ActionItem

START = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)  # A Wednesday.
TEAM = {"d": "Dana Levi", "o": "Omer Katz", "n": "נועה כהן"}
PAIR = {"d": "Dana Levi", "o": "Omer Katz"}


def talk(*lines: tuple[str, str], first: int = 0) -> list[ChatMessage]:
    return [
        ChatMessage(f"m{n}", sender, TEAM[sender], text, START + timedelta(minutes=n))
        for n, (sender, text) in enumerate(lines, start=first)
    ]


def extract(*lines: tuple[str, str], names: dict[str, str] = TEAM) -> list[ActionItem]:
    items = extract_actions(talk(*lines), conversation_id="c", names=names)
    return [item for item in items if item.confidence >= 0.5]


# What Dana says in a chat of three: the assignee expected, or "" for nobody known.
ENGLISH = [
    ("I'll send the report by Friday", "d"),
    ("I will book the meeting room", "d"),
    ("Omer, can you review the contract?", "o"),
    ("@omer please update the wiki", "o"),
    ("Could you send the invoice to the client, Omer?", "o"),
    ("Omer will call the supplier tomorrow", "o"),
    ("Omer to prepare the slides by Monday", "o"),
    ("TODO: rotate the API keys", ""),
    ("Action item: Omer to write the minutes", "o"),
    ("We need to fix the login bug before the release", ""),
    ("Someone should update the documentation", ""),
    ("Please make sure to back up the database", ""),
    ("The contract needs to be signed by Friday", ""),
    ("Don't forget to submit your timesheets", ""),
    ("Omer, send me the photos by Sunday", "o"),
    ("I'm going to draft the proposal tonight", "d"),
    ("Let me check with finance and update you", "d"),
    ("Omer is responsible for the demo", "o"),
    ("I need to renew the domain", "d"),
    ("Omer said he'll order the parts", "o"),
]
ENGLISH_NONE = [
    "I already sent the report",
    "Omer sent the invoice yesterday",
    "What time is the meeting?",
    "Can you tell me what the budget is?",
    "I'll be late today",
    "I'll see you tomorrow",
    "Thanks for sending the file",
    "I think the design is great",
    "Please don't touch the server",
    "No need to send it again",
    "I won't be able to review it",
    "The meeting went well",
    "Did you like the movie?",
    "If we had more time we could rewrite it",
    "I would never do that",
    "Let me know",
    "Please note that the office is closed",
    "The server was updated on Monday",
    "Good job everyone!",
    "How do I update the wiki?",
    "I'll think about it",
]
HEBREW = [
    ("אני אשלח את הדוח עד יום חמישי", "d"),
    ("אטפל בחשבונית מחר", "d"),
    ("נועה, תוכלי לעבור על החוזה?", "n"),
    ("נועה תשלחי לי בבקשה את הקובץ", "n"),
    ("עומר, תעדכן את המצגת", "o"),
    ("עומר יכין את המצגת עד מחר", "o"),
    ("צריך לתקן את הבאג לפני השחרור", ""),
    ("אנחנו צריכים להזמין חדר ישיבות", ""),
    ("משימה: לעדכן את המסמך", ""),
    ("תשלחו לי בבקשה את שעות העבודה", ""),
    ("נועה אחראית על ההדגמה", "n"),
    ("על עומר להתקשר לספק", "o"),
    ("אל תשכחו להגיש דוח שעות", ""),
    ("אני צריכה לחדש את הדומיין", "d"),
    ("נא לאשר את ההזמנה עד יום ראשון", ""),
    ("@נועה תבדקי את ההרשאות", "n"),
    ("אני מכינה את ההצעה הערב", "d"),
    ("בודקת את הנתונים ומעדכנת אתכם", "d"),
    ("עומר צריך לסגור את התקציב", "o"),
    ("אדבר עם הלקוח מחר בבוקר", "d"),
]
HEBREW_NONE = [
    "כבר שלחתי את הדוח",
    "עומר שלח את החשבונית אתמול",
    "מתי הפגישה?",
    "תוכל להגיד לי מה התקציב?",
    "אני אהיה באיחור",
    "תודה על הקובץ",
    "אני אוהבת את העיצוב",
    "אל תיגעו בשרת",
    "אין צורך לשלוח שוב",
    "אני לא אשלח את זה",
    "הפגישה הייתה טובה",
    "ראית את הסרט?",
    "אם היה לנו זמן היינו כותבים מחדש",
    "לא צריך לעשות כלום",
    "נתראה מחר",
    "אני אומרת שזה רעיון טוב",
    "איך מעדכנים את המסמך?",
    "השרת עודכן ביום שני",
    "כל הכבוד לכולם",
    "שלחנו את ההצעה ללקוח",
]


@pytest.mark.parametrize(
    ("cases", "none"), [(ENGLISH, ENGLISH_NONE), (HEBREW, HEBREW_NONE)], ids=["en", "he"]
)
def test_items_are_found_and_little_else(cases: list[tuple[str, str]], none: list[str]) -> None:
    hits = [text for text, _ in cases if extract(("d", text))]
    false = [text for text in none if extract(("d", text))]
    missed = [text for text, _ in cases if text not in hits]
    assert len(hits) / len(cases) >= 0.9, missed
    assert len(hits) / (len(hits) + len(false)) >= 0.9, false


@pytest.mark.parametrize("cases", [ENGLISH, HEBREW], ids=["en", "he"])
def test_assignees_are_right(cases: list[tuple[str, str]]) -> None:
    wrong = [
        (text, who, items[0].assignee_id)
        for text, who in cases
        if (items := extract(("d", text))) and (items[0].assignee_id or "") != who
    ]
    assert len(wrong) <= len(cases) * 0.1, wrong


def test_an_item_carries_task_assignee_deadline_and_priority() -> None:
    (item,) = extract(("d", "Omer, please send the signed contract by Friday, it's very important"))
    assert item.task.startswith("Send the signed contract")
    assert (item.assignee, item.deadline, item.priority) == ("Omer Katz", "2026-11-20", "high")
    assert item.message.id == "m0"


def test_asking_alone_says_nothing_of_priority() -> None:
    assert extract(("d", "Omer, please send the contract"))[0].priority == "unspecified"


def test_you_is_the_other_in_a_chat_of_two() -> None:
    (item,) = extract(("d", "Can you send the contract?"), names=PAIR)
    assert item.assignee_id == "o"


def test_you_in_a_group_is_who_spoke_just_before() -> None:
    items = extract(("o", "The report is ready"), ("d", "Great, can you send the report?"))
    assert items[0].assignee_id == "o"


def test_a_name_is_known_in_the_other_script() -> None:
    assert extract(("d", "עומר, תוכל לשלוח את החוזה?"))[0].assignee_id == "o"


def test_a_yes_gives_an_open_item_its_owner() -> None:
    (item,) = extract(("d", "Someone should book the venue"), ("n", "אין בעיה, על זה"))
    assert item.assignee_id == "n"
    assert "נועה כהן" in item.context


def test_a_yes_makes_an_item_surer_and_a_no_less() -> None:
    asked = ("d", "Omer, can you book the venue?")
    plain = extract(asked)[0].confidence
    assert extract(asked, ("o", "Sure, will do"))[0].confidence > plain
    anybody = ("d", "Someone should book the venue by Friday")
    assert extract_actions(talk(anybody, ("o", "No")), conversation_id="c", names=TEAM) == []


def test_a_request_that_was_refused_is_no_item() -> None:
    asked = talk(("d", "Omer, can you book the venue?"))
    refused = talk(("o", "Sorry, I can't"), first=1)
    assert extract_actions([*asked, *refused], conversation_id="c", names=TEAM) == []
    (item,) = extract_actions(asked, conversation_id="c", names=TEAM)
    (later,) = extract_actions(refused, conversation_id="c", names=TEAM, context=asked)
    assert (later.id, later.confidence) == (item.id, 0)


def test_the_same_task_in_fewer_words_is_one_item() -> None:
    items = extract(
        ("d", "Omer, can you order the blue chairs for the hall?"),
        ("n", "מעולה"),
        ("d", "Omer, please order the chairs today"),
    )
    assert [item.message.id for item in items] == ["m0"]


def test_taking_it_up_is_not_a_second_item() -> None:
    items = extract(("d", "We need to fix the login bug"), ("o", "I'll take care of it"))
    assert [(item.message.id, item.assignee_id) for item in items] == [("m0", "o")]


def test_a_repeated_request_is_one_item() -> None:
    items = extract(
        ("d", "Omer, please send the budget report"),
        ("o", "hm"),
        ("d", "Omer, please send the budget report by Friday"),
    )
    assert [(item.message.id, item.deadline) for item in items] == [("m0", "2026-11-20")]


def test_two_tasks_in_one_message_are_two_items() -> None:
    items = extract(("d", "I'll book the room. Omer, can you invite the client?"))
    assert [item.assignee_id for item in items] == ["d", "o"]


def test_a_list_is_read_line_by_line() -> None:
    text = "- TODO: order the cables\n- TODO: call the electrician"
    assert [item.task for item in extract(("d", text))] == [
        "Order the cables",
        "Call the electrician",
    ]


def test_encrypted_messages_are_not_read() -> None:
    secret = ChatMessage("m0", "d", "Dana", "I'll send the report", START, encrypted=True)
    assert extract_actions([secret], conversation_id="c", names=TEAM) == []


def test_reading_again_gives_the_same_ids() -> None:
    lines = ("d", "I'll send the report by Friday"), ("o", "I'll book the room")
    assert [item.id for item in extract(*lines)] == [item.id for item in extract(*lines)]
    other = extract_actions(talk(*lines), conversation_id="other", names=TEAM)
    assert {item.id for item in other}.isdisjoint(item.id for item in extract(*lines))


def test_new_messages_change_earlier_items_and_repeat_no_others() -> None:
    before = talk(("d", "Omer, can you book the venue?"), ("d", "I'll order the cake"))
    after = talk(("o", "Sure, will do"), first=2)
    items = extract_actions(after, conversation_id="c", names=TEAM, context=before)
    (first, _) = extract_actions(before, conversation_id="c", names=TEAM)
    assert [item.id for item in items] == [first.id]
    assert items[0].confidence > first.confidence


def test_a_hypothetical_is_doubtful() -> None:
    items = extract_actions(
        talk(("d", "Maybe I'll rewrite the docs someday")), conversation_id="c", names=TEAM
    )
    assert all(item.confidence < 0.5 for item in items)


@pytest.mark.parametrize(
    ("said", "task"),
    [
        (
            "I need three numbers from you for the investors' update before Monday: cost, use",
            "Provide three numbers for the investors' update: cost, use",
        ),
        ("Omer, please send the photos by Sunday, otherwise we miss it", "Send the photos"),
        ("I'll prepare the room, it's a mess", "Prepare the room"),
        ("Please don't forget to water the plants", "Water the plants"),
        ("Omer, please make sure to lock the door", "Lock the door"),
        ("Omer will prepare the slides by Friday EOD", "Prepare the slides"),
        ("עומר, תשלחי בבקשה את התמונות עד מחר", "לשלוח את התמונות"),
        ("אני אדבר עם הגנן ואחזור אליכם", "לדבר עם הגנן ולחזור אליכם"),
        ("מכינה את החדר, כי באים אורחים", "להכין את החדר"),
    ],
)
def test_a_task_reads_well_by_itself(said: str, task: str) -> None:
    assert [item.task for item in extract(("d", said))] == [task]


@pytest.mark.parametrize(
    "said",
    [
        "I'll be there",
        "I'll tell her",
        "I'll ask him later",
        "I'll back you",
        "Omer, can you confirm?",
        "אני אעדכן כשאדע",
        "אספר לה",
        "אפשר לקחת חופש ב13 בדצמבר?",
        "פותחת קבוצה לטיול",
    ],
)
def test_courtesies_are_no_tasks(said: str) -> None:
    assert extract(("d", said)) == []
