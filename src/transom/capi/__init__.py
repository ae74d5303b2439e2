"""Cluster API: templates for Windows machines. Pure: what it carries is given, nothing is reached."""
