"""Verbs of tasks, and verbs that follow "I'll" without being one, in English and Hebrew."""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re

from packs.messaging.patterns import Pattern

# What somebody can be asked to do; for forms that are too common to trust alone.
_VERBS = """
add adjust align announce answer approve arrange ask assign attach audit backup block book bring
bake build buy calculate call cancel capture change chase check circulate clean cook count clear close collect
compare compile complete confirm contact coordinate copy correct create cut decide define delete
deliver deploy design disable discuss distribute document download draft drop edit email enable
empty ensure escalate estimate evaluate export extend file fill finalize finalise find finish fix
follow forward gather get give handle hire implement import include inform inspect install
integrate interview investigate invite invoice keep launch list log look mail measure meet merge
message migrate monitor move negotiate notify oil open order organize organise pack paint pay ping plan plant post
prepare present print process propose provide publish pull push put read rebuild recheck record
recruit refund register release remind remove rename renew reorder repaint repair replace reply report
request reschedule research reserve reset resend resolve respond restart restock restore return
review revert revise rewrite roll run schedule scope secure sell send set setup share ship show
sign sort speak stop submit summarize summarise swap sync take talk teach test track train
transfer translate try turn type unblock unpack update upgrade upload vacuum verify visit wash water
weigh wire work wrap write
"""
VERB = "|".join(sorted(_VERBS.split(), key=len, reverse=True))

# After "I'll" or "can you", these promise or ask for no task.
_IDLE_WORDS = """
be have see think know miss love guess never say admit wait sleep eat go come let not don't
probably maybe always like feel hope bet stay join live tell explain hear believe imagine
understand remember relax enjoy note ignore stop hold forgive excuse pass only take-a-look it
the a that this there still just
"""
_IDLE = frozenset(_IDLE_WORDS.split())
_IDLE_EXCEPT = Pattern(
    r"^(?:have (?:\w+ ){1,5}(?:ready|done|finished|added|sent|fixed)|have (?:it|that) |go (?:over|through|ahead and|back to|talk|check)|stop by|let \w+ know|tell (?!me\b|us\b|you\b)|take)",
    re.I,
)
_HEBREW_IDLE_WORDS = """
להגיד לספר להסביר לבוא לראות לשמוע להבין לדעת להאמין להיות לומר לציין לזכור לקוות לחכות לישון
לאכול להודות להצטרף לחשוב להגיע
"""
_HEBREW_IDLE = frozenset(_HEBREW_IDLE_WORDS.split())

FUTURE = "אשלח|אטפל|אבדוק|אכין|אעדכן|אדאג|אסגור|אתקשר|אקבע|אזמין|אביא|אכתוב|אעביר|אתאם|אסיים|אקנה|אארגן|אעלה|אעבור|אשאל|אדבר|אברר|אתקן|אעשה|אקח|אחזור|אפרסם|אוסיף|אמלא|אגיש|אענה|אשתף|אפתח|אחתום|אשלם|אחליף|אצרף|אסדר|אוציא|אכניס|אוריד|אבטל|אנסח|אתרגם|אציג|אאשר|אודיע|אזכיר|אבנה|אריץ|אעצב|אמצא|אחפש|אספק|אשפר|אוודא|אבצע|ארכז|אסכם|אשדרג|אגדיל|אנקה|אמחק|אחבר|אתקין|אצלם|אדפיס|אמסור|אגבה|אראיין|אמיין|אתחיל|אעזור"
PRESENT = "מעדכנת?|מעדכן|שולחת?|בודקת?|מכינה?|מכין|מטפלת?|מגדילה?|מתקנת?|מתקן|מזמינה?|מזמין|אוספת?|אוסף|מסדרת?|סוגרת?|כותבת?|מתאמת?|מתאם|קובעת?|מעבירה?|מעלה|מתקשרת?|לוקחת?|מביאה?|מארגנת?|מארגן|מוסיפה?|מוסיף|מחליפה?|מחליף|מפרסמת?|מפרסם|מבטלת?|מכניסה?|מורידה?|מחזירה?|חוזרת? אל[א-ת]+|פותחת?|משנה את|מנסחת?|מנסח|מתרגמת?|מתרגם|מבררת?|קונה|מצרפת?|מצרף|מוציאה?|מסיימת?|מסיים|עוברת? על|מדברת? עם|מריצה?|מריץ|מראיינת?|מאשרת? את|משלמת?|משלם"
ORDER_HE = "(?:ת(?:שלח|בדוק|בדק|טפל|כינ|כין|עדכנ|עדכן|תקשר|קבע|זמינ|זמין|ביא|כתוב|כתב|עביר|תאמ|תאם|סיימ|סיים|קנ|קנה|ארגנ|ארגן|על|עלה|עבור|עבר|שאל|דבר|ברר|תקנ|תקן|עש|עשה|קח|חזור|חזר|פרסמ|פרסם|וסיפ|וסיף|מלא|גיש|ענ|ענה|שתפ|שתף|פתח|חתומ|חתום|חתמ|שלמ|שלם|חליפ|חליף|צרפ|צרף|סדר|וציא|כניס|וריד|בטל|נסח|תרגמ|תרגם|ציג|אשר|ודיע|זכיר|בנ|בנה|ריצ|ריץ|מצא|חפש|דאג|וודא|רכז|סכמ|סכם|גדיל|נק|נקה|מחק|חבר|תקינ|תקין|סמנ|סמן|סגור|סגר|דפיס|צלמ|צלם|ראיינ|ראיין|ראה|רא|שמור|שמר|עזור|עזר|ספר ל|תאמו)(?:י|ו)?|(?:שלח|בדק|הכינ|עדכנ|התקשר|קבע|הזמינ|הביא|כתב|העביר|טפל|סגר|קח|קנ)י|שלח|בדוק|הכן|עדכן|התקשר|קבע|הזמן|הבא|כתוב|העבר|טפל|סגור את|קח|קנה|דאגי?|תדאגי?)"


def is_idle(task: str, verb: str) -> bool:
    """Tell whether what follows "I'll" or "can you" is no task ("be late", "tell me why")."""
    verb = verb.lower()
    if verb in _HEBREW_IDLE:
        return True
    return verb in _IDLE and _IDLE_EXCEPT.match(task) is None
