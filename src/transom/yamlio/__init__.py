"""YAML as Kubernetes reads it, with positions, and edits that keep comments. Knows no document."""
