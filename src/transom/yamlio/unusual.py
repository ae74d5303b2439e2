"""What every reading of YAML shares: when a quick one gives up, and how deep values may go."""

MAX_DEPTH = 500


class UnusualError(Exception):
    """A quick reading met something that only a more careful one knows."""
