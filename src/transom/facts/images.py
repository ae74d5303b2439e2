"""What an image's name tells about the system it is for, and about what runs in it.

Read by the rules, which cannot look into images: only names that are certain are listed.
"""

from typing import ClassVar

from transom.facts.rows import Row


class ImageName(Row):
    """Names of images of one system.

    `repositories` begin a repository, up to a `/` or its end. `tag_words` are found in a tag
    between its separators, `name_words` so in the last part of a repository. An empty `os` says that
    the images are for several, whatever else their names have.
    """

    subject: ClassVar[str] = "images"
    table: ClassVar[str] = "image_name"

    os: str
    repositories: tuple[str, ...] = ()
    tag_words: tuple[str, ...] = ()
    name_words: tuple[str, ...] = ()


class LeastMemory(Row):
    """The memory in MiB below which containers of a kind of base image do not start reliably."""

    subject: ClassVar[str] = "images"
    table: ClassVar[str] = "least_memory"

    mebibytes: int
    words: tuple[str, ...]


class LimitAware(Row):
    """The release from which a runtime sizes its heap by the container's memory limit.

    `repositories` begin a repository as in `ImageName`; a tag begins with the release.
    """

    subject: ClassVar[str] = "images"
    table: ClassVar[str] = "limit_aware"

    name: str
    repositories: tuple[str, ...]
    since: str


class Mirror(Row):
    """Beginnings of image names that lead to Docker Hub's official images."""

    subject: ClassVar[str] = "images"
    table: ClassVar[str] = "mirror"

    prefixes: tuple[str, ...]


class Lacking(Row):
    """Programs that images of some repositories do not have; `repositories` as in `ImageName`."""

    subject: ClassVar[str] = "images"
    table: ClassVar[str] = "lacking"

    name: str
    repositories: tuple[str, ...]
    programs: tuple[str, ...]
