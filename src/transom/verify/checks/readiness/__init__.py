"""Checks of the suite `readiness`, one file each."""
