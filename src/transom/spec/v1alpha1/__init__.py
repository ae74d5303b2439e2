"""The form before v1alpha2: declared as far as its mistakes need it, and converted by `convert`."""
