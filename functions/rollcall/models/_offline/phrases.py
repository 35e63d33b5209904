"""The planner's own sentences, and what small talk looks like, in English and Hebrew."""

from __future__ import annotations

import re
from functools import cache

from rollcall.core.text import tokens

PHRASES: dict[str, dict[str, str]] = {
    "hello": {
        "en": "Hello! I'm doing well, thank you. Here is what I can do, for example:",
        "he": "שלום! הכול טוב, תודה. אפשר לבקש ממני, למשל:",
    },
    "hello_bare": {"en": "Hello! How can I help?", "he": "שלום! איך אפשר לעזור?"},
    "thanks": {"en": "You're welcome!", "he": "בשמחה!"},
    "bye": {"en": "Goodbye!", "he": "להתראות!"},
    "who": {
        "en": "I'm Rollcall's offline planner: a set of fixed rules that picks tools and puts "
        "their results into words. I'm not a language model.",
        "he": "אני המתכנן הלא־מקוון של Rollcall: מערכת כללים קבועה שבוחרת כלים ומנסחת את "
        "התוצאות שלהם. אני לא מודל שפה.",
    },
    "help": {
        "en": "Here is what I can do, for example:",
        "he": "אפשר לבקש ממני, למשל:",
    },
    "no_tools": {
        "en": "I have no tools to work with here, so there is nothing I can look up or do.",
        "he": "אין לי כאן כלים לעבוד איתם, ולכן אין משהו שאוכל לחפש או לעשות.",
    },
    "nothing_fits": {
        "en": "I don't have a tool that fits this request. Here is what I can do, for example:",
        "he": "אין לי כלי שמתאים לבקשה הזאת. אפשר לבקש ממני, למשל:",
    },
    "cancelled": {"en": "All right, I've dropped that.", "he": "בסדר, עזבתי את זה."},
    "so_far": {
        "en": "A limit was reached, so this is what I found so far.",
        "he": "הגענו למגבלה, אז זה מה שמצאתי עד כה.",
    },
    "nothing_so_far": {
        "en": "A limit was reached before I found anything.",
        "he": "הגענו למגבלה לפני שמצאתי משהו.",
    },
    "which": {"en": "Which {what} do you mean?", "he": "{which} {what} הכוונה?"},
    "what": {"en": "What should I use for the {what}?", "he": "מה לרשום עבור {what}?"},
    "what_about": {
        "en": "What should I use for the {what} ({about})?",
        "he": "{about} – מה לרשום?",
    },
    "choose": {
        "en": "Which {what} would you like: {options}?",
        "he": "{which} {what} הכוונה: {options}?",
    },
    "whether": {"en": "{about}: yes or no?", "he": "{about}: כן או לא?"},
    "yes": {"en": "Yes", "he": "כן"},
    "no": {"en": "No", "he": "לא"},
    "or": {"en": "or", "he": "או"},
    "none": {"en": "I found no {what}.", "he": "לא מצאתי {what}."},
    "none_about": {
        "en": "I found no {what} about “{topic}”.",
        "he": "לא מצאתי {what} בנושא „{topic}”.",
    },
    "about": {"en": "about “{topic}”", "he": "בנושא „{topic}”"},
    "also_there": {"en": "Also in the same place:", "he": "ועוד באותו מקום:"},
    "more": {"en": "…and {count} more.", "he": "…ועוד {count}."},
    "of_total": {"en": "{shown} of {total}", "he": "{shown} מתוך {total}"},
    "done": {"en": "Done.", "he": "בוצע."},
    "failed": {
        "en": "I couldn't {what}: {why}.",
        "he": "לא הצלחתי להשלים את „{what}”: {why}.",
    },
    "failed_plain": {
        "en": "I couldn't {what}; something went wrong.",
        "he": "לא הצלחתי להשלים את „{what}”: משהו השתבש.",
    },
    "rejected": {
        "en": "This was not approved, so nothing was done.",
        "he": "הבקשה לא אושרה, ולכן לא בוצע דבר.",
    },
    "expired": {
        "en": "Nobody approved this in time, so nothing was done.",
        "he": "הבקשה לא אושרה בזמן, ולכן לא בוצע דבר.",
    },
    "unknown": {
        "en": "I can't tell whether this was done; please check before you ask again.",
        "he": "אין לדעת אם הפעולה בוצעה; כדאי לבדוק לפני שמבקשים שוב.",
    },
    "written_before": {
        "en": "The first try of this has written already, and that stays as it "
        "is:\n\n{lines}\n\nA yes "
        "now writes once more.",
        "he": "הניסיון הקודם כבר כתב, ומה שנכתב נשאר:\n\n{lines}\n\nאישור עכשיו יכתוב פעם נוספת.",
    },
    "unmet": {
        "en": "I have no tool for “{part}” by itself; see whether what is above answers it.",
        "he": "אין לי כלי בשביל „{part}” בפני עצמו; אולי יש לכך תשובה במה שלמעלה.",
    },
    "reason": {"en": "The reason given: {why}.", "he": "הסיבה שניתנה: {why}."},
    "assumed": {"en": "Assumed:", "he": "הנחות:"},
    "not_all": {
        "en": "Note: not everything was searched, so there may be more.",
        "he": "שימו לב: לא הכול נסרק, ולכן ייתכן שיש עוד.",
    },
    "none_but": {
        "en": "I found no {what} about “{topic}”, but this was said:",
        "he": "לא מצאתי {what} בנושא „{topic}”, אבל זה מה שנאמר:",
    },
    "no_such": {
        "en": "The list has no item there; it has {count}.",
        "he": "אין פריט כזה ברשימה; יש בה {count}.",
    },
    "quoted": {"en": "“{text}”", "he": "„{text}”"},
    "due": {"en": "due {when}", "he": "עד {when}"},
    "replaced": {"en": "replaced since", "he": "הוחלפה מאז"},
    "your": {"en": "your {what}", "he": "ה{what} שלך"},
    "of_others": {"en": "…and {count} of others.", "he": "…ועוד {count} של אחרים."},
    "of_others_seen": {
        "en": "…and {count} of others; these are the first {seen} of {total}.",
        "he": "…ועוד {count} של אחרים; אלה {seen} הראשונים מתוך {total}.",
    },
    "of_whom": {"en": "{what} · {who}", "he": "{what} · {who}"},
    "results": {"en": "results", "he": "תוצאות"},
}


