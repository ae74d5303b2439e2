"""The node program as one file: how it is built, begins and is compiled on a host."""
