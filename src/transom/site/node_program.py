"""The node program and the Python it runs in, as they are brought to hosts."""

from pathlib import Path
from typing import TYPE_CHECKING

from transom.fleet.on_host.interpreter import (
    fetch_interpreter,
    interpreter_artifact,
    own_interpreter,
)
from transom.fleet.on_host.program import Brought

if TYPE_CHECKING:
    from transom.model.fleet import Source
    from transom.model.lock import Lock
    from transom.site.downloads import Fetchers


def brought_of(
    package: str | Path | None,
    lock: "Lock",
    source: "Source",
    fetchers: "Fetchers",
    *,
    python: str = "",
) -> Brought:
    """Give the node program, and Python by its pinned sum or from the package that is named.

    `python` is the version that a fleet's lock has.
    """
    pinnable = interpreter_artifact(source, python)
    if package:
        return Brought.with_python(own_interpreter(Path(package), pinnable, lock))
    folder = fetchers.environment.python_cache
    return Brought.with_python(fetch_interpreter(pinnable, lock, fetcher=fetchers, folder=folder))
