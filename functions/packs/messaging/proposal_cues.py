"""How people propose, ask for a yes and give it, as patterns over one sentence."""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re

from packs.messaging.cues import any_of
from packs.messaging.patterns import Pattern

_I = re.IGNORECASE

PROPOSES: tuple[Pattern, ...] = (
    Pattern(
        r"^(?:\W|so|ok(?:ay)?|then|and|maybe)*(?:should|shall|can|could) we (?:just |maybe |all |perhaps )*(?P<what>\S.+?)\?",
        _I,
    ),
    Pattern(
        r"^(?:\W|so|ok(?:ay)?|and)*(?:how about|what about|what if we|why don't we|shouldn't we)\s+(?P<what>\S.+?)\?*$",
        _I,
    ),
    Pattern(
        r"^(?:\W|so|ok(?:ay)?|then|and|maybe)*(?:let's|lets) (?!see|say|talk|discuss|decide|wait|meet|chat|hope|not)(?P<what>\S.+?)[.?!]*$",
        _I,
    ),
    Pattern(
        r"\b(?:i|we) (?:would )?(?:suggest|propose|recommend|vote for|vote to|vote we|move that)(?: that)?(?: we)? (?P<what>\S.+?)[.?!]*$",
        _I,
    ),
    Pattern(r"^(?:my )?(?:proposal|suggestion|motion)\s*[:-]\s*(?P<what>\S.+)$", _I),
    Pattern(r"\bi(?:'d)? (?:think|say|feel) we should (?P<what>\S.+?)[.?!]*$", _I),
    Pattern(
        r"^(?:\W|אז|טוב)*(?:אולי|מה דעתכ[םן] ש?|מה דעתך ש?|מה עם|כדאי ש|יאללה|האם )\s?(?:כדאי )?(?P<what>(?:נ|ל|על |את )[א-ת]{2,}.+?)[?!.]*$"
    ),
    Pattern(r"(?<![א-ת])(?:אני )?(?:מציעה?|ממליצה?) (?:ש|ל?על |את )?(?P<what>\S.+?)[?!.]*$"),
    Pattern(r"^(?:\W|אז)*בו?או?י? (?P<what>נ[א-ת]{2,}.+?)[?!.]*$"),
    Pattern(
        r"^(?:\W|אז)*(?P<what>(?:נלך|הולכים|נעבור|נדחה|נשיק|נבטל|נזמין|נקבע|נסגור)(?![א-ת]) \S.+?)\?$"
    ),
    Pattern(r"^(?:ההצעה שלי|הצעה)\s*[:-]\s*(?P<what>\S.+)$"),
)

# A yes that settles what somebody asked for or offered, and perhaps says it again.
SETTLES = Pattern(
    r"^\W*(?:(?:yes|ok|okay|fine|cheap|good|great|כן|טוב)[\s,.!]+)?(?P<yes>approved|accepted|(?:i )?approve(?: it)?|go ahead|do it|let's do (?:that|it)|then let's do (?:that|it)"
    r"|deal|it's a deal|agreed|מאושר|מאשרת?|סגור|הולכים על זה|מקובל עליי?|סוכם)(?![\w])[\s,.:!-]*(?P<rest>.*)$",
    _I | re.DOTALL,
)
# What can be settled: a wish, an offer, a price.
OPEN = any_of(
    [
        "should",
        "approval",
        "approve",
        "propos(?:e|al)",
        "suggest",
        "offer",
        "instead",
        "could",
        "would",
        "we can",
        "think we can",
        "how about",
        "what about",
        "need",
        "per (?:month|day|hour|year)",
        "a month",
        "if we",
        "let's",
        "ask(?:s|ing)? for",
        r"i'd (?:give|offer|take|pay|move|use|keep|make|start|go with)",
    ],
    [
        "מציעה?",
        "הצעה",
        "לאשר",
        "אישור",
        "אפשר",
        "כדאי",
        "מבקשת?",
        "מבקשים",
        "לחודש",
        "במחיר",
        "אם נ[א-ת]+",
        "רוצה",
        "אולי",
    ],
)
_PROMISE = Pattern(
    r"^(?:i'll|i will|i'm|i can|will do|on it|thanks|thank|אני |א[א-ת]{3,} |מ[א-ת]{3,}ת? |תודה|על זה|רק א)",
    _I,
)


def promises(rest: str) -> bool:
    """Tell whether what follows a yes promises a task, so that nothing was decided."""
    return _PROMISE.match(rest) is not None


# "10% is fine, don't go below": a yes to a part of what was asked for, which it names.
ALLOWS = Pattern(
    r"^(?:\W|yes|ok(?:ay)?|so)*(?P<what>[^,.?!]{2,50}?) (?:is|are|would be|sounds) (?:fine|ok(?:ay)?|acceptable|good enough)(?: (?:with|by|for) (?:me|us))?[.,;!]*(?:$| (?!but\b|if\b|as\b))"
    r"|^(?:\W|כן|טוב)*(?P<he>[^,.?!]{2,50}?) (?:זה )?(?:בסדר|מקובל(?: עליי?)?)(?:$|[.,!])",
    _I,
)
# "A home assignment or a paid day?", unless it asks for a taste or a fact.
CHOICE = Pattern(r"\b(?:or|vs\.?)\b|(?<![א-ת])או(?![א-ת])", _I)
NO_CHOICE = Pattern(
    r"^(?:is|are|was|were|did|does|has|have)\b|\b(?:you (?:want|prefer|like|know|mean)|your|or (?:not|no|what))\b|(?<![א-ת])(?:רוצה|רוצים|בא לך|יודעת?|או לא|שלך)(?![א-ת])",
    _I,
)
NUMBER = Pattern(
    r"\d|\b(?:one|two|three|four|five|six|ten|twice|half|third|percent)\b|(?<![א-ת])(?:חצי|אחוז|פעמיים|שני|שלוש)",
    _I,
)
PAST = Pattern(
    r"\b(?:was|were|had|did|took|got|went|ended|\w+ed)\b|(?<![א-ת])(?:היה|היו|הייתה|לקח)", _I
)

_ASKED = Pattern(
    r"^(?:[A-Zא-ת][\w'-]*, )?(?:(?:[A-Z]\w+ )?(?:thinks?|says?|suggests?|believes?|feels?)(?: that)? we (?:can|could|should) "
    r"|(?:i|we) (?:need|want|ask for|would like|'d like)(?: your| an?)? (?:approval|permission|go-ahead|ok|budget) (?:for|to) "
    r"|(?:can|could|may|should|shall) (?:we|i|you) (?:please )?|(?:any objections to|is it ok to|are we ok with) "
    r"|(?:את יכולה|אתה יכול|תוכלי|תוכל|אפשר|אולי כדאי) )",
    _I,
)


def asked_for(sentence: str) -> str:
    """Return what a sentence wants a yes to, without the words of asking."""
    return _ASKED.sub("", sentence)
