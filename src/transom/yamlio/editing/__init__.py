"""Changes of a document's text by place: what is not meant stays byte for byte.

Never writes a whole document anew, so comments, order, quoting and line ends survive. Opens no
files.
"""

from transom.yamlio.editing.change import Append, Edit, Remove, Rename, Replace, Set
from transom.yamlio.editing.layout import CannotEdit
from transom.yamlio.editing.text import Outcome, Refused, edit

__all__ = [
    "Append",
    "CannotEdit",
    "Edit",
    "Outcome",
    "Refused",
    "Remove",
    "Rename",
    "Replace",
    "Set",
    "edit",
]
