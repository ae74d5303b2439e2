"""Settings for every test."""

from hypothesis import settings

# By the clock, an example on a busy machine can take any time.
settings.register_profile("transom", deadline=None)
settings.load_profile("transom")
