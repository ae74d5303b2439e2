"""The door to Windows: narrow protocols by noun, and the implementations behind them.

Only modules of this package may use ctypes, winreg, subprocess or sockets.
"""
