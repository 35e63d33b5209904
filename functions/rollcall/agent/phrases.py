"""The few sentences the platform itself says to a user, in both languages."""

from __future__ import annotations

from rollcall.core.wire import StopReason

_STOPPED = {
    StopReason.MAX_STEPS: {
        "en": "I stopped at the limit of steps for one question. This is what I found so far.",
        "he": "עצרתי במגבלת הצעדים לשאלה אחת. זה מה שמצאתי עד כה.",
    },
    StopReason.REPEATED_CALLS: {
        "en": "I stopped because I kept looking up the same thing. This is what I found so far.",
        "he": "עצרתי כי חזרתי על אותן בדיקות. זה מה שמצאתי עד כה.",
    },
    StopReason.DEADLINE: {
        "en": "I ran out of time. This is what I found so far.",
        "he": "הזמן שהוקצב נגמר. זה מה שמצאתי עד כה.",
    },
    StopReason.MODEL_UNAVAILABLE: {
        "en": "The language model stopped answering. This is what I found before that.",
        "he": "מודל השפה הפסיק לענות. זה מה שמצאתי לפני כן.",
    },
    StopReason.BLOCKED: {
        "en": "The language model's provider declined to answer this. Try to ask in other words.",
        "he": "ספק מודל השפה סירב לענות על כך. אפשר לנסות לשאול במילים אחרות.",
    },
    StopReason.LENGTH: {
        "en": "The answer was cut off at its greatest length.",
        "he": "התשובה נקטעה באורך המרבי.",
    },
}
_NOTHING_FOUND = {
    "en": "Nothing was found yet; please ask again, perhaps more narrowly.",
    "he": "עדיין לא נמצא דבר; אפשר לשאול שוב, אולי שאלה ממוקדת יותר.",
}
_NO_ANSWER = {
    "en": "The language model gave no answer. Please ask again.",
    "he": "מודל השפה לא החזיר תשובה. אפשר לשאול שוב.",
}


def stopped(reason: StopReason, locale: str) -> str:
    """Why the turn ended early."""
    return _STOPPED[reason].get(locale, _STOPPED[reason]["en"])


def nothing_found(locale: str) -> str:
    return _NOTHING_FOUND.get(locale, _NOTHING_FOUND["en"])


def no_answer(locale: str) -> str:
    return _NO_ANSWER.get(locale, _NO_ANSWER["en"])
