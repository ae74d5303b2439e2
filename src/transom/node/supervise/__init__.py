"""`node.pyz run NAME`: keeps a program of the recipe running, for HostProcess pods and services.

`supervisor.py` is the whole story in order; the other modules each do one thing that must happen
before the program starts.
"""
