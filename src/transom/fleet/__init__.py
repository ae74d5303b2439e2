"""What concerns many hosts at once, where pure resolving and the doors meet."""
