"""What a question looks for: its topic, weighted, without its scaffolding."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from packs.messaging.patterns import Pattern
from rollcall.core.text import hebrew_stem, terms, tokens, words

# Words of asking, not of the thing asked about. They keep a little weight, for
# somebody may be searching for the word "meeting" itself.
_SCAFFOLDING = """
summarize summary discuss discussion talk say think thought tell opinion suggest mention describe
explain group team people everyone participants conclusion conclude conversation chat message
meeting agree disagree decide decision make give show find search anything include whether topic
aspect matter related possible potential various certain
סכם סכמי תסכם תסכמי לסכם סיכום דיון דנו דיברו דיבר דיברה אמר אמרה אמרו חשב חשבה חשבו דעה דעתו דעתה
הציע הציעה הציעו קבוצה צוות אנשים משתתפים מסקנה מסקנות שיחה שיחות הודעה הודעות פגישה ישיבה הסכים
הסכימה הסכימו החליטו הוחלט החלטה החלטות נושא נושאים עניין היבט אפשרי שונים חפש חפשי תחפש תחפשי לחפש
מצא תמצא הראה תראה משהו
"""

# Sets of words that chats use for one another, as their users would type them.
_SYNONYMS = (
    "budget cost price expense money spend תקציב עלות מחיר הוצאה כסף",
    "problem issue bug trouble fault difficulty בעיה תקלה באג קושי",
    "deadline due schedule timeline לוח דדליין מועד",
    "customer client user לקוח משתמש",
    "meeting call appointment sync פגישה ישיבה",
    "buy purchase order קנה רכש הזמנה",
    "hire recruit candidate גיוס מועמד",
    "release launch deploy ship שחרור השקה",
    "contract agreement חוזה הסכם",
    "salary pay wage משכורת שכר",
    "exam test quiz מבחן בחינה",
    "look appearance style shape מראה עיצוב",
    "fix repair תיקון",
    "picture photo image תמונה צילום",
    "holiday vacation trip חופשה טיול",
    "energy power battery אנרגיה סוללה",
)

_CONTEXT = Pattern(
    r"\b(?:when|while)\s+(?:\w+\s+){0,2}?\w+ing\b|\bduring\b|\bin the (?:discussion|context)\b"
    r"|(?<!\S)(?:כאשר|כשדיברו|כשדנו|בזמן|במהלך|תוך כדי)(?!\S)",
    re.IGNORECASE,
)
_SCAFFOLDING_WEIGHT = 0.2
_CONTEXT_WEIGHT = 0.5
_SYNONYM_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Query:
    """A question, read.

    Attributes:
        weights: Stem to weight, 0 to 1.
        speakers: Ids of the senders the question names.
        context: Stems that only say in which talk to look, as after "when discussing".
    """

    weights: dict[str, float]
    speakers: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()

    @property
    def has_topic(self) -> bool:
        """Whether the question asks about more than the conversation as such."""
        return any(weight > _SCAFFOLDING_WEIGHT for weight in self.weights.values())


def query_terms(question: str) -> dict[str, float]:
    """Return the stems a question looks for, with weights from 0 to 1.

    What stands after "when discussing" only says where to look, so it weighs
    less than what is asked; words of asking weigh least.
    """
    asked, context = _parts(question)
    weights: dict[str, float] = {}
    for part, weight in ((asked, 1.0), (context, _CONTEXT_WEIGHT)):
        for term in terms(part):
            own = _SCAFFOLDING_WEIGHT if term in _scaffolding() else weight
            weights[term] = max(own, weights.get(term, 0.0))
    return weights


def read_query(question: str, *, names: Iterable[tuple[str, str]] = ()) -> Query:
    """Return what a question looks for.

    Args:
        names: (sender id, name) of everybody who might be meant.
    """
    weights = query_terms(question)
    speakers: set[str] = set()
    for sender, name in names:
        if _is_named(name, question):
            speakers.add(sender)
            # Who is meant goes by the sender; the name in a text is a mere mention.
            weights.update({term: _SCAFFOLDING_WEIGHT for term in terms(name) if term in weights})
    context = {term for term in terms(_parts(question)[1]) if weights[term] == _CONTEXT_WEIGHT}
    return Query(weights, frozenset(speakers), frozenset(context))


def expand(weights: dict[str, float]) -> dict[str, float]:
    """Return the weights with those of synonyms added."""
    wider = dict(weights)
    for term, weight in weights.items():
        if weight > _SCAFFOLDING_WEIGHT:
            for synonym in _synonyms().get(term, ()):
                wider.setdefault(synonym, weight * _SYNONYM_WEIGHT)
    return wider


def _parts(question: str) -> tuple[str, str]:
    found = _CONTEXT.search(question)
    if not found or not terms(question[: found.start()]):
        return question, ""
    return question[: found.start()], question[found.end() :]


def _is_named(name: str, question: str) -> bool:
    """Tell whether a question names somebody, by full or first name.

    One-word names must stand as written ("Marketing" is not "market"); of
    longer ones the stems are enough ("Industrial Design" is the designer).
    """
    spoken = [_exact(token) for token in tokens(question)]
    parts = [_exact(token) for token in tokens(name)]
    if not parts:
        return False
    if len(parts) == 1:
        return parts[0] in spoken
    full, text = words(name), words(question)
    if any(text[at : at + len(full)] == full for at in range(len(text) - len(full) + 1)):
        return True
    return parts[0] in spoken and _is_written_as_name(tokens(name)[0], question)


def _is_written_as_name(first: str, question: str) -> bool:
    """Tell a first name from the same word in lower case ("Project Manager", "the project")."""
    if not first.isascii() or question.islower():
        return True
    return re.search(rf"\b{re.escape(first.capitalize())}\b", question) is not None


def _exact(token: str) -> str:
    """Return a token as names are compared: Hebrew ones without prefixes."""
    return hebrew_stem(token) if "א" <= token[0] <= "ת" else token


@cache
def _scaffolding() -> frozenset[str]:
    return frozenset(words(_SCAFFOLDING))


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for group in _SYNONYMS:
        stems = frozenset(words(group))
        for stem in stems:
            table[stem] = table.get(stem, frozenset()) | (stems - {stem})
    return table
