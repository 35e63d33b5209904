"""How people propose, decide, leave open and take back: patterns over one sentence."""

import re

from packs.messaging.cues import any_of
from packs.messaging.patterns import Pattern

# ruff: noqa: E501 - patterns are easier to read unbroken.


_I = re.IGNORECASE
_ADVERB = r"(?:(?:all|already|just|finally|also|now|both|officially|unanimously) )*"
_GROUP = r"(?P<maker>[Tt]he (?:board|management|team|client|customer|committee|ceo|cto|boss|council|school|group|bank|city|leadership|manager|director)|[Mm]anagement|[Ll]eadership|[A-Z][a-z]+(?: [A-Z][a-z]+)?)"

# Pattern, confidence; `what` is what was decided, else the sentence is.
DECIDES: tuple[tuple[Pattern, float], ...] = (
    (
        Pattern(
            r"(?:^|[.,;-] |\b)(?:the )?(?:final )?decision(?: is|:| -| was)\s*:?\s*(?P<what>(?!not?\b|pending|still|yours|up to|hard|due)\S.+)$",
            _I,
        ),
        0.92,
    ),
    (
        Pattern(
            rf"\b(?:we|i)(?:'ve| have)? {_ADVERB}(?:decided|agreed|chosen|settled|opted|resolved|picked|concluded|voted|signed off|selected)(?: (?:on|to|that|with|for|in favou?r of|against))*\s+(?P<what>\S.+)$",
            _I,
        ),
        0.88,
    ),
    (
        Pattern(
            rf"^{_GROUP} (?:has |have )?{_ADVERB}(?:decided|approved|agreed|chose|voted|rejected|signed off)(?: (?:on|to|that|with|for))*\s+(?P<what>\S.+)$"
        ),
        0.8,
    ),
    (
        Pattern(
            r"^(?:\W|ok(?:ay)?|so|then|yes|right|great|good|alright|all right|and|agreed|perfect)*(?:let's|lets) (?:go (?:with|for|ahead with)|stick (?:with|to)|settle on|use|do)\s+(?P<what>(?!it\b|that\b|this\b)\S.+)$",
            _I,
        ),
        0.8,
    ),
    (
        Pattern(
            rf"\b(?:we(?:'re| are)|i'm|i am) (?:{_ADVERB})?(?:going (?:with|ahead with|for)|sticking (?:with|to)|moving (?:to|ahead with|forward with)|switching to|dropping|cancell?ing|postponing)\s+(?P<what>\S.+)$",
            _I,
        ),
        0.82,
    ),
    (
        Pattern(
            r"\bwe(?:'ll| will) (?:go (?:with|for|ahead with)|stick (?:with|to)|use|switch to|launch|drop|postpone|cancel|move|keep|replace|pay|cover|hire|skip)\s+(?P<what>\S.+)$",
            _I,
        ),
        0.66,
    ),
    (
        Pattern(
            r"^(?:\W|ok(?:ay)?|so|then)*we (?P<what>(?:drop|pay|keep|move|cancel|replace|cover|launch|stop|postpone|go with|make|ship)\b\s\S.+)$",
            _I,
        ),
        0.62,
    ),
    (
        Pattern(
            r"\b(?:it's|it is|that's|that is|then it's|is|are|was|been) (?:now |officially |finally )?(?:decided|settled|final|official|agreed)\b[,:.]?\s*(?:that )?(?P<what>.*)$",
            _I,
        ),
        0.85,
    ),
    (
        Pattern(
            r"^(?:\W|ok(?:ay)?|so)*(?:decided|agreed|settled|final answer|verdict|resolved)\s*[:.,-]\s*(?P<what>\S.+)$",
            _I,
        ),
        0.82,
    ),
    (
        Pattern(
            r"^(?P<what>[^,?]{3,60}?)(?<!what)(?<!that)(?<!as)(?<!where)(?<!how)(?<!who)(?<!where)(?<!and) it is\b(?! (?:a|an|the|not|so|too|very|going|hard|also|in)\b).*$",
            _I,
        ),
        0.72,
    ),
    (
        Pattern(
            r"^(?P<what>.{3,80}?) (?:is|are|was|were|has been|have been) (?:now |officially |finally )?(?:approved|accepted|signed off|rejected|frozen|capped|cancell?ed|postponed|confirmed)\b.*$",
            _I,
        ),
        0.8,
    ),
    (
        Pattern(
            r"^(?:\W|ok(?:ay)?|so)*(?:i (?:hereby )?(?:approve|accept|reject|authori[sz]e)|approving|approved:?|accepted:?)\s+(?P<what>(?!go\b|by\b|if\b)\S.+)$",
            _I,
        ),
        0.82,
    ),
    (
        Pattern(
            r"\bthe (?:plan|answer|verdict|choice|winner|new (?:date|name|price|plan)|final (?:date|price|name|plan|choice))(?: now)? is (?:now )?(?P<what>(?!not|attached|ready|here|below|unclear|still|to\b|under|what)\S.+)$",
            _I,
        ),
        0.66,
    ),
    (
        Pattern(
            r"\b(?P<what>(?:the )?[\w' ]{3,50} (?:moves|is moved|was moved|has moved|got moved|will move) to \S.+)$",
            _I,
        ),
        0.6,
    ),
    (
        Pattern(
            r"^(?:\W|so|ok(?:ay)?)*(?:from now on|going forward|starting (?:today|tomorrow|next \w+)|as of \w+),? (?P<what>(?!i\b|i'll\b)\S.+)$|^(?:\W|אז)*(?:מעכשיו|מהיום|החל מ[א-ת]+),? (?P<what2>(?!אני )\S.+)$",
            _I,
        ),
        0.62,
    ),
    (
        Pattern(r"\b(?P<what>[^.]{5,90}?,? from (?:now|today|next \w+|tomorrow) on\b.*)$", _I),
        0.6,
    ),
    (
        Pattern(
            r"\b(?:green[- ]?light(?:ed)?|gave the go-?ahead (?:for|to)|signed the)\s+(?P<what>\S.+)$",
            _I,
        ),
        0.72,
    ),
    (
        Pattern(
            r"(?<![א-ת])ו?(?:אז )?(?:החלטנו|החלטתי|הוחלט|סוכם|סיכמנו|הסכמנו|בחרנו|סגרנו)(?:\s+(?:פה אחד|סופית|בסוף|היום))*(?:\s*[:,-]?\s*)(?:על |ש(?=[א-ת]{2})(?!ל|נ[יה]|ב[עו]|י)|את |ב(?=[א-ת]{3}))?(?P<what>\S.+)$"
        ),
        0.88,
    ),
    (
        Pattern(
            r"(?<![א-ת])ה?החלטה(?: הסופית)?(?: היא)?\s*[:,-]\s*(?P<what>\S.+)$|(?<![א-ת])ההחלטה(?: הסופית)? היא (?P<what2>\S.+)$"
        ),
        0.92,
    ),
    (
        Pattern(
            r"(?<![א-ת])(?P<maker>ההנהלה|המנכ\"ל(?:ית)?|הוועד(?:ה)?|הצוות|הלקוח|הבוס|הדירקטוריון|המנהלת?) (?:החליטה?|החליטו|אישרה?|אישרו|הסכימה?|בחרה?) (?:על |את |ל|ש)?(?P<what>\S.+)$"
        ),
        0.8,
    ),
    (
        Pattern(
            r"(?<![א-ת])(?:אז )?(?:הולכים על|הולכים עם|נלך על|נלך עם|סוגרים על|נשארים עם|מתקדמים עם|עוברים ל)\s*(?P<what>(?!זה(?![א-ת]))\S.+)$"
        ),
        0.82,
    ),
    (
        Pattern(
            r"(?<![א-ת])(?:אושר|אושרה|אושרו|אישרתי|אישרנו|מאושר|מאושרת|מאושרים|מאשר|מאשרת)(?![א-ת])(?: גם)?(?: ב?הנהלה)?\s*[:,.-]?\s*(?:את )?(?P<what>\S.*)?$"
        ),
        0.78,
    ),
    (
        Pattern(
            r"^(?P<what>.{3,70}?) (?:אושר|אושרה|אושרו|מאושר|מאושרת|נבחר|נבחרה|בוטל|בוטלה|נדחה|נדחתה)(?![א-ת]).*$"
        ),
        0.74,
    ),
    (
        Pattern(
            r"^(?:\W|אז|טוב|סגור|כן)*(?P<what>(?:עוצרים|מחליפים|דוחים|מבטלים|משיקים|מקדימים|מעבירים את|מפסיקים)(?![א-ת]) \S.+)$"
        ),
        0.66,
    ),
    (
        Pattern(
            r"^(?P<what>ה(?:תאריך|מועד|שם|מחיר|תקציב)(?: ה[א-ת]+)?(?: של [א-ת\" ]{2,30})? (?:הוא|היא|יהיה) \S.+)$"
        ),
        0.62,
    ),
    (Pattern(r"^(?:\W|אז)*סגור[,:.-]\s*(?P<what>(?!אני|א[א-ת]{3,}|תודה|על זה)\S.+)$"), 0.6),
)

