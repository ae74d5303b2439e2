"""Stores for secrets that clouds have, reached with the machine's own identity; `store.py` chooses."""