def say(key: str, language: str, **values: object) -> str:
    """Return a sentence in a language."""
    return PHRASES[key]["he" if language == "he" else "en"].format(**values)


_HELLO = """hello hi hey heya howdy greetings good morning afternoon evening there how how's are you
    doing today going is it everything well nice to meet what's up again all שלום היי הי אהלן
    בוקר ערב צהריים טוב טובים מה שלומך שלומכ נשמע קורה המצב אתה את איך הולך לך לילה my friend"""
_GREET = "hello hi hey heya howdy greetings morning afternoon evening שלום היי הי אהלן"
_THANKS = (
    "thanks thank you thx so much very a lot great perfect awesome cool nice ok okay for the help "
    "your that was helpful you're youre you are u r ur the best an star legend genius lifesaver "
    "kind "
    "really appreciate appreciated it i man mate buddy friend wonderful amazing brilliant "
    "אתה את אלוף אלופה מלך מלכה תותח תותחית גאון גאונה מושלם מושלמת מאוד הצלת אותי עזרת לי ממש "
    "כל הכבוד "
    "תודה רבה המון לך על העזרה מעולה אחלה יופי סבבה מצוין"
)
_THANK = "thanks thank thx תודה"
_BYES = "bye goodbye ciao להתראות ביי"
_BYE = "bye goodbye see you later ciao have a nice day להתראות ביי יום טוב לילה"
_WHO = re.compile(
    r"\b(?:who|what) (?:exactly )?are you\b|\bare you (?:really )?(?:an? )?(?:ai|bot|robot|human|"
    r"chatbot|chatgpt|gpt|gemini|llm|language model|real|model|person)\b|"
    r"\b(?:which|what) (?:ai |language )?model (?:are you|do you use|is this|powers you)|"
    r"(?:מי|מה) (?:אתה|את)(?:\s*\?|\s*$)|(?:אתה|את) (?:בוט|רובוט|מודל|בן אדם|אנושי|בינה|AI)|"
    r"(?:איזה|באיזה) מודל (?:אתה|את)",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"^\W*(?:help|what can you do|what can you help(?: me)? with|how can you help(?: me)?|"
    r"what do you do|what are your (?:capabilities|skills|tools)|"
    r"עזרה|מה (?:אתה|את) (?:יודע|יודעת|יכול|יכולה)(?: לעשות)?|במה (?:אתה|את) (?:יכול|יכולה) לעזור"
    r"(?: לי)?|איך (?:אתה|את) (?:יכול|יכולה) לעזור(?: לי)?)\W*$",
    re.IGNORECASE,
)


def small_talk(text: str) -> str | None:
    """Return "hello", "thanks", "bye", "who" or "help" for a message that is only that."""
    said = set(tokens(text))
    if not said or len(text) > 160:
        return None
    if _WHO.search(text):
        return "who"
    if _HELP.match(text):
        return "help"
    if said & _bag(_THANK) and said <= _bag(_THANKS) | _bag(_HELLO) | _bag(_BYE):
        return "thanks"
    if said & _bag(_BYES) and said <= _bag(_BYE) | _bag(_THANKS):
        return "bye"
    if said <= _bag(_HELLO) and (said & _bag(_GREET) or len(said) > 1):
        return "hello"
    return None


@cache
def _bag(text: str) -> frozenset[str]:
    return frozenset(tokens(text))
