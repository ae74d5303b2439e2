"""Windows Server releases, where Kubernetes supports them, pause images and image matching.

Read by the recipe, by the rules about images and nodes, and by `facts` and `explain`.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Release(Row):
    """A release of Windows Server; a fleet has its id or another of its names, such as `ltsc2022`.

    `tags` begin the tags of base images of that build. An empty end date means that none was
    announced.
    """

    subject: ClassVar[str] = "windows"
    table: ClassVar[str] = "release"

    name: str
    build: int
    channel: str
    available: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    mainstream_end: str = ""
    extended_end: str = ""
    revision_must_match: bool = False

    def is_called(self, name: str) -> bool:
        """Whether this is what a name means."""
        return name in (self.id, *self.aliases)


class Support(Row):
    """What one Kubernetes minor supports on Windows.

    `containerd_minimums` has the least version of each series; a series above the last one
    listed is taken to work, any other that is missing is unsupported. No minimum means that the
    minor knows no containerd on Windows, and an empty `docker_minimum` no Docker.
    """

    subject: ClassVar[str] = "windows"
    table: ClassVar[str] = "support"

    stage: str
    ltsc: tuple[str, ...]
    builds: tuple[int, ...]
    sac: tuple[str, ...] = ()
    docker_minimum: str = ""
    docker_by: str = ""
    containerd_minimums: tuple[str, ...] = ()
    containerd_stage: str = ""


class PauseImage(Row):
    """The pause image that is kubeadm's default there, and the Windows builds it has."""

    subject: ClassVar[str] = "windows"
    table: ClassVar[str] = "pause"

    image: str
    builds: tuple[int, ...]


class PauseBuild(Row):
    """How a pause image is made for a build that no published tag has.

    The `program` of a published image is put on the `base` of the build; nothing runs while it is
    made, so any machine can make it.
    """

    subject: ClassVar[str] = "windows"
    table: ClassVar[str] = "pause_build"

    base: str
    program: str
    user: str


class ImageMatch(Row):
    """How containerd decides whether an image's build runs on a host with process isolation.

    `rule` is `exact`, `exact-or-empty`, `since-20348` or `previous-ltsc`; the note says it in
    words.
    """

    subject: ClassVar[str] = "windows"
    table: ClassVar[str] = "image_match"

    rule: str


class Kb(Row):
    """A Windows update that something needs; `revision` is zero where it is not known."""

    subject: ClassVar[str] = "windows"
    table: ClassVar[str] = "kb"

    build: int
    needed_for: str
    revision: int = 0
