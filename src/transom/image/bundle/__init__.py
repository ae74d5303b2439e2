"""The bundle: everything a fleet needs, in one archive that is the same bytes each time."""
