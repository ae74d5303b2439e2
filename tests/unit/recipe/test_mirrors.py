"""A mirror stands for exactly the addresses below the prefix it is named for."""

import pytest

from transom.recipe.sources import mirrored

MIRRORS = {
    "https://dl.example": "https://mirror.corp/dl/",
    "https://dl.example/flannel/": "https://mirror.corp/net",
}


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://dl.example/v1/kubelet.exe", "https://mirror.corp/dl/v1/kubelet.exe"),
        ("https://dl.example/flannel/f.exe", "https://mirror.corp/net/f.exe"),
        ("https://dl.example/flannelled.exe", "https://mirror.corp/dl/flannelled.exe"),
        ("https://dl.example?x=1", "https://mirror.corp/dl?x=1"),
        ("https://dl.example.net/kubelet.exe", "https://dl.example.net/kubelet.exe"),
        ("https://dl.example:8443/kubelet.exe", "https://dl.example:8443/kubelet.exe"),
        ("https://other.example/kubelet.exe", "https://other.example/kubelet.exe"),
        ("", ""),
    ],
)
def test_the_longest_prefix_decides(url, wanted):
    assert mirrored(url, MIRRORS) == wanted
