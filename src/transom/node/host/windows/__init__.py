"""Windows itself, through ctypes and its own programs: one module per noun."""
