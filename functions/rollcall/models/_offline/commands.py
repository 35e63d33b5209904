"""Whether a text wants something done or only known, and the words it dictates to be sent."""

from __future__ import annotations

import re

from rollcall.core.text import tokens
from rollcall.models._offline.lexicon import wordset
from rollcall.models._offline.mentions import mentions

_ASKS = wordset(
    """what what's whats when when's who who's whom whose where where's why why's which how how's
    did does do is are am was were has have had should would will can could may shall any anyone
    anybody anything מה מהו מהי מהם מהן מי מתי למה מדוע איפה היכן כמה איך כיצד האם איזה איזו אילו
    לאן מאיפה במה ממה למי ממי מאיזה באיזה באיזו באילו יש של"""
)
_LOOKS = wordset(
    """summarize summarise summary recap explain describe find search look show list get give
    read check count remind analyze סכם סכמי תסכם תסכמי סיכום הסבר הסבירי תסביר תסבירי תאר ספר ספרי
    תספר תספרי חפש חפשי תחפש תחפשי מצא מצאי תמצא תמצאי הראה הראי תראה תראי הצג הציגי תציג בדוק בדקי
    תבדוק תן תני נתח נתחי"""
)
_POLITE = re.compile(
    r"^\W*(?:(?:hi|hey|hello|ok|okay|please|kindly|now|then|and|also|just)\W+)*"
    r"(?:(?:can|could|would|will) you (?:please |kindly )?|(?:i'd|i would) like (?:you )?to |"
    r"i (?:want|need) (?:you )?to |let's |go ahead and |please |"
    r"(?:ו?בבקשה |האם )?(?:תוכל|תוכלי|אפשר|אתה יכול|את יכולה|אני רוצה|אני צריך|אני צריכה)"
    r"(?: בבקשה)? |בבקשה )?(?:please )?",
    re.IGNORECASE,
)
_ASKS_AFTER = re.compile(
    r"[:;]\s+(?:(?:so|and|but|then) )?(?:does|do|did|is|are|will|would|can|could|should|what|which|"
    r"how)\b|[:;]\s+ו?(?:האם|מה|כמה|איזה|יש|אפשר|צריך)(?![א-ת])",
    re.IGNORECASE,
)
_TELL_ME = re.compile(
    r"(?:tell|show|give|let|send|write|text|message) (?:me|us)\b|"
    r"(?:תגידי?|אמור|אמרי|שלחי?|תשלחי?|כתוב|כתבי|תכתוב|תכתבי) (?:לי|לנו)\b",
    re.IGNORECASE,
)
# What somebody will do is news and no request.
_WILL = re.compile(
    r"(?:i|we|he|she|they|you|it)(?:'ll| will| am going to| are going to| is going to| would)\b|"
    r"(?:אני|אנחנו|הוא|היא|הם|הן) ",
    re.IGNORECASE,
)
_SENDS = re.compile(
    r"(?:(?:re)?send|write|tell|message|reply|answer|respond|post|text|inform|notify|say|"
    r"let(?! me| us)|שלחי?|תשלחי?|לשלוח|כתבי?|כתוב|תכתבי?|תכתוב|לכתוב|תגידי?|להגיד|אמור|אמרי|"
    r"תודיעי?|להודיע|הודיעי?|הודע|תעני?|תענה|ענה|עני|להשיב|השב|השיבי|תשיבי?|תעדכני?|עדכני?)(?!\w)",
    re.IGNORECASE,
)
_DICTATES = (
    re.compile(r"^(?P<rest>[^:\n]{3,100}):\s+(?P<said>\S.*)$", re.DOTALL),
    # tell Tom thanks for the estimate
    re.compile(
        r"^(?P<rest>(?:tell|text|message|answer|reply to|write(?: to)?)\s+[a-z]+)\s+"
        r"(?P<said>(?:thanks|thank you|thx|sorry|yes|no|ok|okay|hi|hello|hey|happy|good|great|"
        r"congrat\w*|well done|see you|welcome|please)\b.*)$",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(
        r"^(?P<rest>.+?),?(?<!\s)\s+(?:saying|to say|know)(?: that)?\s+(?P<said>\S.*)$", re.I | re.S
    ),
    re.compile(
        r"^(?P<rest>.+?)(?<!\s)\s+that\s+(?!message\b|one\b)(?P<said>\S.*)$", re.I | re.DOTALL
    ),
    re.compile(
        r"^(?P<rest>\S+\s+\S.*?)(?<!\s)\s+"
        r"(?P<said>(?:I|I'm|I'll|I've|we|we're|we'll|it's|there's)\s.*)$",
        re.DOTALL,
    ),
)
# "that" is glued to its clause, and these words only look as if it were.
_HEBREW_THAT = re.compile(
    r"^(?P<rest>(?:תגידי?|להגיד|אמור|אמרי|תודיעי?|להודיע|הודיעי?|הודע|תכתבי?|תכתוב|כתבי?|כתוב|"
    r"תעדכני?|עדכני?)\s+(?:את\s+)?\S+(?:\s+\S+){0,4}?)\s+"
    r"(?:כי\s+|ש(?!ל(?:ו|י|ה|הם|נו|ך|כם)?\s|לום|בוע|בת\s|יח|יווק|עה\s|נה\s))(?P<said>[א-ת\"].*)$",
    re.DOTALL,
)


_THEN_ASKS = re.compile(
    r"^(?P<first>.*[^\s,])[\s,]+(?:and |then |and then |ו(?:גם |אז )?)"
    r"(?P<rest>(?:(?:tell|show|give) me|list|what|who|which|when|where|"
    r"תגידי? לי|תרא[הי] לי|הרא[הי] לי|מה|מי|מתי|אילו)(?!\w).*)$",
    re.IGNORECASE | re.DOTALL,
)


def wants_doing(text: str) -> bool:
    """Tell whether a text may want something changed: a request or a statement, no question."""
    bare = text.strip()
    polite = _POLITE.match(bare)
    rest = bare[polite.end() :] if polite else bare
    said = tokens(rest)
    if said[:2] == ["get", "rid"]:
        return True
    if not said or _TELL_ME.match(rest) or _WILL.match(rest) or said[0] in _LOOKS | _ASKS:
        return False
    if _ASKS_AFTER.search(rest):
        return False  # "I want to add a charger: is there room for it?"
    return not bare.endswith("?") or len(rest) < len(bare)


def first_word(text: str) -> str:
    """The word that a request begins with, after "please" and the like."""
    bare = text.strip()
    polite = _POLITE.match(bare)
    return next(iter(tokens(bare[polite.end() :] if polite else bare)), "")


def dictated(text: str) -> tuple[str, str] | None:
    """Return (what to do, words to send) of a text that gives the words; None of any other.

    "Tell the team that I'm late" dictates "I'm late".
    """
    polite = _POLITE.match(text.strip())
    rest = text.strip()[polite.end() if polite else 0 :]
    if not wants_doing(text) or not _SENDS.match(rest):
        return None
    for mention in mentions(rest):
        if mention.kind == "quote":
            command = f"{rest[: mention.start].rstrip(' :,')} {rest[mention.end :].strip()}"
            return command.strip(), str(mention.value).strip()
    for pattern in (_DICTATES[0], _HEBREW_THAT, *_DICTATES[1:]):
        match = pattern.match(rest)
        if match:
            return match["rest"].strip(), match["said"].strip()
    return None


def then_asks(command: str) -> tuple[str, str]:
    """Split "send it to Dana and tell me what is urgent" before the question; "" without one."""
    match = _THEN_ASKS.match(command)
    return (match["first"], match["rest"]) if match else (command, "")
