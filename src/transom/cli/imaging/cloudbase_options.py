"""cloudbase-init's own option parser, where its Python package is installed: it knows each setting's type."""

import importlib
import importlib.util
import tempfile
from pathlib import Path


def options_are_there() -> bool:
    """Whether the package is installed."""
    return importlib.util.find_spec("cloudbaseinit") is not None


def load(content: bytes) -> str:
    """What cloudbase-init has against a configuration; empty where it has nothing."""
    cfg = importlib.import_module("oslo_config.cfg")
    factory = importlib.import_module("cloudbaseinit.conf.factory")
    settings = cfg.ConfigOpts()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "cloudbase-init.conf"
        path.write_bytes(content)
        try:
            for options in factory.get_options():
                options(settings).register()
            settings(["--config-file", str(path)], project="cloudbase-init")
            for group in (None, *settings._groups):  # noqa: SLF001 - reading each value is what types it
                place = settings if group is None else settings[group]
                for name in list(place._opts if group is None else place):  # noqa: SLF001 - same
                    getattr(place, name)
            for name in (*settings.metadata_services, *settings.plugins):
                if importlib.util.find_spec(name.rpartition(".")[0]) is None:
                    return f"there is no {name}"
        except (cfg.Error, ValueError, ImportError) as error:
            return str(error)
    return ""
