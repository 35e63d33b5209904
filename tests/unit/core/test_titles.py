"""Titles of threads: the request in a few whole words, in both languages."""

from __future__ import annotations

import time

import pytest

from rollcall.core.messages import Media, Text, UserMessage
from rollcall.core.titles import TITLE_CHARS, title_of
from tests.support.for_every import for_every

ENGLISH = [
    ("Hi! Can you please summarize the budget conversation?", "Summarize the budget conversation"),
    ("Hey Rollcall, what are my priorities?", "What are my priorities?"),
    (
        "Could you tell me what decisions were made about the budget last week?",
        "What decisions were made about the budget last week?",
    ),
    (
        "I'd like to know how much voltage drop there is on circuit 12 of the house project",
        "How much voltage drop there is on circuit 12 of the house…",
    ),
    ("Hello, how are you?", "How are you?"),
    (
        "please help me to write a letter to my landlord about the broken heating. It is cold.",
        "Write a letter to my landlord about the broken heating",
    ),
    (
        'ok so um can you send "I will be late" to Maya Cohen, please?',
        'Send "I will be late" to Maya Cohen',
    ),
    ("can u check my_file.py for bugs pls", "Check my_file.py for bugs"),
    ("Do you know if Maya confirmed the venue?", "Maya confirmed the venue?"),
    ("My boiler is leaking. Can you help?", "My boiler is leaking"),
    (
        "I have a panel with 24 circuits and a 100 A main breaker. Is there room for a charger?",
        "Is there room for a charger?",
    ),
    (
        "What’s the difference between a 12/2 and a 14/2 cable and which one should I use here?",
        "What’s the difference between a 12/2 and a 14/2 cable…",
    ),
    ("rename foo_bar to baz in utils.py", "Rename foo_bar to baz in utils.py"),
    ("iPhone does not connect to the office wifi", "iPhone does not connect to the office wifi"),
    ("So, what now?", "What now?"),
    ("Hi! Can you tell me what's left to do for the launch?", "What's left to do for the launch?"),
    (
        "Good morning team, hope you're well. I was wondering if Dana wrote anything urgent.",
        "Whether Dana wrote anything urgent",
    ),
    ("Thanks! One more thing - tell Dana that I'll be late", "Tell Dana that I'll be late"),
    ("I have a quick question about the grounding of a charger", "The grounding of a charger"),
    ("If it rains, where do we meet?", "If it rains, where do we meet?"),
]
HEBREW = [
    ("היי, מה המשימות שלי להיום?", "מה המשימות שלי להיום?"),
    ("שלום, אפשר בבקשה לסכם לי את השיחה על התקציב?", "לסכם לי את השיחה על התקציב"),
    (
        "בוקר טוב! אני רוצה לדעת אילו החלטות התקבלו בישיבת ההנהלה של יום ראשון",
        "אילו החלטות התקבלו בישיבת ההנהלה של יום ראשון",
    ),
    ("תוכלי לשלוח למאיה כהן שאאחר בעשר דקות? תודה", "לשלוח למאיה כהן שאאחר בעשר דקות"),
    ("אני צריך עזרה עם חישוב מפל מתח למעגל 12", "עזרה עם חישוב מפל מתח למעגל 12"),
    (
        "יש לי לוח עם 24 מעגלים. הוא הותקן ב-1985. האם יש מקום למטען לרכב חשמלי?",
        "האם יש מקום למטען לרכב חשמלי?",
    ),
    ("אשמח אם תוכלי לבדוק את הקוד הזה בבקשה", "לבדוק את הקוד הזה"),
    ("מי אישר את ההצעה?", "מי אישר את ההצעה?"),
    ("בוקר טוב! רציתי לדעת אם יש הודעות דחופות מדנה", "האם יש הודעות דחופות מדנה"),
    ("אני רוצה שתסכמי לי את השיחה עם צוות הפיתוח", "תסכמי לי את השיחה עם צוות הפיתוח"),
    ("תודה! ועוד משהו - תזכיר לי מה סיכמנו על המחירים", "תזכיר לי מה סיכמנו על המחירים"),
    ("יש לי שאלה לגבי הארקה של עמדת טעינה בחניון", "הארקה של עמדת טעינה בחניון"),
]
LOOKS = [
    ("# Fix the login bug\n\nThe page crashes when I sign in", "Fix the login bug"),
    ("```python\ndef f(x):\n    return x\n```\nWhy does this fail?", "Why does this fail?"),
    ("```python\nprint(1)\n```", "print(1)"),
    (
        "Look at https://www.example.com/a/b?x=1&y=2 and tell me what it costs",
        "Look at example.com and tell me what it costs",
    ),
    ("https://docs.python.org/3/library/re.html", "docs.python.org"),
    (
        "**Important**: send the report to [Dana](mailto:dana@example.com) today",
        "Important: send the report to Dana today",
    ),
    ("- buy milk\n- call Dan", "Buy milk"),
    ("| a | b |\n|---|---|\nWhich is larger?", "Which is larger?"),
]
NOT_FILLERS = [
    "Right panel has no spare spaces",
    "Well pump trips the breaker",
    "So many errors today",
    "Now playing: who",
    "Write me a poem about the sea",
    "What about security",
    "Liberty, property, hospitality",
    "Who said no-thanks",
]
LITTLE = [("Hi", "Hi"), ("thanks!", "thanks!"), ("תודה רבה", "תודה רבה"), ("😀", "😀")]


@for_every(("message", "title"), [*ENGLISH, *HEBREW, *LOOKS, *LITTLE])
def test_a_title_says_what_is_asked(message: str, title: str) -> None:
    assert title_of(UserMessage.of(message)) == title


@pytest.mark.parametrize("message", NOT_FILLERS)
def test_words_that_mean_something_stay(message: str) -> None:
    assert title_of(UserMessage.of(message)) == message


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", "panel.png"),
        ("Summarize", "Summarize – panel.png"),
        ("What is this?", "What is this? – panel.png"),
        ("How much is the deposit in the lease?", "How much is the deposit in the lease?"),
    ],
)
def test_a_message_about_a_file_is_named_after_it(text: str, title: str) -> None:
    file = Media("image", "image/png", name="panel.png", file_id="f")
    assert title_of(UserMessage((Text(text), file))) == title


@for_every(
    "hostile",
    [
        *("*" * 32_000, "[" * 32_000, "hi " * 10_000, "please " * 5_000, "_a" * 16_000),
        *("```" * 10_000, "\n>" * 16_000, "- " * 16_000, "\n" * 32_000, "can you " * 4_000),
        *("https://" * 4_000, "א" * 32_000, "\u202e" * 32_000, "a" * 32_000, "|" * 32_000),
        *("a" + " " * 30_000 + "x", "a " + ", " * 15_000 + "x", "a" + "-" * 30_000 + "x"),
        *("a" + "\u00a0" * 30_000 + "x", "a " + "please " * 5_000 + "x", "a" + "?!" * 15_000 + "x"),
        *("hi " + "a" * 30_000, "\x00", " ", "> " * 16_000, "** ** " * 5_000, "(" * 32_000),
    ],
)
def test_no_message_makes_a_long_title_or_takes_long(hostile: str) -> None:
    began = time.process_time()
    title = title_of(UserMessage.of(hostile))
    assert len(title) <= TITLE_CHARS
    assert "\n" not in title
    assert time.process_time() - began < 2
