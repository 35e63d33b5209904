"""How people ask, promise and assign, as patterns over one clause.

Every pattern has the groups `task`, and `verb` where one stands first in it.
"""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re

from packs.messaging.action_words import FUTURE, ORDER_HE, PRESENT, VERB
from packs.messaging.patterns import Pattern

_SMALL_EN = r"(?:(?:also|just|then|now|definitely|gladly|happily|probably|personally|quickly|still|first|try to|go and|actually|already)\s+)*"
_POLITE_EN = (
    r"(?:(?:please|kindly|maybe|also|just|quickly|all|both|possibly|perhaps|then|at least)\s+)*"
)

LABEL = Pattern(
    r"^\W*(?:to-?do|action items?|ai|next steps?|task|follow[- ]?up|משימה|משימות|לביצוע|לטיפול|לעשות|אקשן אייטם|פעולה)\s*(?::|-|–)\s*(?P<task>\S.+)$",
    re.I,
)

COMMITS = (
    (
        Pattern(
            rf"^(?:i think )?(?:i'll|i will|i shall|i(?:'m| am) (?:going to|gonna)|i (?:promise|plan|intend) to)\s+{_SMALL_EN}(?P<task>(?P<verb>[\w-]+).*)$",
            re.I,
        ),
        0.85,
    ),
    (
        Pattern(rf"^(?:let me|i can|i could)\s+{_SMALL_EN}(?P<task>(?P<verb>{VERB})\b.*)$", re.I),
        0.6,
    ),
    (
        Pattern(
            rf"^(?:the|an?|my|your|our|this|that|these|those)\s[\w' ]{{2,50}}? i'll (?P<task>(?P<verb>{VERB})\b.*)$",
            re.I,
        ),
        0.7,
    ),
    (
        Pattern(
            r"^i(?:'m| am)\s+(?P<task>(?P<verb>(?!going|being|having|feeling|looking forward|trying|thinking|sitting|waiting|wondering|working|living)\w{2,}ing) (?:the|a|an|all|this|that|our|your|my|with|up|out)\b.*)$",
            re.I,
        ),
        0.5,
    ),
    (
        Pattern(r"^(?:i(?:'ll| will) take|i(?:'ve| have) got|i own|mine:)\s+(?P<task>\S.*)$", re.I),
        0.75,
    ),
    (
        Pattern(
            rf"^(?:אני |אז אני )(?:כבר |גם |רק |אישית )*(?P<task>(?P<verb>{FUTURE})(?![א-ת]).*)$"
        ),
        0.88,
    ),
    (
        Pattern(rf"^(?:כבר |גם |אז |ו|ואני |בסדר |כן )*(?P<task>(?P<verb>{FUTURE})(?![א-ת]).*)$"),
        0.8,
    ),
    (
        Pattern(rf"^אני (?:כבר |גם |רק |עכשיו )*(?P<task>(?P<verb>{PRESENT})(?![א-ת]) ?\S+.*)$"),
        0.7,
    ),
    (Pattern(rf"^(?P<task>(?P<verb>{PRESENT})(?![א-ת]) \S+.*)$"), 0.62),
    (
        Pattern(
            rf"^(?P<task>את ה?[א-ת\" ]{{3,40}} אני (?:כבר |גם )?(?P<verb>{PRESENT}|{FUTURE})(?![א-ת]).*)$"
        ),
        0.7,
    ),
    (Pattern(r"^אני (?:לוקחת?|אקח) (?:על עצמי |את זה )?(?P<task>(?:את|על) \S.*)$"), 0.8),
)

JOINT = (
    (
        Pattern(
            rf"^(?:so |then )?we(?:'ll| will|'re going to| are going to)\s+{_SMALL_EN}(?P<task>(?P<verb>{VERB})\b.*)$",
            re.I,
        ),
        0.5,
    ),
    (
        Pattern(
            rf"^(?:we|someone|somebody|one of us|everyone|everybody) (?:(?:really|still|also|all|definitely) )*(?:need|needs|have|has|must|should|gotta|ought)(?: to)? (?:(?:also|still|really) )*(?P<task>(?P<verb>{VERB})\b.*)$",
            re.I,
        ),
        0.6,
    ),
    (
        Pattern(
            r"^(?P<task>(?:the|a|an|our|all|this|these|my|your)\s[\w' -]{2,40}? (?:(?:still )?needs? to|has to|have to|must) be \w+.*)$",
            re.I,
        ),
        0.6,
    ),
    (
        Pattern(
            r"^(?:אנחנו )?(?:עדיין |גם |ממש )*(?:צריך|צריכים|צריכות|חייבים|חייבות|חייב|מישהו צריך|מישהו חייב|יש) (?:גם |עוד )*(?P<task>(?P<verb>ל[א-ת]{3,})(?![א-ת]).*)$"
        ),
        0.6,
    ),
    (Pattern(r"^(?:אני )?צרי(?:ך|כה) (?:עכשיו )?שמישהו (?P<task>(?P<verb>י[א-ת]{3,}).*)$"), 0.7),
)

