"""The words by which messages show urgency or the lack of it, in English and Hebrew."""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re

from packs.messaging.cues import any_of
from packs.messaging.patterns import Pattern

URGENT = any_of(
    [
        r"urgent(?! care)(?:ly)?",
        r"asap",
        r"as soon as possible",
        r"a\.s\.a\.p\.?",
        r"(?:an |this is an )?emergency(?! (?:exit|fund|contact|room))",
        r"drop everything",
        r"(?:sev|severity)[- ]?[01]",
        r"p0",
        r"(?:code|status) red",
        r"911",
        r"top priority",
        r"highest priority",
        r"time[- ]sensitive",
        r"within the (?:next )?hour",
        r"critical (?:bug|issue|problem|outage|incident|failure|vulnerability|error|alert)",
        r"(?:is|it's|that's|this is|really) critical",
        r"mission[- ]critical",
        r"need (?:this|it|that|you|your \w+|help|an answer) (?:right )?now",
    ],
    [
        "דחו(?:ף|פה)",
        "דחופות",
        "דחופים",
        "בדחיפות",
        "בהולה?",
        "בבהילות",
        "חירום",
        "קריטית?",
        "קריטי לנו",
        "עזבו הכול",
        "תעזבו הכל",
        "בהקדם האפשרי",
        "הכי מהר שאפשר",
        "כמה שיותר מהר",
        "אס?אפ",
        "עכשיו ומיד",
        "מיידית",
        "באופן מיידי",
        "דחוף מאוד",
    ],
)

INCIDENT = any_of(
    [
        r"(?:server|servers|site|website|system|production|prod|api|app|database|db|network|service|checkout"
        r"|payments?|internet|login|platform|cluster|wifi|vpn|email)(?: (?:is|are|was|went|has gone|just went|keeps going))?"
        r"(?:'s)? (?:\w+ )?(?:down|offline|crashing|crashed|unreachable|on fire|broken for everyone)",
        r"(?:there's|we have|having|have|got) an? (?:\w+ )?outage",
        r"(?:major|total|full|ongoing|complete|massive) outage",
        r"outage(?: in progress|!)",
        r"data (?:breach|leak|loss)",
        r"(?:been|got|getting|we're being|were) (?:hacked|breached)",
        r"security (?:breach|incident)",
        r"(?:customers?|users?|clients?|nobody|no one|people) (?:can't|cannot|can not|can|are unable to) "
        r"(?:log ?in|pay|check ?out|access|connect|sign in)",
        r"losing (?:money|data|customers|orders)",
        r"there's a fire",
        r"gas leak",
        r"call (?:an ambulance|the police)",
        r"everything is down",
    ],
    [
        r"(?:ה?שרת|ה?שרתים|ה?אתר|ה?מערכת|ה?אפליקציה|ה?פרודקשן|ה?רשת|ה?אינטרנט|ה?סליקה|ה?תשלומים) "
        r"(?:כבר )?(?:נפלה?|נפלו|קרסה?|קרסו|לא עובדת?|לא עובדים|למטה|מושבתת?|לא זמינה?|לא עולה)",
        "הכול נפל",
        "הכל נפל",
        "תקלה (?:קשה|חמורה|קריטית|כללית|משביתה)",
        "דליפת מידע",
        "פרצת אבטחה",
        "פרצו לנו",
        r"(?:הלקוחות|לקוחות|המשתמשים|אף אחד) לא (?:יכולים|מצליחים|מצליח|יכול) (?:להתחבר|לשלם|להיכנס|לגשת)",
        "אמבולנס",
        "שריפה",
    ],
)

