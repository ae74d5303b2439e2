"""asyncssh, imported without its search for two libraries that nobody here needs.

While it is imported, it asks for liboqs and nettle by `find_library`, which on Linux starts ldconfig, a compiler and a
linker to answer: more than everything else that a command starts with. They would give it one more key exchange
and one more sum of packets; it speaks every one that OpenSSH prefers without them. Every module here that needs
asyncssh has it from this one.
"""

import ctypes.util  # noqa: TID251 - not to reach Windows

_find_library = ctypes.util.find_library
ctypes.util.find_library = lambda _name: None  # type: ignore[assignment]
try:
    import asyncssh
finally:
    ctypes.util.find_library = _find_library

__all__ = ["asyncssh"]
