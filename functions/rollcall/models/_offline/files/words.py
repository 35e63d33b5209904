"""What is said of files and commands, in English and Hebrew."""

from __future__ import annotations

import re

from rollcall.models._offline.files.line_words import LINE_PHRASES

PHRASES: dict[str, dict[str, str]] = {
    **LINE_PHRASES,
    "hello": {"en": "Hello!", "he": "שלום!"},
    "able": {
        "en": "Without a language model I can list and read files, search them, rename a name in "
        "all files, replace a text you give by another, take out, replace and put in lines, create "
        "a file from content you give, and run a command or the tests.",
        "he": "בלי מודל שפה אפשר לבקש ממני להציג ולקרוא קבצים, לחפש בהם, לשנות שם בכל הקבצים, "
        "להחליף טקסט נתון באחר, למחוק, להחליף ולהוסיף שורות, ליצור קובץ מתוכן נתון, ולהריץ פקודה "
        "או את הבדיקות.",
    },
    "needs_model": {
        "en": "I can't do this: “{what}”. It takes a language model, and what answers here is the "
        "offline planner, which goes by fixed rules.",
        "he": "את זה אי אפשר לעשות כאן: „{what}”. לזה דרוש מודל שפה, ומי שעונה כאן הוא המתכנן "
        "הלא־מקוון, שפועל לפי כללים קבועים.",
    },
    "get_model": {
        "en": "For a model, set `GEMINI_API_KEY`, `OPENAI_API_KEY` or `OPENAI_BASE_URL` where "
        "Rollcall's functions run.",
        "he": "כדי שיענה מודל, יש להגדיר את `GEMINI_API_KEY`, `OPENAI_API_KEY` או "
        "`OPENAI_BASE_URL` במקום שבו רצות הפונקציות של Rollcall.",
    },
    "not_understood": {
        "en": "I don't understand what to do here: “{what}”.",
        "he": "לא ברור לי מה לעשות כאן: „{what}”.",
    },
    "no_tool": {
        "en": "I have no tool for this: “{what}”. It can be done by a command, which I can run if "
        "you tell me which, as in “run `{command}`”.",
        "he": "אין לי כלי בשביל זה: „{what}”. אפשר לעשות זאת בפקודה, ואוכל להריץ אותה לפי בקשה, "
        "למשל: „הרץ `{command}`”.",
    },
    "not_offered": {
        "en": "This client offers no tool for this: “{what}”.",
        "he": "בתוכנה הזאת אין כלי בשביל זה: „{what}”.",
    },
    "skipped": {
        "en": "I did not go on to “{what}”, because what comes before it was not all done.",
        "he": "לא המשכתי אל „{what}”, כי לא כל מה שלפני כן נעשה.",
    },
    "cancelled": {"en": "All right, nothing was changed.", "he": "בסדר, לא שונה דבר."},
    "more": {"en": "…and {count} more", "he": "…ועוד {count}"},
    "cut": {
        "en": "This is not everything: the result was cut.",
        "he": "זה לא הכול: התוצאה קוצרה.",
    },
    # Looking
    "listed": {"en": "`{path}`: {what}", "he": "התיקייה `{path}`: {what}"},
    "root": {"en": "The workspace's root: {what}", "he": "התיקייה הראשית: {what}"},
    "empty_folder": {"en": "nothing in it", "he": "ריקה"},
    "read": {"en": "`{path}`, {lines}:", "he": "הקובץ `{path}`, {lines}:"},
    "read_some": {
        "en": "`{path}`, lines {start} to {end} of {lines}:",
        "he": "הקובץ `{path}`, שורות {start} עד {end} מתוך {lines}:",
    },
    "has_lines": {
        "en": "`{path}` has {lines} ({size}).",
        "he": "בקובץ `{path}` יש {lines} ({size}).",
    },
    "empty_file": {"en": "`{path}` is empty.", "he": "הקובץ `{path}` ריק."},
    "shown_to": {
        "en": "Shown up to line {end}; for the rest, ask for “lines {next}-{lines} of {path}”.",
        "he": "מוצג עד שורה {end}; להמשך אפשר לבקש „שורות {next}-{lines} של {path}”.",
    },
    "biggest": {
        "en": "The biggest file is `{path}`: {size}, {lines}.",
        "he": "הקובץ הגדול ביותר הוא `{path}`: {size}, {lines}.",
    },
    "smallest": {
        "en": "The smallest file is `{path}`: {size}, {lines}.",
        "he": "הקובץ הקטן ביותר הוא `{path}`: {size}, {lines}.",
    },
    "no_sizes": {
        "en": "The listing tells no file's size.",
        "he": "הרשימה לא מציינת את גודל הקבצים.",
    },
    "found": {
        "en": "“{query}” is on {lines} in {files}:",
        "he": "הטקסט „{query}” מופיע ב{in_lines} ב{in_files}:",
    },
    "defined": {"en": "“{query}” is defined here:", "he": "השם „{query}” מוגדר כאן:"},
    "not_found": {
        "en": "“{query}” was found nowhere{where}.",
        "he": "הטקסט „{query}” לא נמצא בשום מקום{where}.",
    },
    "not_defined": {
        "en": "I found no definition of “{query}”{where}.",
        "he": "לא נמצאה הגדרה של „{query}”{where}.",
    },
    "within": {"en": " in `{path}`", "he": " בתוך `{path}`"},
    "files_named": {"en": "“{name}” is here:", "he": "השם „{name}” נמצא כאן:"},
    "no_file": {
        "en": "There is no file or folder called “{name}” down to five levels.",
        "he": "אין קובץ או תיקייה בשם „{name}” עד עומק של חמש רמות.",
    },
    "no_ending": {
        "en": "No file's name ends with “{name}” down to five levels.",
        "he": "אין קובץ ששמו מסתיים ב„{name}” עד עומק של חמש רמות.",
    },
    "with_ending": {
        "en": "Names of {files} end with “{name}”:",
        "he": "השם מסתיים ב„{name}” ב{in_files}:",
    },
    "outside": {
        "en": "`{path}` is outside of the workspace: paths are taken from the workspace's root, "
        "such as `notes/plan.md`, and nothing outside of it can be seen.",
        "he": "הנתיב `{path}` הוא מחוץ לסביבת העבודה: נתיבים נמדדים מהתיקייה הראשית שלה, למשל "
        "`notes/plan.md`, ואי אפשר לראות דבר מחוצה לה.",
    },
    "which_file": {"en": "Which one do you mean: {paths}?", "he": "לאיזה קובץ הכוונה: {paths}?"},
    # Changing
    "renamed": {
        "en": "`{old}` is now `{new}` in {files}, at {places}:",
        "he": "הטקסט `{old}` הוחלף ב־`{new}` ב{in_files}, ב{in_places}:",
    },
    "none_to_rename": {
        "en": "`{old}` is nowhere to be found{where}, so nothing was changed.",
        "he": "הטקסט `{old}` לא נמצא בשום מקום{where}, ולכן לא שונה דבר.",
    },
    "longer": {
        "en": "Left as they are, because the name is only a part of them: {names}.",
        "he": "נשארו כפי שהם, כי השם הוא רק חלק מהם: {names}.",
    },
    "module": {
        "en": "A file is called `{old}` as well; it and the imports of it are left as they are.",
        "he": "גם קובץ נקרא `{old}`; הוא והייבוא שלו נשארו כפי שהם.",
    },
    "taken": {
        "en": "Note: `{new}` is already in use ({places}); the two will have the same name.",
        "he": "שימו לב: `{new}` כבר בשימוש ({places}); לשניהם יהיה אותו שם.",
    },
    "maybe_more": {
        "en": "The search was cut, so there may be more files; ask again to go on.",
        "he": "החיפוש קוצר, ולכן ייתכן שיש עוד קבצים; אפשר לבקש שוב כדי להמשיך.",
    },
    "same_text": {
        "en": "Both texts are the same, so there is nothing to change.",
        "he": "שני הטקסטים זהים, ולכן אין מה לשנות.",
    },
    "all_of_them": {
        "en": "`{old}` is at {places} of `{path}` (lines {lines}). Replace all of them?",
        "he": "הטקסט `{old}` מופיע ב{in_places} בקובץ `{path}` (שורות: {lines}). להחליף בכולם?",
    },
    "not_in_file": {
        "en": "`{old}` is not in `{path}`, so nothing was changed.",
        "he": "הטקסט `{old}` לא נמצא בקובץ `{path}`, ולכן לא שונה דבר.",
    },
    "nothing_changed": {
        "en": "I don't understand what to change here, so nothing was changed: “{what}”. "
        'Understood are, with the exact text in quotes: “replace "a" with "b" in `notes.txt`”, '
        '“remove "a" from `notes.txt`”, “remove line 3 of `notes.txt`”, “add "a" after line 3 of '
        "`notes.txt`”, “rename `a` to `b`”.",
        "he": "לא ברור לי מה לשנות כאן, ולכן לא שונה דבר: „{what}”. אפשר לבקש, עם הטקסט המדויק "
        'במירכאות: „החלף "א" ב-"ב" בקובץ `notes.txt`”, „מחק את "א" מהקובץ `notes.txt`”, „מחק את '
        'שורה 3 בקובץ `notes.txt`”, „הוסף "א" אחרי שורה 3 בקובץ `notes.txt`”, „שנה את השם `a` '
        "ל-`b`”.",
    },
    "cut_file": {
        "en": "`{path}` is too long to be read whole, so I left it as it is.",
        "he": "הקובץ `{path}` ארוך מכדי שייקרא כולו, ולכן הוא נשאר כפי שהוא.",
    },
    "edited": {"en": "Changed `{path}` at {places}.", "he": "הקובץ `{path}` שונה ב{in_places}."},
    "appended": {"en": "Added to the end of `{path}`.", "he": "נוסף בסוף הקובץ `{path}`."},
    "created": {"en": "Created `{path}` ({size}).", "he": "נוצר הקובץ `{path}` ({size})."},
    "rewritten": {
        "en": "Replaced the content of `{path}` ({size}).",
        "he": "תוכן הקובץ `{path}` הוחלף ({size}).",
    },
    "ask_path": {
        "en": "What should the file be called?",
        "he": "איך לקרוא לקובץ?",
    },
    "ask_content": {
        "en": "What should be in `{path}`?",
        "he": "מה לכתוב בקובץ `{path}`?",
    },
    "ask_replace": {
        "en": "`{path}` exists already. Replace all that is in it?",
        "he": "הקובץ `{path}` כבר קיים. להחליף את כל תוכנו?",
    },
    "is_folder": {"en": "`{path}` is a folder.", "he": "הנתיב `{path}` הוא תיקייה."},
    # Running
    "ask_command": {
        "en": "I can't tell from the files how “{task}” is run here. Which command is it?",
        "he": "אי אפשר להבין מהקבצים איך מריצים כאן את „{task}”. מה הפקודה?",
    },
    "which_command": {
        "en": "Which command do you mean: {commands}?",
        "he": "לאיזו פקודה הכוונה: {commands}?",
    },
    "ran_all": {
        "en": "I don't know how `{command}` runs `{what}` alone, so this is all that it runs.",
        "he": "לא ידוע לי איך `{command}` מריצה רק את `{what}`, ולכן רץ כל מה שהיא מריצה.",
    },
    "tests_pass": {"en": "The tests pass.", "he": "הבדיקות עוברות."},
    "tests_fail": {"en": "The tests do not pass.", "he": "הבדיקות לא עוברות."},
    "no_tests": {"en": "No tests were run.", "he": "לא רצה אף בדיקה."},
    "ended": {
        "en": "`{command}` ended with exit code {code}{time}.",
        "he": "הפקודה `{command}` הסתיימה בקוד יציאה {code}{time}.",
    },
    "stopped": {
        "en": "`{command}` was stopped{time}: it took too long.",
        "he": "הפקודה `{command}` נעצרה{time}: היא ארכה יותר מדי.",
    },
    "broken": {
        "en": "`{command}` was stopped{time} before it ended by itself.",
        "he": "הפקודה `{command}` נעצרה{time} לפני שהסתיימה מעצמה.",
    },
    "took": {"en": " after {seconds} s", "he": " אחרי {seconds} שניות"},
    "failing": {"en": "What it says of failures:", "he": "מה שנכתב על הכישלונות:"},
    "wrote": {"en": "It wrote:", "he": "הפלט:"},
    "last_lines": {"en": "Its last lines:", "he": "השורות האחרונות:"},
    "silent": {"en": "It wrote nothing.", "he": "לא נכתב פלט."},
    # Failures
    "list": {"en": "list `{path}`", "he": "להציג את `{path}`"},
    "look": {"en": "read `{path}`", "he": "לקרוא את `{path}`"},
    "search": {"en": "search for “{query}”", "he": "לחפש את „{query}”"},
    "write": {"en": "write `{path}`", "he": "לכתוב את `{path}`"},
    "edit": {"en": "change `{path}`", "he": "לשנות את `{path}`"},
    "run": {"en": "run `{command}`", "he": "להריץ את `{command}`"},
    "failed": {"en": "I could not {deed}: {why}.", "he": "לא הצלחתי {deed}: {why}."},
    "failed_plain": {"en": "I could not {deed}.", "he": "לא הצלחתי {deed}."},
    "rejected": {
        "en": "You said no, so I did not {deed}.",
        "he": "לא אישרת {deed}, ולכן זה לא נעשה.",
    },
    "expired": {
        "en": "Nobody said yes in time, so I did not {deed}.",
        "he": "לא התקבל בזמן אישור {deed}, ולכן זה לא נעשה.",
    },
    "unknown": {
        "en": "Whether I could {deed} is not known; please look before you ask again.",
        "he": "אין לדעת אם זה נעשה ({deed}); כדאי לבדוק לפני שמבקשים שוב.",
    },
    "not_begun": {
        "en": "Not begun: {paths}.",
        "he": "לא התחלתי עם: {paths}.",
    },
}