UNDECIDED = any_of(
    [
        r"(?:haven't|hasn't|have not|has not|didn't|did not|couldn't|can't|cannot|never|not yet|don't|not) (?:\w+ ){0,2}(?:decide|decided|deciding|agree|agreed|settled|chosen|final|approved|a decision)",
        r"(?:need|needs|have|has|want|try|trying|going|yet|ready|time|hard|how|who|when|before|until|able|unable|supposed) (?:\w+ )?(?:to|we|you|they|gets to) (?:\w+ )?(?:decide|agree|settle|choose|approve|vote)",
        r"(?:undecided|no decision|pending|tbd|up in the air|still (?:deciding|debating|thinking|discussing|open|undecided))",
        r"(?:will|shall|should|must|to) be (?:decided|approved|agreed|settled)",
        r"(?:let's|we'll|we will|i'll) (?:decide|agree|vote|settle)",
        r"(?:if|once|when|until|unless|whether|after) (?:\w+ ){0,4}(?:decided?|approved?|agreed?|decides|approves|agrees|is approved|go with)",
        r"(?:waiting|wait|asked|ask|asking|hoping|need|needs) (?:for|on)? ?(?:\w+ ){0,3}(?:decision|approval|sign-?off)",
        r"(?:agree|agreed|decided) to disagree",
        r"before we decide",
        r"otherwise",
    ],
    [
        r"(?:עוד |עדיין )?לא (?:החלטנו|הוחלט|סוכם|סיכמנו|החלטתי|הסכמנו|אושר|אושרה|סגרנו|מאושר|בחרנו|סופי)",
        r"טרם (?:החלטנו|הוחלט|אושר|אושרה|סוכם)",
        r"(?:צרי(?:ך|כה)|צריכים|חייבים|רוצים|בואו|לפני ש|מתי|מי|איך|נצטרך|קשה) ?(?:להחליט|לאשר|לסכם|לבחור|נחליט|מחליטים|מחליט)",
        r"(?:אם|כש|אחרי ש|עד ש|ברגע ש)(?:נחליט|יוחלט|יאושר|תאושר|מחליטים|אושר)",
        r"(?:אם|כאשר|ברגע) (?:[א-ת]+ )?(?:יאושר|תאושר|נחליט|יוחלט|אושר)",
        r"(?:מחכים|ממתינים|מחכה|ממתי(?:ן|נה)) (?:לאישור|להחלטה)",
        r"(?:נחליט|יוחלט|יאושר)",
        r"אין (?:עדיין |עוד )?החלטה",
        "אחרת",
    ],
)

