"""What is said of changed lines, in English and Hebrew."""

from __future__ import annotations

LINE_PHRASES: dict[str, dict[str, str]] = {
    "lines_removed": {
        "en": "Took {lines} out of `{path}`.",
        "he": "הוסרו מהקובץ `{path}`: {lines}.",
    },
    "lines_replaced": {
        "en": "Replaced {lines} of `{path}`.",
        "he": "הוחלפו בקובץ `{path}`: {lines}.",
    },
    "lines_added": {
        "en": "Put {lines} into `{path}`.",
        "he": "נוספו לקובץ `{path}`: {lines}.",
    },
    "no_such_line": {
        "en": "`{path}` has {lines}, so there is no such line in it and nothing was changed.",
        "he": "בקובץ `{path}` יש {lines}, ולכן אין בו שורה כזאת ולא שונה דבר.",
    },
    "many_lines": {
        "en": "`{old}` is on several lines of `{path}` ({lines}), so nothing was changed. Give the "
        "whole line in quotes, or its number, to say which.",
        "he": "הטקסט `{old}` מופיע בכמה שורות בקובץ `{path}` ({lines}), ולכן לא שונה דבר. אפשר "
        "לתת את השורה כולה במירכאות, או את מספרה.",
    },
    "ask_lines_of": {
        "en": "In which file?",
        "he": "באיזה קובץ?",
    },
    "no_line_has": {
        "en": "No line of `{path}` has `{old}` in it, so nothing was changed.",
        "he": "אין בקובץ `{path}` שורה שיש בה `{old}`, ולכן לא שונה דבר.",
    },
    "no_line_is_empty": {
        "en": "`{path}` has no empty lines, so nothing was changed.",
        "he": "אין בקובץ `{path}` שורות ריקות, ולכן לא שונה דבר.",
    },
}
