"""Simulated hosts, faults and twins: for the demo and for tests, never on hosts."""
