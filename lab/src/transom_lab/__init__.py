"""A real control plane and Windows hosts on one Linux machine; found by `transom` as its `lab` command.

It may import the product, never the reverse, so that no stand-in ever ships with the product.
"""

__version__ = "0.1.0"
