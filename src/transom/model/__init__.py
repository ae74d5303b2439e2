"""Frozen values that every other part shares. Standard library only: they ship to hosts."""
