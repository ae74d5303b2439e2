"""Artifacts held here for hosts, whole and rotten."""

import hashlib
from dataclasses import replace

from transom.remote.session import Parcel


class Held:
    """Everything the simulated network has, on this machine instead."""

    def __init__(self, content):
        self.content = {hashlib.sha256(data).hexdigest(): data for data in content}
        self.asked = []

    def has(self, sha256):
        return sha256 in self.content

    def parcel(self, sha256):
        self.asked.append(sha256)
        content = self.content[sha256]
        return Parcel(size=len(content), sha256=sha256, chunks=lambda: iter([content]))


class Rotten(Held):
    """The same, with one more byte in each."""

    def parcel(self, sha256):
        whole = super().parcel(sha256)
        return replace(whole, chunks=lambda: iter([*whole.chunks(), b"!"]))