OWN_NEED = (
    (
        Pattern(
            rf"^i (?:(?:really|still|also|just) )*(?:need to|have to|must|gotta|should) {_SMALL_EN}(?P<task>(?P<verb>{VERB})\b.*)$",
            re.I,
        ),
        0.6,
    ),
    (
        Pattern(
            r"^אני (?:עוד |עדיין |גם )*(?:צרי(?:ך|כה)|חייבת?) (?P<task>(?P<verb>ל[א-ת]{3,})(?![א-ת]).*)$"
        ),
        0.6,
    ),
)

REQUESTS = (
    (
        Pattern(
            rf"^(?:so |and |also )?(?:can|could|would|will) (?:you|someone|somebody|anyone|one of you)(?: guys| two)? {_POLITE_EN}(?P<task>(?P<verb>[\w']+).*)$",
            re.I,
        ),
        0.85,
    ),
    (
        Pattern(
            rf"^(?:(?:and|so|then|also|but|ok|okay|yes|now)\W+)*(?:please|pls|kindly) {_POLITE_EN}(?P<task>(?P<verb>[\w']+).*)$",
            re.I,
        ),
        0.88,
    ),
    (
        Pattern(
            rf"^(?:i|we)(?:'d| would)? (?:really )?(?:need|want|like|love|expect) you (?:both |all )?to {_POLITE_EN}(?P<task>(?P<verb>[\w']+).*)$",
            re.I,
        ),
        0.88,
    ),
    (
        Pattern(
            r"^(?:please )?(?:do not|don't) forget (?:to )?(?P<task>(?P<verb>[\w']+).*)$", re.I
        ),
        0.85,
    ),
    (
        Pattern(
            r"^(?:please )?(?:remember to|make sure (?:to|that|you)|be sure to) (?P<task>(?P<verb>[\w']+).*)$",
            re.I,
        ),
        0.82,
    ),
    (
        Pattern(
            rf"^you(?:'ll)? (?:(?:also|still|really) )*(?:need to|have to|should|must|ought to) (?P<task>(?P<verb>{VERB})\b.*)$",
            re.I,
        ),
        0.72,
    ),
    (Pattern(r"^(?:would you mind|do you mind) (?P<task>(?P<verb>\w+ing)\b.*)$", re.I), 0.8),
    (
        Pattern(
            rf"^(?:if|when|whenever) you (?:can|could|get|have|find)[^,]{{0,30}}, (?:please |can you |could you )*(?P<task>(?P<verb>{VERB})\b.*)$",
            re.I,
        ),
        0.7,
    ),
    (
        Pattern(
            r"^(?:אז |ו|גם |היי )*(?:תוכלי?|תוכלו|אתה יכול|את יכולה|אתם יכולים|אפשר בבקשה|יש מצב|נא|בבקשה|אנא|אכפת לך|אל תשכח[יו]?|יכול|יכולה|מבקשת?(?: ממך)?|אני צרי(?:ך|כה) ממך|אבקש)(?: בבקשה| גם| רק| אולי)* (?P<task>(?P<verb>ל[א-ת]{3,})(?![א-ת]).*)$"
        ),
        0.86,
    ),
    (
        Pattern(
            rf"^(?:אז |ו|גם |רק |בבקשה |נא |אבל |עכשיו |בינתיים )*(?:אני (?:צרי(?:ך|כה)|רוצה|מבקשת?) ש|חשוב ש|יש מצב ש|אכפת לך ש)?(?P<task>(?P<verb>{ORDER_HE})(?![א-ת]).*)$"
        ),
        0.8,
    ),
    (Pattern(rf"^(?:את|אתה) (?P<task>(?P<verb>{PRESENT})(?![א-ת]).*\?)$"), 0.7),
    (
        Pattern(
            r"^(?:את |אתה |אתם )(?:גם |עוד )?(?:צרי(?:ך|כה)|חייבת?|צריכים|חייבים) (?P<task>(?P<verb>ל[א-ת]{3,})(?![א-ת]).*)$"
        ),
        0.75,
    ),
)

