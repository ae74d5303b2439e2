"""Rows of `containerd.toml`: how the runtime is configured, by its version."""

from typing import ClassVar

from transom.facts.rows import Row


class ContainerdShape(Row):
    """How containerd's configuration is written for a range of its versions."""

    subject: ClassVar[str] = "containerd"
    table: ClassVar[str] = "containerd_shape"
    config_version: int
    images_plugin: str
    runtime_plugin: str
    sandbox_key: str
    cni_bin_key: str
    disabled_plugins: tuple[str, ...] = ()
