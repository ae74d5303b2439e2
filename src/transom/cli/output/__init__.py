"""Results as lines on a terminal. Decides nothing."""