_COUNTED = {
    "files": {"en": ("1 file", "{n} files"), "he": ("קובץ אחד", "{n} קבצים")},
    "folders": {"en": ("1 folder", "{n} folders"), "he": ("תיקייה אחת", "{n} תיקיות")},
    "lines": {"en": ("1 line", "{n} lines"), "he": ("שורה אחת", "{n} שורות")},
    "places": {"en": ("1 place", "{n} places"), "he": ("מקום אחד", "{n} מקומות")},
    "bytes": {"en": ("1 byte", "{n} bytes"), "he": ("בית אחד", "{n} בתים")},
}


_NAMED = re.compile(r"`[^`]*`|(?<=„)\{\w+\}(?=”)")


def say(key: str, language: str, **values: object) -> str:
    """Return a sentence in a language."""
    # A Hebrew prefix is joined to a figure by a hyphen, and to a word by nothing.
    joined = {f"in_{name}": _joined(str(value)) for name, value in values.items()}
    if language != "he":
        return PHRASES[key]["en"].format(**values, **joined)
    # Names and commands are mostly Latin; isolated, they turn nothing around.
    isolated = _NAMED.sub("\u2068\\g<0>\u2069", PHRASES[key]["he"])
    return isolated.format(**values, **joined)


def _joined(text: str) -> str:
    return f"־{text}" if text[:1].isdigit() else text


def count(number: int, of: str, language: str) -> str:
    """Return a number of things, such as "3 files"."""
    one, many = _COUNTED[of]["he" if language == "he" else "en"]
    return one if number == 1 else many.format(n=f"{number:,}")
