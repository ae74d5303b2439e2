"""What is true for which version, as data: TOML files with a source and a date on every row."""
