"""Builds node.pyz: the node program and what it imports, in one zip; same sources, same bytes.

Knows nothing of the Python beside it.
"""

import io
import zipfile
from pathlib import Path

_MAIN = "transom/node/packaging/zip_main.py"
_SHIPPED = ("__init__.py", "errors.py", "model/*.py", "node/**/*.py")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16


def build_node_zip(package: Path) -> bytes:
    """The zip of the package `transom` in that folder, for `python node.pyz`."""
    files = {path for pattern in _SHIPPED for path in package.glob(pattern)}
    entries = {
        f"transom/{path.relative_to(package).as_posix()}": path.read_bytes() for path in files
    }
    entries["__main__.py"] = entries[_MAIN]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(entries):
            # Line ends of a Windows checkout would change the bytes and nothing else.
            content = entries[name].replace(b"\r\n", b"\n")
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = _MODE
            # Not deflated: every release of zlib has bytes of its own, and two clients would replace each other's program in turn.
            entry.compress_type = zipfile.ZIP_STORED
            entry.create_system = 3
            archive.writestr(entry, content)
    return buffer.getvalue()
