"""Boot data of others made safe: one module per part of it; `rewrite.py` puts them together."""
