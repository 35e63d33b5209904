"""What is said of a check of conductors."""

from __future__ import annotations

from packs.electrical.calculations.conductors import Checked, Problem
from packs.electrical.calculations.sizing import Sizing
from packs.electrical.nec.overcurrent import NEXT_SIZE_UP_TO
from packs.electrical.results import Words
from packs.electrical.wiring.sizing_cases import Case
from packs.electrical.wiring.words import MATERIALS, amps, size_text
from rollcall.core.wording import isolated

ARTICLES: dict[Problem, str] = {
    "too_small": "210.19(A)(1)",
    "too_hot": "310.15",
    "terminals": "110.14(C)",
    "protection": "240.4(B)",
    "breaker_too_small": "210.20(A)",
    "breaker_too_large": "430.52",
    "parallel": "310.10(G)",
    "minimum_size": "310.3(A)",
}


def article_of(problem: Problem, case: Case, checked: Checked) -> str:
    """The section that a problem is against."""
    rule = case.required.need.rule
    if rule == "motor" and problem in ("too_small", "too_hot"):
        return "430.22"
    if rule == "motor" and problem == "breaker_too_small":
        return "430.52"
    if rule == "cooling" and problem in ("too_small", "too_hot"):
        return "440.32"
    if rule == "cooling" and problem in ("breaker_too_small", "breaker_too_large"):
        return "440.22(A)"
    if problem == "protection":
        by_size = checked.largest_breaker_amps == checked.small_conductor_amps
        return "240.4(D)" if by_size else rounding_article(case.required.need.device_amps)
    if problem in ("too_small", "breaker_too_small") and "215.3" in case.required.articles:
        return "215.2(A)(1)" if problem == "too_small" else "215.3"
    before_2020 = {"310.10(G)": "310.10(H)", "310.3(A)": "310.106(A)"}
    found = ARTICLES[problem]
    return before_2020.get(found, found) if case.edition == 2017 else found


def rounding_article(device_amps: float) -> str:
    """What says how a device and the ampacity that it protects compare."""
    return "240.4(B)" if device_amps <= NEXT_SIZE_UP_TO else "240.4(C)"


def problem_words(problem: Problem, sizing: Sizing, case: Case) -> Words:
    """A problem in a sentence, with its figures."""
    need, found = case.required.need, sizing.checked
    # Two digits: a load may be above a limit by less than a tenth of an ampere.
    carries = amps(need.required_amps if need.rule == "general" else need.load_amps, 2)
    required, corrected = amps(need.required_amps, 2), amps(found.ampacity.corrected_amps, 2)
    terminal, device = amps(found.ampacity.terminal_amps, 2), amps(need.device_amps, 0)
    most = amps(found.largest_breaker_amps, 0)
    section = isolated(article_of(problem, case, found))
    said: dict[Problem, Words] = {
        "too_small": Words(
            f"the conductors must be good for {required}, and are for {terminal}",
            f"המוליכים נדרשים ל-{required}, והם מתאימים ל-{terminal}",
        ),
        "terminals": Words(
            f"the terminals limit the conductors to {terminal}, and {required} are required",
            f"ההדקים מגבילים את המוליכים ל-{terminal}, ונדרשים {required}",
        ),
        "too_hot": Words(
            f"after correction for temperature and bundling {corrected} are left, too few for the "
            f"load of {amps(need.load_amps, 2)}",
            f"אחרי תיקון לטמפרטורה ולקיבוץ נשארים {corrected}, פחות מהנדרש לעומס של "
            f"{amps(need.load_amps, 2)}",
        ),
        "protection": Words(
            f"a breaker of {device} does not protect them: at most {most} may",
            f"מפסק של {device} אינו מגן עליהם: מותר {most} לכל היותר",
        ),
        "breaker_too_small": Words(
            f"the breaker of {device} is too small for {carries}",
            f"המפסק של {device} קטן מדי עבור {carries}",
        ),
        "breaker_too_large": Words(
            f"the breaker of {device} is above the {amps(need.largest_breaker_amps or 0, 0)} that "
            "the load allows",
            f"המפסק של {device} גדול מ-{amps(need.largest_breaker_amps or 0, 0)} המותרים לעומס",
        ),
        "parallel": Words(
            f"conductors in parallel must be {size_text('1/0')} or larger",
            f"מוליכים במקביל חייבים להיות {size_text('1/0')} או יותר",
        ),
        "minimum_size": Words(
            "it is smaller than any conductor of a branch circuit may be",
            "הוא קטן מהמותר למוליך של מעגל סופי",
        ),
    }
    text = said[problem]
    return Words(f"{text.en} ({section})", f"{text.he} ({section})")


def recommendation(sizing: Sizing, case: Case) -> Words | None:
    """What would comply; None where the conductors do."""
    if sizing.checked.compliant:
        return None
    breaker = case.required.need.breaker_amps
    changes_breaker = breaker is not None and breaker != sizing.breaker_amps
    device = amps(sizing.breaker_amps, 0)
    metal = MATERIALS[case.how.material]
    if sizing.smallest is not None:
        sets = case.how.sets
        size = size_text(sizing.smallest, sets)
        if changes_breaker:
            return Words(
                f"Use a breaker of {device}, with {size} {metal.en} at least.",
                f"יש להשתמש במפסק של {device}, עם מוליך {size} {metal.he} לפחות.",
            )
        return Words(f"Upgrade to {size} {metal.en}.", f"יש להגדיל את המוליך ל-{size} {metal.he}.")
    if sizing.parallel is not None:
        size = size_text(sizing.parallel[1], sizing.parallel[0])
        return Words(
            f"No single conductor is enough: run {size} {metal.en} in parallel.",
            f"אין מוליך יחיד מספיק: יש להניח במקביל {size} {metal.he}.",
        )
    return Words(
        "No conductor of the table is enough: divide the load.",
        "אין בטבלה מוליך מספיק: יש לחלק את העומס.",
    )


def sentence(sizing: Sizing, case: Case, name: Words) -> Words:
    """The result in a few sentences."""
    checked, need = sizing.checked, case.required.need
    size = size_text(checked.size, case.how.sets)
    metal = MATERIALS[case.how.material]
    able, required = amps(checked.ampacity.amps), amps(need.required_amps)
    if sizing.is_proposed:
        start = Words(
            f"{name.en[:1].upper()}{name.en[1:]} needs {size} {metal.en} at least: its ampacity is "
            f"{able}, {required} are required.",
            f"{name.he}: נדרש לפחות מוליך {size} {metal.he}; ההעמסה המותרת שלו {able}, נדרשים "
            f"{required}.",
        )
    else:
        verdict = (
            Words("It complies.", "המוליך תקין.")
            if checked.compliant
            else Words("It does not comply:", "המוליך אינו תקין:")
        )
        start = Words(
            f"{size} {metal.en} on {name.en}: ampacity {able}, load {amps(need.load_amps)}, "
            f"required {required}. {verdict.en}",
            f"{size} {metal.he} עבור {name.he}: העמסה מותרת {able}, עומס {amps(need.load_amps)}, "
            f"נדרש {required}. {verdict.he}",
        )
    problems = [problem_words(problem, sizing, case) for problem in checked.problems]
    advice = recommendation(sizing, case)
    en = "; ".join(text.en for text in problems) + ("." if problems else "")
    he = "; ".join(text.he for text in problems) + ("." if problems else "")
    parts_en = [start.en, en, advice.en if advice else ""]
    parts_he = [start.he, he, advice.he if advice else ""]
    return Words(" ".join(filter(None, parts_en)), " ".join(filter(None, parts_he)))
