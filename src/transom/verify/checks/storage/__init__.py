"""Checks of the suite `storage`, one file each."""
