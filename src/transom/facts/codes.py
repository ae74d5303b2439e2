"""Error codes of Windows: of its calls, of host compute and host networking, and exit codes."""

from typing import ClassVar

from transom.facts.rows import Row


class ErrorCode(Row):
    """An error code by its value; `text` is the sentence Windows has for it.

    HRESULT values 0x8007xxxx wrap a Win32 code, which has the row; the codes of the Host Compute
    Service stand under their NTSTATUS value, 0xc037xxxx. A code that `decides` names the cause by
    itself; the others only say what a call met.
    """

    subject: ClassVar[str] = "codes"
    table: ClassVar[str] = "code"

    name: str
    value: int
    area: str
    cause: str
    remedy: str
    text: str = ""
    look: str = ""
    decides: bool = False
