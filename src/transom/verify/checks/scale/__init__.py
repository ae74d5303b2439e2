"""Checks of the suite `scale`, one file each."""
