"""Signs in a sentence that several readings of chat share: asking, denying, agreeing.

Patterns meet text as `plain` returns it. English cues are whole words; Hebrew
ones may carry up to two glued letters ("ושדחוף").
"""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re
from collections.abc import Iterable

from packs.messaging.patterns import Pattern

_NIQQUD = Pattern("[\u0591-\u05bd\u05bf-\u05c7]")
_TYPOGRAPHY = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u05f3": "'", "\u05f4": '"', "\u201c": '"', "\u201d": '"'}
    | {"\u05be": "-", "\u2013": "-", "\u2014": "-", "\u200f": None, "\u200e": None}
)


def plain(text: str) -> str:
    """Return a text with simple quotes and dashes, without niqqud, on one line."""
    return " ".join(_NIQQUD.sub("", text.translate(_TYPOGRAPHY)).split())


def any_of(english: Iterable[str] = (), hebrew: Iterable[str] = ()) -> Pattern:
    """Return a pattern that finds any of these expressions as whole words."""
    parts = []
    if english := list(english):
        parts.append(rf"(?<![\w'])(?:{'|'.join(english)})(?![\w])")
    if hebrew := list(hebrew):
        parts.append(rf"(?<![א-ת])[ושהכ]{{0,2}}(?:{'|'.join(hebrew)})(?![א-ת])")
    return Pattern("|".join(parts), re.IGNORECASE)


REQUEST = any_of(
    [
        r"(?:can|could|would|will) (?:you|someone|somebody|anyone)",
        r"please",
        r"pls",
        r"need you to",
        r"(?:we|i|you) (?:really )?(?:need|have) to",
        r"(?:don't|do not) forget",
        r"make sure",
        r"(?:must|needs? to) be",
        r"i need",
        r"let me know",
    ],
    [
        "תוכלי?",
        "תוכלו",
        "בבקשה",
        "נא",
        "אפשר (?:בבקשה|לקבל)",
        r"אתה יכול",
        r"את יכולה",
        r"צרי(?:ך|כה) (?:ש|ל)[א-ת]+",
        r"צריכים ל[א-ת]+",
        r"חייבת? ל[א-ת]+",
        r"חייבים ל[א-ת]+",
        r"אל תשכחו?י?",
        r"ת(?:שלח|בדוק|בדק|טפל|עדכנ|עדכן|תקשר|חזור|חזר|כין|כינ|סגור|סגר|עביר|תקן|תקנ)[יו]?",
        r"תענ[הו]",
        r"תעני",
    ],
)

AGREES = Pattern(
    r"^\W*(?:yes|yep|yeah|yup|sure|ok|okay|k|agreed|agree|i agree|totally agree|absolutely|definitely"
    r"|sounds (?:good|great|like a plan)|will do|on it|i'm on it|no problem|np|of course|got it|done deal"
    r"|deal|perfect|great|works for me|fine (?:by|with) me|let's do (?:it|that)|go for it|go ahead|approved"
    r"|i'm in|consider it done|makes sense|good idea|great idea|happy to|roger|my pleasure|\+1|👍|✅|👌"
    r"|כן|בטח|ברור|סבבה|אין בעיה|בסדר(?: גמור)?|על זה|אני על זה|סגור|סגרנו|מסכימה?|מסכימים|אני מסכימה?"
    r"|מעולה|מצוין|יאללה|אחלה|אוקיי?|מאושר|מאשרת?|מקובל(?: עליי?)?|רעיון (?:טוב|מצוין|מעולה)|בכיף|בשמחה"
    r"|קיבלתי|מטפלת?(?: בזה)?|אעשה(?: את זה)?|הולכים על זה|נשמע (?:טוב|מעולה))(?![\w])",
    re.IGNORECASE,
)

REFUSES = Pattern(
    r"^\W*(?:no\b(?! problem| worries)|nope|nah|sorry,? (?:i )?can(?:'t|not)|i can(?:'t|not)|i'd rather not"
    r"|i disagree|disagree|not (?:sure|really|yet)|i don't (?:think|agree)|let's not|hold on|wait"
    r"|לא(?![א-ת])(?! בעיה)|אני לא (?:יכולה?|מסכימה?)|מצטערת?|סליחה|עדיף שלא|רגע)",
    re.IGNORECASE,
)

HESITATES = any_of(
    ["but", "however", "although", "not sure", "wait", "unless"],
    ["אבל", "רק ש", "לא בטוחה?", "אלא אם"],
)

HYPOTHETICAL = any_of(
    [
        r"if (?!you (?:can|could|have|get|don't mind)|possible|that's ok)",
        "what if",
        "maybe",
        "perhaps",
        "might",
        "would have",
        "could have",
        "should have",
        "i wish",
        "in theory",
        "hypothetically",
        "suppose",
        "wondering",
        "someday",
    ],
    ["אם", "אולי", "נניח", "היה כדאי", "הייתי", "היינו", "תאורטית", "תיאורטית", "מתישהו", "הלוואי"],
)


def agrees(text: str) -> bool:
    """Tell whether a reply says yes, without a "but"."""
    text = plain(text)
    if "?" in text[:25] or HESITATES.search(text):
        return False
    return AGREES.match(text) is not None


def refuses(text: str) -> bool:
    """Tell whether a reply says no, or not yet."""
    return REFUSES.match(plain(text)) is not None
