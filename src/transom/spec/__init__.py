"""Documents people write, read with the place of every value and every mistake."""
