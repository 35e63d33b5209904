"""Prices, with and without the discount."""

import unittest

from basket import Line, subtotal_price, total_price


class Prices(unittest.TestCase):
    def test_lines_are_added_up(self) -> None:
        self.assertEqual(total_price([Line("bread", 800), Line("milk", 650, 2)]), 2100)

    # סל ריק
    def test_an_empty_basket_costs_nothing(self) -> None:
        self.assertEqual(total_price([]), 0)

    # הנחה: מעשר יחידות ומעלה
    def test_ten_pieces_are_cheaper(self) -> None:
        self.assertEqual(subtotal_price(Line("apple", 100, 10)), 950)


if __name__ == "__main__":
    unittest.main()