# A thing somebody must hand over: "I need three numbers from you by Friday".
WANTS = Pattern(
    r"^(?:i|we) (?:still |also |really )?need (?P<task>(?:your|the|an?|some|final|signed|all|\d+|two|three|four|five)\b.*)$|^אני צרי(?:ך|כה) (?:ממך )(?P<he>[א-ת].*)$",
    re.I,
)

ORDER = Pattern(
    rf"^(?:(?:and|so|then|also|but|ok|okay|yes|cheap|now)\W+)*(?P<task>(?P<verb>{VERB})\s(?!(?:is|was|are|were|has|had|will|can|looks?|seems?|works?|by|of|and|or|out by)\b).*)$",
    re.I,
)
_NAMED = r"(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?|[א-ת]{2,12})"
ASSIGNS = (
    (
        Pattern(
            rf"^(?:and |so |then )?{_NAMED} (?:will|to|should|needs to|has to|must|is going to|is to|can|could|please) {_SMALL_EN}(?P<task>(?P<verb>{VERB})\b.*)$"
        ),
        0.82,
    ),
    (
        Pattern(
            rf"^{_NAMED} (?:is responsible for|is in charge of|owns|handles|takes care of|takes over|takes|is on) (?P<task>\S.*)$"
        ),
        0.75,
    ),
    (
        Pattern(
            rf"^{_NAMED} (?:said|says|promised|agreed|confirmed|offered)(?: that)? (?:(?:he|she|they)(?:'ll| will| would| can)|to) (?P<task>(?P<verb>{VERB})\b.*)$"
        ),
        0.7,
    ),
    (Pattern(rf"^(?:assigned to|assignee:?|owner:?) {_NAMED}[:,-]\s*(?P<task>\S.*)$"), 0.8),
    (
        Pattern(
            rf"^(?:אז |ו)*{_NAMED} (?P<task>(?P<verb>[ית][א-ת]{{3,}}|אחראית? על|מטפלת? ב[א-ת]*|לוקחת?|תדאג|ידאג)(?![א-ת]).+)$"
        ),
        0.75,
    ),
    (
        Pattern(
            rf"^(?:אז |ו)*{_NAMED} (?:צרי(?:ך|כה)|חייבת?|אמורה?) (?P<task>(?P<verb>ל[א-ת]{{3,}})(?![א-ת]).*)$"
        ),
        0.78,
    ),
    (Pattern(rf"^על {_NAMED} (?P<task>(?P<verb>ל[א-ת]{{3,}})(?![א-ת]).*)$"), 0.75),
)
ELLIPTIC = Pattern(
    r"^(?:ok(?:ay)?[,:]? |so |on it[,.]? |מצוין[,.]? )*(?P<task>(?!i\b|we\b|it\b|you\b|he\b|she\b|they\b|that|this|there|not\b|so\b|what|who|how|when|is\b|was\b|are\b|no\b|yes\b|if\b|by\b|see\b|ready\b|done\b|still\b|at\b)\w[^,?!]{2,45})[.?!]*$",
    re.I,
)

# "Do it", "I'll handle that": says who, not what.
POINTS_BACK = Pattern(
    r"^(?:do|handle|take|fix|send|check|manage|get|take care of|look into|deal with|sort|make|אטפל|אעשה|מטפלת?|עושה|אבדוק|אשלח|אסגור|מטפל)(?: ?(?:on|of|into|with))?\s*(?:it|that|this|them|those|ב?זה|את זה|אותו|אותה|אותם)?\s*(?:today|now|tomorrow|asap|right away|tonight|היום|עכשיו|מחר|הערב|then|too|myself|for you)?[.!]*$",
    re.I,
)
DONE = Pattern(
    r"\b(?:already|i did|just (?:sent|finished|did)|is done|are done|was done)\b|(?<![א-ת])כבר (?:[א-ת]+תי|[א-ת]+נו)(?![א-ת])",
    re.I,
)
