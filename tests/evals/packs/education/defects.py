"""60 defects planted in sound material: how many the checks of quality find, and how often they
find something where nothing was planted.

Sound are problems of mathematics, questions of a passage, and sentences written here by hand. Some
defects are worded as no list of the pack has them, and one sound question looks like a defect.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from packs.education.blocks import Item, choices, item
from packs.education.generation.passages import text_items
from packs.education.generation.quality import Code, find_problems
from packs.education.mathematics.problems import make_problems
from tests.evals.report import EvalResult, share, table
from tests.support.packs.education.material import PAGE

_SENTENCE_LENGTHS = [6, 7, 8, 9, 10] * 12

_GENDERED = (
    "חשב את הסכום.", "כתבי משפט על החורף.", "קראו את הקטע וסמן את התשובה.", "קרא את הקטע.",
    "The chairman opens the meeting. What happens then?", "את נדרשת לענות על כל השאלות.",
)  # fmt: skip
_BIASED = (
    "מדוע השבטים הפרימיטיביים נדדו?", "אמא היא עקרת בית. מה היא עושה?", "בנים לא בוכים, נכון?",
    "נשים אינן יודעות לנהוג. מדוע?", "איזו עבודה היא עבודת נשים?", "בסיפור יש ילד לא נורמלי. מדוע?",
)  # fmt: skip
_TWINS = (
    ("1/2", "2/4"), ("0.5", "1/2"), ("100 cm", "1 m"), ("ירושלים", "יְרוּשָׁלַיִם"), ("3", "3.0"),
    ("75%", "3/4"),
)  # fmt: skip
_LONG_RIGHT = "תהליך שבו צמחים ירוקים מנצלים את אור השמש כדי לייצר מזון ממים ומפחמן דו-חמצני"
_WORDY = (
    "לאחר שהתבוננתם בתמונה שבעמוד הקודם וקראתם את ההסבר שמופיע לצידה כתבו בכמה משפטים מה לדעתכם "
    "גרם לאנשים שבתמונה להתכנס דווקא במקום הזה ובשעה הזאת ביום"
)
SOUND = [
    item("open", "מדוע קיפלו את הדגל בערב?", key={"sample": "כי ירד הלילה."}),
    item("open", "כתבו שלושה משפטים על הסתיו.", key={"sample": "בסתיו נושרים עלים."}),
    item("choice", "איזו עיר היא בירת צרפת?", options=choices(["פריז", "ליון", "מרסיי"]),
         key={"correct": ["a"]}),
    item("choice", "What is the past tense of “go”?", options=choices(["goed", "went", "gone"]),
         key={"correct": ["b"]}),
    item("true_false", "הפועל «חשב» הוא בזמן עבר.", key={"truth": True}),
    item("open", "מה סדר האירועים בסיפור?", key={"sample": "הילדה יצאה, פגשה חבר וחזרה."}),
    item("image", "הים", image={"fileId": "f", "alt": "חוף הים בשעת שקיעה"}),
    item("choice", "מה הסכום של 12 + 5 = ?", options=choices(["17", "7"]), key={"correct": ["a"]}),
    item("cloze", "הגננת וה{{1}} שותלים יחד.", key={"gaps": {"1": ["גנן"]}}),
    item("open", "סמן דרך עומד בצומת. מה כתוב עליו?", key={"sample": "שם היישוב."}),
    item("open", "הסבר קצר מופיע בעמוד הבא. מה חסר בו?", key={"sample": "תאריך."}),
]  # fmt: skip


def _two_right(n: int) -> Item:
    one, other = _TWINS[n]
    options = choices([one, other, "7/9"])
    check = None if one.isalpha() else one.removesuffix(" cm")
    key = {"correct": ["a"], "check": check}
    return item("choice", f"מה נכון? ({n})", options=options, key=key)


def _duplicate_option(n: int) -> Item:
    right, wrong = f"תשובה {n}", ("עיר", "נהר", "הר", "ים", "כפר", "אגם")[n]
    options = choices([right, wrong, f" {wrong}."])
    return item("choice", f"מה מתאים? ({n})", options=options, key={"correct": ["a"]})


def _longest(n: int) -> Item:
    options = choices([f"{_LONG_RIGHT} ({n})", "גדילה", "נשימה"])
    return item("choice", f"מהי פוטוסינתזה? ({n})", options=options, key={"correct": ["a"]})


def _key_differs(n: int) -> Item:
    a, b = 12 + n, 7
    if n % 3 == 0:
        return item("numeric", f"חשבו: {a} + {b} =", key={"value": str(a + b + 10)})
    if n % 3 == 1:
        options = choices([str(a * b), str(a * b + 1), str(a + b)])
        return item("choice", f"{a} × {b} = ?", options=options, key={"correct": ["b"]})
    return item("numeric", f"כמה יחד, {a} ועוד {b}?", key={"value": str(a), "check": f"{a}+{b}"})


def _missing_alt(n: int) -> Item:
    alt = ("", " ", "תמונה", "image", "איור.", "")[n]
    return item("image", f"ציור {n}", image={"fileId": f"f{n}", "alt": alt})


def _open(text: str) -> Item:
    return item("open", text, key={"sample": "כך."})


PLANTED: dict[Code, Callable[[int], Item]] = {
    "two_right": _two_right,
    "duplicate_option": _duplicate_option,
    "longest_is_right": _longest,
    "key_differs": _key_differs,
    "missing_alt": _missing_alt,
    "gendered": lambda n: _open(_GENDERED[n]),
    "bias": lambda n: _open(_BIASED[n]),
    "long_sentence": lambda n: _open(f"{_WORDY}, בפעם {n}?"),
}
COUNTS: dict[Code, int] = {
    "two_right": 6, "duplicate_option": 6, "longest_is_right": 6, "key_differs": 12,
    "missing_alt": 6, "gendered": 6, "bias": 6, "long_sentence": 6,
}  # fmt: skip
_DUPLICATES = 6


def material(seed: str) -> tuple[dict[str, Item], set[tuple[str, Code]]]:
    """Sound items with defects among them, mixed; and which block has which defect."""
    sound = list(SOUND)
    for grade in range(1, 7):
        sound += make_problems("חזרה", grade=grade, count=20, seed=f"{seed}{grade}")
    sound += text_items([PAGE], count=12, seed=seed, locale="he")
    distinct = {repr(each.block): each for each in sound}
    random = Random(seed)
    mixed: list[tuple[Code | None, Item]] = [(None, each) for each in distinct.values()]
    for code, make in PLANTED.items():
        for n in range(COUNTS[code]):
            mixed.append((code, make(n)))
    random.shuffle(mixed)
    # What is there twice comes after the one that it repeats.
    copies = [each for code, each in mixed if code is None and each.block.is_question]
    mixed += [("duplicate_question", each) for each in random.sample(copies, _DUPLICATES)]
    items, planted = {}, set()
    for number, (code, each) in enumerate(mixed):
        items[f"c-{number:03}"] = each
        if code:
            planted.add((f"c-{number:03}", code))
    return items, planted


def measure(seed: str = "1") -> EvalResult:
    """Plant, check, and compare what was found with what was planted."""
    items, planted = material(seed)
    found = {(each.block_id, each.code) for each in find_problems(items, corpus=_SENTENCE_LENGTHS)}
    # An option that is there twice may be right twice: both names are right for that block.
    twins = {(id, code) for id, code in found if (id, "two_right") in planted}
    found -= {each for each in twins if each[1] == "duplicate_option"}
    figures = {
        "planted": len(planted),
        "soundBlocks": len(items) - len(planted),
        "precision": share(len(found & planted), len(found)),
        "recall": share(len(found & planted), len(planted)),
    }
    notes = [f"missed: {code}: {items[id].block.stem[:80]}" for id, code in sorted(planted - found)]
    notes += [f"wrong: {code}: {items[id].block.stem[:80]}" for id, code in sorted(found - planted)]
    made = table("Planted defects", list(figures), [list(figures.values())])
    return EvalResult([made], figures, notes)
