"""The receipt, in both languages."""

import unittest

from basket.prices import Line
from basket.receipt import receipt


class Receipts(unittest.TestCase):
    def test_the_sum_comes_last(self) -> None:
        self.assertEqual(receipt([Line("bread", 800)]).splitlines()[-1], "Total: 8.00 ₪")

    # הקבלה בעברית
    def test_the_sum_is_named_in_hebrew(self) -> None:
        self.assertIn("סך הכול: 8.00 ₪", receipt([Line("לחם", 800)], "he"))


if __name__ == "__main__":
    unittest.main()
