"""A small ISO 9660 image with Joliet names, as metadata services read it."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from transom.errors import UsageError

_LEVEL = 3
_JOLIET = 3


def iso(label: str, files: Mapping[str, bytes]) -> bytes:
    """The image of files by their paths, with slashes; Windows sees the names as they are."""
    image = _new()
    image.new(interchange_level=_LEVEL, joliet=_JOLIET, vol_ident=label)
    folders: dict[str, str] = {}
    for number, (path, content) in enumerate(sorted(files.items())):
        *parents, name = path.split("/")
        plain = _add_folders(image, parents, folders)
        image.add_fp(
            BytesIO(content),
            len(content),
            f"{plain}/F{number}.;1",
            joliet_path="/" + "/".join((*parents, name)),
        )
    output = BytesIO()
    image.write_fp(output)
    image.close()
    return output.getvalue()


def _new() -> Any:
    try:
        import pycdlib
    except ImportError as error:
        raise UsageError(
            "making an ISO image needs pycdlib", hint="install it: pip install 'transom[boot]'"
        ) from error
    return pycdlib.PyCdlib()


def _add_folders(image: Any, parents: list[str], folders: dict[str, str]) -> str:
    """Make the folders above a file; answer their plain ISO 9660 path."""
    plain, joliet = "", ""
    for parent in parents:
        joliet += f"/{parent}"
        if joliet not in folders:
            folders[joliet] = f"{plain}/D{len(folders)}"
            image.add_directory(folders[joliet], joliet_path=joliet)
        plain = folders[joliet]
    return plain
