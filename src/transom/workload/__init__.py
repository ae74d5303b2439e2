"""Workloads on Windows: which pods are for Windows, and what will not work in them.

Pure: knows neither files nor clusters. The command line, admission and the operator all run the
same rules through `engine`.
"""
