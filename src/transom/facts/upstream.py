"""Upstream's own tests for Windows: the jobs that run them, and where their images come from."""

from typing import ClassVar

from transom.facts.rows import Row


class UpstreamJob(Row):
    """A job of SIG Windows for one minor: which tests of e2e.test it runs, in how many processes.

    `focus` and `skip` are regular expressions of Go; `skip` wins.
    """

    subject: ClassVar[str] = "upstream"
    table: ClassVar[str] = "job"

    job: str
    about: str
    focus: str
    skip: str
    processes: int


class ImageRegistry(Row):
    """A registry that e2e.test takes images from, by the key it has in KUBE_TEST_REPO_LIST."""

    subject: ClassVar[str] = "upstream"
    table: ClassVar[str] = "test_registry"

    key: str
    registry: str
