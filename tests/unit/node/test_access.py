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
        ("O:S-1-5-21-7-7-7-1001G:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", False),
        ("D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", False),
        # What kubelet.exe makes of it (pkg/util/filesystem Chmod 0750): SYSTEM is an administrator too.
        ("O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;SY)(A;OICI;;;;BU)", True),
        ("O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(D;;FR;;;SY)", False),
        ("O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)", False),
        ("O:BAG:SYD:PAI(A;OICIIO;FA;;;SY)(A;OICIIO;FA;;;BA)", False),
    ],
)
def test_descriptors_are_compared_by_what_they_allow(found, same):
    assert same_access(found, WANTED) is same
