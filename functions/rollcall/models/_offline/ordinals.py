"""Places in a list, as people say them: "the second one"."""

from __future__ import annotations

# Words as `tokens` spells them: Hebrew final letters are written as ordinary ones.
ORDINALS = {
    "first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "last": -1,
    "ראשונ": 0, "ראשונה": 0, "שני": 1, "שנייה": 1, "שניה": 1, "שלישי": 2, "שלישית": 2, "אחרונ": -1,
    "אחרונה": -1,
}  # fmt: skip


def bare(said: list[str]) -> list[str]:
    """Hebrew words without "the" or "in" in front."""
    return [word[1:] for word in said if word[:1] in "הבל"]
