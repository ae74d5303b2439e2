"""Rows of `containerd.toml`: how the runtime is configured, by its version."""

from typing import ClassVar

from transom.facts.rows import Row


class ContainerdShape(Row):
    """How containerd's configuration is written for a range of its versions.

    `pull_progress_timeout` stands where containerd's own limit would cancel the pull of an image that is
    still being unpacked.
    """

    subject: ClassVar[str] = "containerd"
    table: ClassVar[str] = "containerd_shape"
    config_version: int
    images_plugin: str
    runtime_plugin: str
    sandbox_key: str
    cni_bin_key: str
    pull_progress_timeout: str = ""
    disabled_plugins: tuple[str, ...] = ()
