"""Options that several commands have, and what they open. Asks and parses; prints nothing of results."""
