"""Doors to what is outside this machine: hosts, and the servers that artifacts come from."""
