"""Words that carry no topic, in English and Hebrew, question words included."""

from rollcall.core import hebrew

_ENGLISH = """
a about above after again against
ain't all also am an and any are aren't as at be because been before being below between both
but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each
either else even ever every few for from further get gets getting go goes going gonna gotta got
had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him
himself his how how's however i i'd i'll i'm i've if in into is isn't it it'd it'll it's its
itself just let let's like may maybe me might mine more most much must mustn't my myself no nor
not now of off oh ok okay on once one only onto or other ought our ours ourselves out over own
per please quite rather really same shall shan't she she'd she'll she's should shouldn't so some
such than thank thanks that that'd that'll that's the their theirs them themselves then there
there's these they they'd they'll they're they've this those though through thus to too uh um
under until up upon us very was wasn't we we'd we'll we're we've well were weren't what what's
when when's where where's which while who who's whom whose why why's will with within without
won't would wouldn't yeah yep yes you you'd you'll you're you've your yours yourself yourselves
mm hmm mm-hmm uh-huh wanna kinda sorta actually anyway basically
"""

_HEBREW = """
אבל או אולי אותה אותו אותי אותך אותם אותן אותנו אז אחר אחרי אחת אי איזה איזו איך אילו איפה אך אל
אלה אלו אליה אליהם אליו אליי אלייך אלינו אליך אם אנחנו אני אף אפשר אצל אשר את אתה אתכם אתם אתן
בבקשה בגלל בה בהם בו בי ביחד בין בינינו בך בכל בלי במה במי בן בנו בעוד בעצם בערך בשביל גם די הוא
היא היה היו היי היינו היית הייתי הייתם הינה הם הן הנה הרבה הרי זאת זה זו חלק טוב יהיה יהיו יותר
יש ישנה ישנו ככה כאילו כאן כבר כדי כה כולם כולנו כי כך כל כלום כלל כמה כמו כן כש לא לאן לה להיות
להם לו לי ליד לך לכם לכן למה למי לנו לפי לפני מאוד מאיפה מאשר מה מהם מהן מי מידי ממה ממך ממני
ממנו ממש מן מספיק מתי נו נא נגד ע"י עד עדיין עוד על עליה עליהם עליו עליי עלינו עליך עם עכשיו
עצמו פה פחות פי פשוט צריך צריכה צריכים קצת רק רוב שוב של שלה שלהם שלו שלי שלך שלכם שלנו שם תהיה
תודה תוך תמיד תחת תוכל תוכלי אוקיי אוקי אהה כאשר כלומר לגבי מול לעבר עבור האם הזה הזאת הזו האלה
ההוא ההיא איתו איתה איתי איתך איתם איתנו אפילו בתוך דרך חוץ יכול יכולה יכולים להגיד
"""

ENGLISH = frozenset(_ENGLISH.split())
HEBREW = frozenset(hebrew.fold(word) for word in _HEBREW.split())

# "שהוא", "ולא", "כשאני": conjunctions glue to function words too. The other
# prefixes are left alone here, since "ב" before "על" makes "owner", not "on".
_GLUED = ("וכש", "כש", "וש", "ש", "ו")


def is_stopword(word: str) -> bool:
    """Tell whether a lower-case, folded word (not a stem) carries no topic."""
    if word in ENGLISH or word in HEBREW:
        return True
    return word.startswith(_GLUED) and any(
        word.startswith(glue) and word[len(glue) :] in HEBREW for glue in _GLUED
    )
