"""Whether a text asks for something that has to be looked up, and the tool to look it up with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rollcall.core.text import sentences, tokens
from rollcall.models._offline import topic
from rollcall.models._offline.choose import rank
from rollcall.models._offline.lexicon import all_features, features, spaced, weak_features, wordset
from rollcall.models._offline.schema import Param, params
from rollcall.models.base import ToolSpec

_SEARCH = wordset("search find lookup look query")
_OWN = wordset("user user's users users' your my own all")
_QUERY = wordset("query search keywords keyword text question topic")
_ASKS = wordset(
    """what what's whats when when's who who's whom whose where where's why why's which how how's
    did does do is are was were has have had will would should can could any anyone anybody anything
    מה מהו מהי מהם מהן מי מתי למה מדוע איפה היכן כמה איכ כיצד האמ איזה איזו אילו לאנ מאיפה מהיכנ
    במה ממה למי ממי מאיזה באיזה באיזו באילו האם איך לאן יש"""
)
_LOOKS = wordset(
    """summarize summarise summary recap explain describe find search look show tell anything
    everything details information remind סכמ סכמי תסכמ תסכמי סיכומ הסבר הסבירי תסביר תסבירי תאר ספר
    ספרי תספר תספרי חפש חפשי תחפש תחפשי מצא מצאי תמצא תמצאי הראה הראי תראה תראי פרטימ מידע סכם תסכם
    סיכום פרטים"""
)
_DOES = wordset(
    """book order buy reserve write compose draft draw paint translate play sing send email call
    remind schedule set turn open close run execute create make generate build add insert delete
    remove update edit calculate compute convert install deploy start pay transfer upload download
    print mark join leave invite reply act pretend imagine solve count roll flip
    הזמן הזמיני תזמין תזמיני כתוב כתבי תכתוב תכתבי תרגם תרגמי תתרגם נגן שלח שלחי תשלח תשלחי צור צרי
    תיצור הכן הכיני תכין תכיני בנה צייר ציירי תצייר שיר שירי תשיר הוסף הוסיפי תוסיף תוסיפי מחק מחקי
    תמחק תמחקי עדכן עדכני חשב חשבי תחשב המר הפעל כבה סגור פתח תזכיר תזכירי קבע קבעי תקבע תקבעי
    הדפס תדפיס קנה תקנה פתור תפתור"""
)
_CHANGES = wordset(
    """delete remove erase send email forward reply מחק מחקי תמחק תמחקי שלח שלחי תשלח תשלחי"""
)
_CHATTER = wordset(
    """i i'm i've i'll you me we we're he she they it ok okay yes no yeah yep nope sure hmm lol
    wow haha cool fine good bad nice test hey please sorry maybe thanks cancel forget never
    nevermind stop אני אתה אנחנו הוא היא כן לא אוקיי סבבה טוב בסדר אולי חח חחח תודה בטל עזוב
    עזבי תעזוב לבטל די"""
)
# What anybody knows, or wants made up, is in nobody's own data.
_ELSEWHERE = re.compile(
    r"what(?:'s| is| will be) the (?:weather|temperature|time|date)\b|"
    r"\b(?:weather|forecast) (?:in|for|like|today|tomorrow)\b|"
    r"\b(?:capital|population|currency|president|prime minister|square root) of\b|"
    r"\bwho (?:won|invented|discovered|painted|composed) the\b|"
    r"\b(?:joke|poem|haiku|limerick|riddle|horoscope|lottery|meaning of life)s?\b|"
    r"\bhow (?:do|does|would|should|can) (?:you|i|we|they|one) (?:say|spell|write|pronounce)\b.+"
    r"\bin \w+\W*$|"
    r"(?<!\w)(?:איך|כיצד) (?:אומרים|אומר|כותבים|מבטאים|הוגים) .+ ב[א-ת]+ית\W*$|"
    r"\d\s*(?:[-+*/×÷^]|plus|minus|times|divided by|ועוד|כפול|פחות|חלקי)\s*\d|"
    r"(?<!\w)(?:מזג ה?אוויר|תחזית|בירת|בדיחה|בדיחות|חידה|מתכון|הורוסקופ|"
    r"ראש ממשלת|שורש ריבועי)(?!\w)",
    re.IGNORECASE,
)
# What is to be told to somebody else is not looked for.
_TELLS_OTHERS = re.compile(
    r"^tell (?!me\b|us\b|about\b)\w|^(?:תגידי?|אמור|אמרי|תמסרי?|מסרי?) ל(?!י\b|נו\b)", re.IGNORECASE
)
_TO_YOU = re.compile(
    r"^(?:do|are|have|did|were|would|will|can|could) you\b|^what(?:'s| is| are) your\b|"
    r"^how old are you|^(?:האם )?(?:אתה|את) (?!ה)",
    re.IGNORECASE,
)
_KEYS = re.compile(
    r"asd|sdf|dfg|fgh|ghj|hjk|jkl|zxc|xcv|cvb|vbn|qwe|[bcdfghjklmnpqrstvwxz]{6}|"
    r"[jkq][bcdfghjkmpqtvwxz]|[bcdfgjmpqtvwxz]j|שדג|דגכ|גכע|זסב|קראט"
)
_MOST_PHRASE = 8


def searcher(text: str, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool that searches the user's own data by words, the best fitting first."""
    found = [tool for tool in tools if _searches(tool)]
    return rank(text, found)[0].tool if found else None


def _searches(tool: ToolSpec) -> bool:
    needed = [param for param in params(tool) if param.required]
    named = set(spaced(tool.name).split())
    lead = {*named, *tokens(tool.description.partition(". ")[0])}
    alone = len(needed) == 1 and _takes_words(needed[0])
    return alone and not tool.writes and bool(named & _SEARCH) and bool(lead & _OWN)


def _takes_words(param: Param) -> bool:
    plain = param.kind == "string" and not param.options
    return plain and bool(set(param.label.split()) & _QUERY)


def looked_up(text: str) -> str | None:
    """Return the sentence of a text that asks for something to be found; None without one."""
    if _ELSEWHERE.search(text):
        return None
    return next((s for s in reversed(sentences(text) or [text]) if _asks(s)), None)


def refuses(text: str, tool: ToolSpec) -> bool:
    """Tell whether a text wants something sent or deleted, and a tool does nothing of the kind."""
    said = tokens(topic.plain(text))
    if tool.writes or not said or said[0] not in _CHANGES:
        return False
    told = " ".join((spaced(tool.name), tool.description, *tool.keywords))
    return not set(all_features(said[0])) & set(all_features(told))


def _asks(sentence: str) -> bool:
    bare = topic.plain(sentence)
    said = tokens(bare)
    content = content_of(bare)
    if not content or _TO_YOU.match(bare) or _TELLS_OTHERS.match(bare):
        return False
    if all(_KEYS.search(word) for word in content):
        return False
    if said[0] in _DOES or "בטל" in said or said[0] in ("never", "forget", "cancel"):
        return False
    if bare.rstrip().endswith("?") or said[0] in _ASKS | _LOOKS:
        return True
    return len(said) <= _MOST_PHRASE and not set(said) & _CHATTER and not _KEYS.search(bare.lower())


def content_of(text: str) -> list[str]:
    """Return the words of a text that say what is asked about."""
    weak = weak_features()
    asking = _ASKS | _LOOKS
    return [
        token
        for token in dict.fromkeys(tokens(text))
        if token not in asking
        and any(char.isalpha() for char in token)
        and any(feature not in weak for feature in features(token))
    ]
