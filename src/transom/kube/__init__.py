"""The door to the Kubernetes API, as small as Transom needs it."""
