"""The engine of steps: what is planned, done, written down and undone on a host, in that order."""
