"""The machine Transom runs on, as one frozen value: variables, folders, whether a person can be asked.

The command line makes it once; everything below takes it as an argument and never looks for itself.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from transom.model.records import dataclass

if TYPE_CHECKING:
    from transom.remote.https import Proxy

DEFAULT_KUBECONFIG = "~/.kube/config"


@dataclass(frozen=True, kw_only=True)
class Environment:
    """What this machine and its user bring to a run. Variables may hold secrets and are not shown."""

    home: Path
    data: Path
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    can_ask: bool = False

    def path(self, text: str | Path) -> Path:
        """Give a path as the user wrote it, with `~` as the user's home."""
        first, *rest = Path(text).parts or ("",)
        return self.home.joinpath(*rest) if first == "~" else Path(text).expanduser()

    def kubeconfigs(self, named: str | None = None) -> tuple[Path, ...]:
        """Give the named kubeconfig, or those that kubectl would use."""
        listed = [part for part in self.variables.get("KUBECONFIG", "").split(os.pathsep) if part]
        files = [named] if named else listed or [DEFAULT_KUBECONFIG]
        return tuple(self.path(file) for file in dict.fromkeys(files))

    def proxy(self, *, url: str = "", no_proxy: Sequence[str] = ()) -> "Proxy":
        """Give the proxy for downloads: the one in the variables, else the one that is named."""
        from transom.remote.https import Proxy

        return Proxy.of(self.variables, url=url, no_proxy=no_proxy)

    @property
    def ssh(self) -> Path:
        """The user's folder of OpenSSH."""
        return self.home / ".ssh"

    @property
    def known_hosts(self) -> Path:
        """The SSH servers that the user knows."""
        return self.ssh / "known_hosts"

    @property
    def ssh_config(self) -> Path:
        """The user's configuration of OpenSSH."""
        return self.ssh / "config"

    @property
    def client_file(self) -> Path:
        """The user's own Client document."""
        folder = self.variables.get("XDG_CONFIG_HOME")
        return (Path(folder) if folder else self.home / ".config") / "transom" / "client.yaml"

    @property
    def python_cache(self) -> Path:
        """Where the Python for hosts is kept between runs."""
        return self.home / ".cache" / "transom" / "python"

    @property
    def results(self) -> Path:
        """Where results of tests are kept unless another file is named."""
        return self.data / "transom" / "results.db"
