"""The application: opens the doors of a fleet and does what commands and controllers ask. Never prints."""
