"""What `transom lint` does around the rules: settings, files, several processes."""
