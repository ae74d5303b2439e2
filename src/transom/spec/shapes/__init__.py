"""The documents people write, declared: one module per noun, `document` has the whole."""
