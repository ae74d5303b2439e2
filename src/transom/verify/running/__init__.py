"""Checks run against a cluster: what is there, the objects they need, turning and cleaning up."""
