"""Short chats of many kinds, labelled by hand with their tasks and decisions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from packs.messaging.action_extraction import extract_actions
from packs.messaging.chat import ChatMessage
from packs.messaging.decision_extraction import extract_decisions

START = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
NAMES = {"r": "Ruth Stone", "b": "Ben Ortiz", "g": "גלית מור"}


@dataclass(frozen=True)
class Chat:
    """Lines of a chat; by number, which of them hold a task and which a decision."""

    lines: tuple[tuple[str, str], ...]
    tasks: tuple[int, ...] = ()
    decisions: tuple[int, ...] = ()


CHATS = {
    # A school's parents.
    "school trip": Chat(
        (
            ("r", "The museum wants the number of children by Thursday."),
            ("b", "I'll count them tomorrow and call the museum."),
            ("r", "Great. We decided to take the early bus, by the way."),
        ),
        tasks=(1,),
        decisions=(2,),
    ),
    "class gift": Chat(
        (
            ("r", "A book or a voucher for the teacher?"),
            ("b", "A voucher."),
            ("g", "מסכימה. אני אוסיף 50 שקל"),
        ),
        tasks=(2,),
        decisions=(1,),
    ),
    "ועד כיתה": Chat(
        (
            ("g", "מישהו צריך להזמין אוטובוס לטיול"),
            ("b", "אין בעיה, עליי"),
            ("g", "תודה! סוכם שיוצאים בשמונה מהשער"),
        ),
        tasks=(0,),
        decisions=(2,),
    ),
    # A clinic.
    "ward": Chat(
        (
            ("r", "Ben, could you restock the dressing trolley before the night shift?"),
            ("b", "Will do."),
            ("r", "I'll be there at six."),
        ),
        tasks=(0,),
    ),
    "clinic rota": Chat(
        (
            ("b", "Could we swap the Tuesday clinic to Wednesday?"),
            ("r", "Yes, that works for me."),
            ("b", "I'll tell her."),
        ),
        decisions=(0,),
    ),
    "מרפאה": Chat(
        (
            ("g", "המקרר של החיסונים מצפצף שוב"),
            ("b", "אתקשר לטכנאי היום"),
            ("g", "תעדכן אותי"),
        ),
        tasks=(1,),
    ),
    # A football club.
    "kit": Chat(
        (
            ("r", "The supplier offers the shirts for 14 each if we take sixty."),
            ("b", "Deal."),
            ("r", "I'll place the order tonight."),
        ),
        tasks=(2,),
        decisions=(1,),
    ),
    "pitch": Chat(
        (
            ("r", "The pitch was half under water and the game took two hours."),
            ("b", "Agreed."),
            ("r", "I think they played well though."),
        ),
    ),
    "training": Chat(
        (
            ("b", "How about moving training to Monday evenings?"),
            ("r", "No, half the team works on Mondays."),
            ("b", "Fair enough."),
        ),
    ),
    "אימון": Chat(
        (
            ("g", "אולי נעבור למגרש המקורה בחורף?"),
            ("b", "רעיון מצוין"),
            ("g", "אני אבדוק מחירים עד ראשון"),
        ),
        tasks=(2,),
        decisions=(0,),
    ),
    # A building site.
    "kitchen": Chat(
        (
            ("r", "The tiler asks for two more days and 300 on top."),
            ("b", "Two more days is fine, the 300 is not."),
            ("r", "I'll let him know."),
        ),
        decisions=(1,),
    ),
    "permit": Chat(
        (
            ("r", "We haven't decided on the windows yet."),
            ("b", "What did the architect say?"),
            ("r", "That it's up to us."),
        ),
    ),
    "roof": Chat(
        (
            ("b", "I need approval for a second scaffold, 90 a day."),
            ("r", "Approved."),
            ("b", "Thanks. Please send me the insurance certificate by Friday."),
        ),
        tasks=(2,),
        decisions=(1,),
    ),
    "שיפוץ": Chat(
        (
            ("g", "הקבלן מבקש מקדמה של 20 אחוז"),
            ("b", "מאושר"),
            ("g", "אני מעבירה לו מחר"),
        ),
        tasks=(2,),
        decisions=(1,),
    ),
    "boiler": Chat(
        (
            ("r", "Can you come on Saturday and look at the boiler?"),
            ("b", "Sorry, I can't, we're away."),
            ("r", "No worries."),
        ),
    ),
    # A choir.
    "concert": Chat(
        (
            ("r", "The committee has decided to sing the Rutter in spring."),
            ("b", "Lovely! I love that piece."),
            ("r", "Ben, please copy the scores for the altos."),
        ),
        tasks=(2,),
        decisions=(0,),
    ),
    "tour": Chat(
        (
            ("b", "Train or coach to the festival?"),
            ("r", "Train. The coach takes nine hours."),
            ("b", "I'll book forty seats."),
        ),
        tasks=(2,),
        decisions=(1,),
    ),
    # A family.
    "dinner": Chat(
        (
            ("r", "Do you want fish or pasta?"),
            ("b", "Pasta."),
            ("r", "I'm making it now, see you at seven."),
        ),
    ),
    "flat": Chat(
        (
            ("b", "Half and half sounds fair to me, I guess."),
            ("r", "Maya thinks we could ask the landlord first."),
            ("b", "Hm, maybe."),
        ),
    ),
    "סבתא": Chat(
        (
            ("g", "בן, תוכל לאסוף את סבתא מהרכבת ביום שישי?"),
            ("b", "בטח"),
            ("g", "אני אהיה שם בשש בכל מקרה"),
        ),
        tasks=(0,),
    ),
    # A farm shop, a library, a lab.
    "harvest": Chat(
        (
            ("r", "From now on the eggs go out on Tuesdays."),
            ("b", "OK."),
            ("r", "Someone needs to repaint the sign before the fair."),
        ),
        tasks=(2,),
        decisions=(0,),
    ),
    "library": Chat(
        (
            ("b", "I already returned the projector."),
            ("r", "Good. If it rains we could meet inside."),
            ("b", "Can you tell me when it opens?"),
        ),
    ),
    "lab": Chat(
        (
            ("r", "Run 14 failed again, the buffer had the wrong pH."),
            ("b", "I'll prepare a fresh buffer and repeat run 14 by Monday."),
            ("r", "We'll use the old protocol until then."),
        ),
        tasks=(1,),
        decisions=(2,),
    ),
    "חנות": Chat(
        (
            ("g", "החלטנו להעלות את מחיר הדבש לארבעים שקל"),
            ("b", "סוף סוף"),
            ("g", "בן, תחליף בבקשה את השלטים עד יום ראשון"),
        ),
        tasks=(2,),
        decisions=(0,),
    ),
    "גינה קהילתית": Chat(
        (
            ("g", "עוד לא החלטנו מה לשתול"),
            ("b", "אני אוהב עגבניות"),
            ("g", "אולי. נדבר מחר"),
        ),
    ),
}


def messages(chat: Chat) -> list[ChatMessage]:
    return [
        ChatMessage(f"m{n}", sender, NAMES[sender], text, START + timedelta(minutes=n))
        for n, (sender, text) in enumerate(chat.lines)
    ]


def tasks(chat: Chat) -> set[int]:
    items = extract_actions(messages(chat), conversation_id="c", names=NAMES)
    return {int(item.message.id[1:]) for item in items}


def decisions(chat: Chat) -> set[int]:
    items = extract_decisions(messages(chat), conversation_id="c", names=NAMES)
    return {int(item.message.id[1:]) for item in items}


@pytest.mark.parametrize(
    ("read", "labels"),
    [(tasks, lambda chat: chat.tasks), (decisions, lambda chat: chat.decisions)],
    ids=["tasks", "decisions"],
)
def test_most_of_what_chats_hold_is_found_and_little_else(
    read: Callable[[Chat], set[int]], labels: Callable[[Chat], tuple[int, ...]]
) -> None:
    found = {(name, n) for name, chat in CHATS.items() for n in read(chat)}
    right = {(name, n) for name, chat in CHATS.items() for n in labels(chat)}
    assert len(found & right) / len(right) >= 0.9, sorted(right - found)
    assert len(found & right) / len(found) >= 0.9, sorted(found - right)
