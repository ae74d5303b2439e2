"""Fixtures for every test."""

from hypothesis import HealthCheck, settings

# How fast a machine is says nothing about what a test found out on it.
settings.register_profile("transom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("transom")
