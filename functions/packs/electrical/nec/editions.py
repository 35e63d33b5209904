"""The editions of the NEC that this pack knows, and what moved between them."""

from __future__ import annotations

import re
from typing import Literal, get_args

Edition = Literal[2017, 2020, 2023, 2026]
EDITIONS: tuple[Edition, ...] = get_args(Edition)
DEFAULT: Edition = 2023

MOVED: tuple[tuple[str, str, str], ...] = (
    ("310.15(B)(16)", "310.16", "310.16"),
    ("310.15(B)(2)(a)", "310.15(B)(1)(1)", "310.15(B)(1)(1)"),
    ("310.15(B)(3)(a)", "310.15(C)(1)", "310.15(C)(1)"),
    ("310.15(B)(5)", "310.15(E)", "310.15(E)"),
    ("310.15(B)(7)", "310.12", "310.12"),
    ("310.10(F)", "310.10(E)", "310.10(E)"),
    ("310.10(H)", "310.10(G)", "310.10(G)"),
    ("310.106(A)", "310.3(A)", "310.3(A)"),
    ("424.3(B)", "424.4(B)", "424.4(B)"),
    ("220.12", "220.12", "220.42(A)"),
    ("220.42", "220.42", "220.45"),
    ("220.44", "220.44", "220.47"),
    ("430.52", "430.52", "430.52(C)(1)"),
)
"""The same table or section in 2017, in 2020 and from 2023 on. A number that means two things
(220.42) means the older one: that is how people know it."""

_ARTICLE_220 = re.compile(r"220(?=$|\.)")


def article(number: str, edition: Edition) -> str:
    """Return the number that a section or table of any edition has in `edition`.

    Only renumberings that are known are made: `310.16` was `310.15(B)(16)` in 2017, and Article 220
    is Article 120 in 2026. Anything else keeps its number.
    """
    if number == "120" or number.startswith("120."):
        number = "220" + number[3:]
    for numbers in MOVED:
        if number in numbers:
            number = numbers[min(EDITIONS.index(edition), 2)]
            break
    return _ARTICLE_220.sub("120", number) if edition == 2026 else number
