"""The few sentences the platform itself says to a user, in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rollcall.agent.dispatch import Ask
from rollcall.core.context import Decider
from rollcall.core.wire import StopReason

if TYPE_CHECKING:
    from rollcall.agent.turn import Waiting

_STOPPED = {
    StopReason.MAX_STEPS: {
        "en": "I stopped at the limit of steps for one question. This is what I found so far.",
        "he": "עצרתי במגבלת הצעדים לשאלה אחת. זה מה שמצאתי עד כה.",
    },
    StopReason.MAX_CALLS: {
        "en": "I stopped at the limit of tool calls for one question. This is what I found so far.",
        "he": "עצרתי במגבלת הפעלות הכלים לשאלה אחת. זה מה שמצאתי עד כה.",
    },
    StopReason.MAX_TOKENS: {
        "en": "I stopped at the limit of text one question may use. This is what I found so far.",
        "he": "עצרתי במגבלת הטקסט לשאלה אחת. זה מה שמצאתי עד כה.",
    },
    StopReason.MAX_COST: {
        "en": "I stopped at the limit of what one question may cost. This is what I found so far.",
        "he": "עצרתי במגבלת העלות לשאלה אחת. זה מה שמצאתי עד כה.",
    },
    StopReason.BUDGET: {
        "en": "Today's budget for the language model is used up. This is what I found so far.",
        "he": "התקציב היומי למודל השפה נוצל. זה מה שמצאתי עד כה.",
    },
    StopReason.CANCELLED: {
        "en": "Stopped, as you asked.",
        "he": "נעצר לבקשתך.",
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
_ASK_USER = {
    "en": "This waits for your yes: {summary}",
    "he": "זה ממתין לאישורך: {summary}",
}
_ASK_ROLE = {
    "en": "This waits for the yes of someone with the role {role}: {summary}",
    "he": "זה ממתין לאישור של בעל התפקיד {role}: {summary}",
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


def waiting(calls: Sequence[Waiting], locale: str) -> str:
    """What a run waits for people to decide, a line each; "" if it waits for the client only."""
    asked = [each.whom for each in calls if isinstance(each.whom, Ask)]
    return "\n".join(_question(ask.summary, ask.decider, locale) for ask in asked)


def _question(summary: str, decider: Decider, locale: str) -> str:
    texts = _ASK_USER if decider.role is None else _ASK_ROLE
    text = texts.get(locale, texts["en"])
    # Isolated, so that what reads in the other direction stays in its place.
    role = f"\u2068{decider.role}\u2069" if decider.role else ""
    return text.format(summary=f"\u2068{summary}\u2069", role=role)