TAKES_BACK = any_of(
    [
        "changed (?:our|my|their) minds?",
        "changing my mind",
        "instead(?! of)",
        "scrap that",
        "on second thought",
        "no longer",
        "not going with",
        "after all",
        "reverse(?:d|s)?",
        "overrul(?:ed|es|ing)",
        "forget (?:that|what)",
        "actually",
        "correction",
        "moved to",
        "postpon(?:ed|ing)",
        "cancell?(?:ed|ing)",
    ],
    [
        "שינינו",
        "שיניתי",
        "במקום",
        "בעצם",
        "ביטלנו",
        "בוטלה?",
        "נדחתה?",
        "נדחה",
        "בסוף",
        "תיקון",
        "החלטה חדשה",
    ],
)

# A decision of few words that says nothing without the question or the offer before it.
POINTS_BACK = Pattern(
    r"\b(?:it|that|this|them|those|no|yes)$|(?<![א-ת])(?:זה|זאת|אותו|אותה|אותם|הכול|הכל)$", _I
)
# One that only its next sentence explains: "Half and half it is. Launch stock by air".
ALONE = Pattern(
    r"^(?:half and half|both|neither|a (?:mix|compromise)|חצי חצי|גם וגם|שניהם|פשרה)(?: it is)?$",
    _I,
)


# ruff: noqa: E501 - patterns are easier to read unbroken.


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
