"""The sites that hosts download from are trusted by a real Windows Server, which fetches roots on demand."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from transom.facts import rows
from transom.facts.install import ArtifactRow
from transom.node.host.trust import distrust

SITES = sorted({urlsplit(row.url).hostname or "" for row in rows.read(ArtifactRow)})


@pytest.mark.parametrize("site", SITES)
def test_a_site_of_downloads_is_reached_and_trusted(site):
    from transom.node.host.sockets import reaches
    from transom.node.host.windows import roots as windows_roots

    roots: Any = windows_roots
    assert reaches(site, 443)
    assert distrust(site, 443, roots=roots.WindowsRoots(), authorities="") == ""
