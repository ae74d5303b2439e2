"""How images of Windows nodes are built on each platform: tools, base images, configuration at first boot.

Read by whatever renders or checks image templates.
"""

from typing import ClassVar

from transom.facts.rows import Row


class BuildTool(Row):
    """A program that images are built with; `version` is what templates require, `address` of a plugin whence."""

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "tool"
    version: str
    address: str = ""


class Installer(Row):
    """A program that goes into an image and that no recipe brings; `{underscored}` is its version with `_`."""

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "installer"
    version: str
    url: str
    folder: str


class Builder(Row):
    """How a platform builds: the plugin's source type, what the machine boots from, how it is left.

    `base`: iso (installed by an answer file) or cloud (an image of the platform). `firmware` decides the
    partitions of an installation. `ends`: shutdown (sysprep shuts down at the builder's word) or
    quit (a last command leaves the machine generalised and running). `before` are commands that the
    platform's own agent needs before sysprep, `instead` those in its place.
    """

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "builder"
    plugin: str
    type: str
    base: str
    ends: str
    firmware: str = ""
    before: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    licence: str


class BaseImage(Row):
    """What a platform calls a Windows release: an image, or the kind of guest it is to be."""

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "base"
    platform: str
    windows: str
    name: str


class BootPlugin(Row):
    """A plugin of cloudbase-init that images enable, in the order of the rows; no platform means all."""

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "boot_plugin"
    name: str
    platforms: tuple[str, ...] = ()
    in_specialize: bool = False


class BootSetting(Row):
    """A setting of cloudbase-init in images; `specialize` is its value in the run during setup, where it differs."""

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "boot_setting"
    name: str
    value: str
    specialize: str = ""


class Policy(Row):
    """A registry value that an image has and no recipe."""

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "policy"
    key: str
    name: str
    value: int


class AnswerSetting(Row):
    """A part of an answer file of Windows setup that may stand in a pass: a component and its settings."""

    subject: ClassVar[str] = "imaging"
    table: ClassVar[str] = "answer"
    component: str
    passes: tuple[str, ...]
    settings: tuple[str, ...]
