"""Prices of what lies in a basket, in agorot."""

from dataclasses import dataclass

DISCOUNT_FROM = 10
DISCOUNT_PERCENT = 5


@dataclass(frozen=True)
class Line:
    """A product, its price for one piece, and how many there are of it."""

    product: str
    price: int
    quantity: int = 1


def subtotal_price(line: Line) -> int:
    """The price of one line: ten pieces or more are cheaper."""
    whole = line.price * line.quantity
    # הנחה מעשר יחידות ומעלה
    if line.quantity > DISCOUNT_FROM:
        return whole * (100 - DISCOUNT_PERCENT) // 100
    return whole


def total_price(lines: list[Line]) -> int:
    """The price of all lines together."""
    return sum(subtotal_price(line) for line in lines)
