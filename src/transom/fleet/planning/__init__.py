"""What is to be done to which host, and in which order. Pure: everything that was read comes in as a value."""
