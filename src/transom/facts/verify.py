"""What checks of nodes run and expect: images of test programs, and values that Windows has."""

from typing import ClassVar

from transom.facts.rows import Row


class TestImage(Row):
    """An image that a check runs, and the Windows builds that it has; none where it fits every build."""

    subject: ClassVar[str] = "verify"
    table: ClassVar[str] = "test_image"

    image: str
    builds: tuple[int, ...] = ()


class Expected(Row):
    """A value that a check compares with or sizes itself by."""

    subject: ClassVar[str] = "verify"
    table: ClassVar[str] = "expected"

    value: str
    text: str
