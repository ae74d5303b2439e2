"""Checks of the suite `network`, one file each."""