HIGH = any_of(
    [
        r"(?:very |really |super |extremely |this is |it's |is )important",
        r"important[:!]",
        r"high[- ]priority",
        r"(?:is|are|am|i'm|we're|still|completely|totally|currently) (?:blocked|stuck)",
        r"block(?:er|ing|ed by)",
        r"overdue",
        r"final (?:reminder|notice|warning)",
        r"last (?:reminder|chance|call)",
        r"due (?:today|tonight|tomorrow)",
        r"(?:must|has to|have to|needs to) (?:\w+ ){0,4}(?:today|tonight|tomorrow|now)",
        r"deadline (?:is|today|tomorrow)",
        r"(?:customer|client)s? (?:is|are|was) (?:very )?(?:angry|furious|upset|waiting|complaining|escalating)",
        r"escalat(?:ed|ion|ing)",
        r"(?:build|tests?|pipeline|deploy(?:ment)?) (?:is|are|keeps?) (?:failing|broken|red)",
        r"we (?:will|'ll|might) miss the deadline",
        r"don't miss",
        r"waiting (?:on|for) your",
        r"at risk",
        r"crucial",
        r"essential that",
    ],
    [
        "(?:זה |מאוד |ממש |נורא )חשובה?",
        "חשובה? (?:מאוד|ביותר|ש[א-ת]+)",
        "חשוב!",
        "עדיפות (?:גבוהה|עליונה)",
        "תקועה? (?:על|עם|בגלל|בלי)",
        "אני תקועה?",
        "אנחנו תקועים",
        "חוסמת?(?: אותנו| אותי)?",
        "באיחור",
        "תזכורת אחרונה",
        "הזדמנות אחרונה",
        "חייבת? להיות (?:עד|היום|מחר|הערב)",
        "חשובה?:",
        "(?:חייבים?|חייבת|מוכרחים?|מוכרחה) (?:[א-ת]+ ){1,4}?(?:היום|הערב|מחר|עכשיו)",
        "דדליין (?:היום|מחר|הוא)",
        "הלקוח(?:ה|ות)? (?:כועסת?|כועסים|זועמת?|ממתי(?:ן|נה)|ממתינים|מחכה|מחכים|מתלוננת?|מתלוננים)",
        "בהקדם",
        "הכרחי",
        "אסור לנו לפספס",
        "מחכים? רק ל(?:ך|כם)",
    ],
)

NOW = any_of(
    [
        r"right (?:now|away)",
        r"immediately",
        r"this (?:minute|instant)",
        r"straight away",
        r"now!",
    ],
    ["מיד", "מייד", "עכשיו", "ברגע זה", "תיכף ומיד"],
)
SOON = any_of(
    [
        r"today",
        r"tonight",
        r"(?:by|before|due|until) (?:\w+ )?(?:tomorrow|noon|midnight)",
        r"eod",
        r"cob",
        r"end of (?:the )?(?:day|business)",
    ],
    ["היום", "הערב", "עד מחר", "עד (?:ה)?צהריים", "עד חצות", "סוף היום"],
)
# What happens otherwise: who asks so means it.
OR_ELSE = any_of([r"otherwise", r"or else", r"or we(?:'ll| will| lose)", r"if not,"], ["אחרת"])
# Of the low ones, those that also take back what was said before.
RELAXED = any_of(
    [
        r"no (?:rush|hurry|pressure|stress)",
        r"not (?:\w+ )?urgent",
        r"whenever you",
        r"take your time",
        r"(?:when|if) you (?:get|have) (?:a |some )?(?:chance|time|moment)",
        r"(?:can|could) wait",
        r"low[- ]priority",
        r"no need to (?:rush|hurry)",
    ],
    [
        "לא (?:כל כך |ממש )?דחו(?:ף|פה)",
        "אין לחץ",
        "אין מה למהר",
        "לא בוער",
        "לא לוחץ",
        "בלי לחץ",
        "כשיהיה ל(?:ך|כם) זמן",
        "מתי שנוח",
        "יכולה? לחכות",
    ],
)

