"""A receipt as text, in English or Hebrew."""

from basket.prices import Line, subtotal_price, total_price

WORDS = {"en": "Total", "he": "סך הכול"}


def receipt(lines: list[Line], language: str = "en") -> str:
    """Every line, then the sum. השורה האחרונה היא הסכום"""
    rows = [f"{line.quantity} x {line.product}: {shekels(subtotal_price(line))}" for line in lines]
    # TODO: align the prices to the right
    return "\n".join([*rows, f"{WORDS[language]}: {shekels(total_price(lines))}"])


def shekels(agorot: int) -> str:
    """An amount as people write it."""
    return f"{agorot / 100:.2f} ₪"
