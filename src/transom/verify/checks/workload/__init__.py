"""Checks of the suite `workload`, one file each."""
