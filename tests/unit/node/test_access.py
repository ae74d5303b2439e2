"""Access read back from Windows equals the wanted access however it is spelled."""

import pytest

from transom.node.access import same_access

WANTED = "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"


@pytest.mark.parametrize(
    ("found", "same"),
    [
        (WANTED, True),
        ("O:SYG:SYD:P(A;OICI;0x1f01ff;;;BA)(A;OICI;FA;;;SY)", True),
        ("D:AI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", False),
        ("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;;FR;;;BU)", False),
        ("D:P(A;OICI;FA;;;SY)", False),
        ("D:P(XA;;FX;;;S-1-1-0;(WIN://x))", False),
        ("O:BAG:SY", False),
    ],
)
def test_descriptors_are_compared_by_what_they_allow(found, same):
    assert same_access(found, WANTED) is same
