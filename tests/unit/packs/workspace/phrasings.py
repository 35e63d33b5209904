"""Further ways to ask for the same, written when the planner's rules were done and before any of
them was tried; what each has to lead to."""

from __future__ import annotations

from typing import Any

Call = tuple[str, dict[str, Any]]
MODEL = "needs a model"
"""Nothing is called: the answer says that it takes a language model."""
TESTS: Call = ("run_command", {"command": "python3 -m unittest"})


def read(path: str, **more: int) -> Call:
    return "read_file", {"path": path, **more}


def listed(**more: Any) -> Call:
    return "list_directory", more


def found(query: str, **more: Any) -> Call:
    return "search_files", {"query": query, **more}


def ran(command: str) -> Call:
    return "run_command", {"command": command}


def wrote(path: str, content: str) -> Call:
    return "write_file", {"path": path, "content": content}


def edited(path: str, old: str, new: str) -> Call:
    return "edit_file", {"path": path, "oldText": old, "newText": new}


PHRASINGS: tuple[tuple[str, tuple[Call, ...] | str], ...] = (
    ("Could you show me which files there are in the project?", (listed(),)),
    ("I'd like to see the contents of the tests directory", (listed(path="tests"),)),
    ("Give me an overview of all folders and files", (listed(depth=5),)),
    ("Let me have a look at basket/receipt.py", (read("basket/receipt.py"),)),
    ("What's written in notes/plans.md?", (read("notes/plans.md"),)),
    ("Display pyproject.toml, please", (read("pyproject.toml"),)),
    (
        "I need lines 20 through 29 of basket/prices.py",
        (read("basket/prices.py", startLine=20, endLine=29),),
    ),
    ("In which files does the word coupon show up?", (found("coupon"),)),
    ("Search the whole project for DISCOUNT_FROM", (found("DISCOUNT_FROM"),)),
    ("Where exactly is subtotal_price being called?", (found("subtotal_price"),)),
    (
        "The function shekels should be called to_shekels",
        (edited("basket/receipt.py", "shekels", "to_shekels"),),
    ),
    (
        "Swap DISCOUNT_PERCENT for PERCENT_OFF throughout the code, then run the test suite",
        (edited("basket/prices.py", "DISCOUNT_PERCENT", "PERCENT_OFF"), TESTS),
    ),
    (
        "Change the word Plans to Ideas in notes/plans.md",
        (edited("notes/plans.md", "Plans", "Ideas"),),
    ),
    ("Put `print(1)` into a new file one.py", (wrote("one.py", "print(1)\n"),)),
    (
        "Please create a text file named shopping.txt that says: eggs and flour",
        (wrote("shopping.txt", "eggs and flour\n"),),
    ),
    ("Can you execute the tests and tell me which ones fail?", (TESTS,)),
    ("Please run python3 --version", (ran("python3 --version"),)),
    ("Could you add input validation to basket/prices.py?", MODEL),
    ("Please find out why the discount is wrong and fix it", MODEL),
    ("Turn receipt into a class", MODEL),
    ("תוכל להראות לי אילו קבצים יש בפרויקט?", (listed(),)),
    ("מה נמצא בתיקיית tests?", (listed(path="tests"),)),
    ("תן לי סקירה של כל התיקיות והקבצים", (listed(depth=5),)),
    ("אני רוצה לראות את basket/receipt.py", (read("basket/receipt.py"),)),
    ("מה התוכן של notes/plans.md?", (read("notes/plans.md"),)),
    ("הצג בבקשה את pyproject.toml", (read("pyproject.toml"),)),
    (
        "תני לי את שורות 20-29 מתוך basket/prices.py",
        (read("basket/prices.py", startLine=20, endLine=29),),
    ),
    ("באיזה קובץ כתוב coupon?", (found("coupon"),)),
    ("חפש בכל הפרויקט את DISCOUNT_FROM", (found("DISCOUNT_FROM"),)),
    ("איפה קוראים לפונקציה subtotal_price?", (found("subtotal_price"),)),
    (
        "הפונקציה shekels צריכה להיקרא to_shekels",
        (edited("basket/receipt.py", "shekels", "to_shekels"),),
    ),
    (
        "תחליפי DISCOUNT_PERCENT ב-PERCENT_OFF בכל הקוד ותריצי את הבדיקות",
        (edited("basket/prices.py", "DISCOUNT_PERCENT", "PERCENT_OFF"), TESTS),
    ),
    (
        "שנה את המילה Plans ל-Ideas בקובץ notes/plans.md",
        (edited("notes/plans.md", "Plans", "Ideas"),),
    ),
    ("שים `print(1)` בקובץ חדש one.py", (wrote("one.py", "print(1)\n"),)),
    (
        "בבקשה צור קובץ טקסט בשם shopping.txt שכתוב בו: ביצים וקמח",
        (wrote("shopping.txt", "ביצים וקמח\n"),),
    ),
    ("תוכלי להריץ את הטסטים ולספר לי מה נכשל?", (TESTS,)),
    ("הרץ בבקשה python3 --version", (ran("python3 --version"),)),
    ("אפשר להוסיף בדיקת קלט ל-basket/prices.py?", MODEL),
    ("תמצא למה ההנחה לא נכונה ותתקן את זה", MODEL),
    ("הפוך את receipt למחלקה", MODEL),
)
