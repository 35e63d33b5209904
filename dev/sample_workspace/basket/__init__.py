"""A shopping basket."""

from basket.prices import Line, subtotal_price, total_price

__all__ = ["Line", "subtotal_price", "total_price"]