LOW = any_of(
    [
        r"(?:no|not|isn't|ain't|nothing|never|hardly|without|not (?:that|very|so|super|really|at all|an?)"
        r"|isn't (?:that|very|so|really|an?)|nothing (?:that|very)|no (?:real|particular))"
        r" (?:urgent|urgency|critical|important|emergency|blocker|rush|hurry|deadline|time[- ]sensitive)",
        r"fyi",
        r"for your information",
        r"no (?:rush|hurry|pressure|stress)",
        r"(?:don't|no need to) (?:rush|hurry|worry)",
        r"(?:when|whenever|if) you (?:get|have|find) (?:a |some |the )?(?:chance|time|moment|minute|second)",
        r"whenever (?:you can|you like|is convenient|works)",
        r"at your (?:convenience|leisure)",
        r"take your time",
        r"nice to have",
        r"low[- ]priority",
        r"(?:can|could) wait",
        r"just (?:sharing|fyi|a heads up|so you know|letting you know)",
        r"heads up",
        r"some ?day",
        r"eventually",
        r"not asap",
        r"nothing needed",
        r"no action (?:needed|required)",
    ],
    [
        "(?:לא|אינו|אינה|שום דבר|ממש לא|לא כל כך|לא ממש|לא מאוד) (?:דחו(?:ף|פה|פים)|בהולה?|קריטית?|חשובה?)",
        "אין (?:שום )?(?:לחץ|מה למהר|דחיפות|צורך למהר|חירום|דבר דחוף)",
        "לידיעה",
        "לידיעתך",
        "לידיעתכם",
        "לידיעתכן",
        "לא בוער",
        "לא לוחץ",
        "בלי לחץ",
        "כש(?:יהיה|תהיה) ל(?:ך|כם|כן) (?:זמן|רגע|דקה)",
        "כשנוח ל(?:ך|כם)",
        "מתי ש(?:נוח|תוכלי?|תוכלו|בא ל(?:ך|כם))",
        "כשתוכלי?",
        "כשתוכלו",
        "יכול לחכות",
        "יכולה לחכות",
        "קחי? את הזמן",
        "קח את הזמן",
        "רק משתפת?",
        "רק שתדעו?י?",
        "עדיפות נמוכה",
        "לא צריך לעשות כלום",
    ],
)

OVER = any_of(
    [
        r"(?:is|are|was|were|been|now|got|has been) (?:resolved|fixed|solved|restored|over)",
        r"back (?:up|online|to normal)",
        r"all clear",
        r"false alarm",
        r"no longer",
        r"(?:was|were) (?:so |very |really )?(?:urgent|critical|important)",
        r"last (?:week|month|year|night)",
        r"yesterday",
        r"up and running",
        r"sorted(?: out)?",
        r"post-?mortem",
    ],
    [
        "נפתרה?",
        "נפתרו",
        "תוקנה?",
        "חזרה? ל(?:עבוד|פעול|עצמו|אוויר)",
        "אזעקת שווא",
        "כבר לא",
        "היה (?:דחוף|קריטי|בהול|חירום)",
        "הייתה דחופה",
        "אתמול",
        "שעבר",
        "בשבוע שעבר",
        "הסתדר",
    ],
)
IF = any_of(
    [r"if", r"in case(?: of)?", r"whether", r"how (?:urgent|important|critical)"],
    ["אם", "במקרה", "האם", "כמה"],
)
MENTION = Pattern(r"[\"']\s*(?:urgent|asap|דחוף|critical|important)\s*[\"']", re.IGNORECASE)
TURN = Pattern(
    r"\s*(?:[,;.!]\s*)?(?<!\w)(?:but|though|however|still,|אבל|אך|עם זאת)(?!\w)\s*", re.IGNORECASE
)
QUESTION = Pattern(r"\?\s*(?:$|[^\w\s])|\?\s")
SMALL_TALK = Pattern(
    r"\b(?:how are you|how's it going|how was|what's up|how have you been|right\?|you know\?|lol|haha)\b"
    r"|מה (?:נשמע|שלומך|שלומכם|קורה|המצב)|איך (?:אתה|את|היה|הולך)|חח",
    re.IGNORECASE,
)
