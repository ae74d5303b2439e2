"""What `-o json` prints: one dataclass per document, so that its schema comes from the declaration."""
