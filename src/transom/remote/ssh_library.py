"""A hack: asyncssh, imported while `ctypes.util.find_library` finds nothing.

While it is imported, asyncssh asks for liboqs and nettle by `find_library`, which on Linux starts ldconfig, a compiler
and a linker to answer: more than everything else that a command starts with. They would give it one more key exchange
and one more MAC; it speaks every one that OpenSSH prefers without them. asyncssh has no switch for that search.
The patch lasts for this import alone, and this is the only module that imports asyncssh: everything else here takes it
from this one, and an import contract holds that.
"""

import ctypes.util  # noqa: TID251 - not to reach Windows

_find_library = ctypes.util.find_library
ctypes.util.find_library = lambda _name: None  # type: ignore[assignment]
try:
    import asyncssh
finally:
    ctypes.util.find_library = _find_library

__all__ = ["asyncssh"]
