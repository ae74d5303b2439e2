"""What a bundle is made of, as SPDX 2.3 and CycloneDX 1.6. Pure; the same bytes each time.

Licences are not asserted: the artifacts' own files say them, and we have not read those.
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from transom import __version__
from transom.model.records import dataclass

# A bundle has no clock in it: two of the same fleet are the same bytes.
_NO_TIME = "1980-01-01T00:00:00Z"
_NAMESPACE = uuid.UUID("6f1c2f0e-4f7e-5d0b-9a35-6a7f0c1b7c11")
_NONE = "NOASSERTION"


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One thing a bundle holds: an artifact, an image or Transom's own program."""

    name: str
    version: str
    url: str
    sha256: str
    is_image: bool = False

    @property
    def purl(self) -> str:
        """Its package URL."""
        if self.is_image:
            return f"pkg:oci/{self.name.rpartition('/')[2]}@sha256%3A{self.sha256}"
        return f"pkg:generic/{self.name}@{self.version}?checksum=sha256:{self.sha256}"


def spdx(fleets: Iterable[str], components: Sequence[Component]) -> bytes:
    """The SPDX document."""
    name = _name(fleets)
    packages = [
        {
            "SPDXID": _spdx_id(component),
            "name": component.name,
            "versionInfo": component.version,
            "downloadLocation": _location(component),
            "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": component.sha256}],
            "externalRefs": [
                {
                    "referenceCategory": "PACKAGE-MANAGER",
                    "referenceType": "purl",
                    "referenceLocator": component.purl,
                }
            ],
            "licenseConcluded": _NONE,
            "licenseDeclared": _NONE,
            "copyrightText": _NONE,
        }
        for component in components
    ]
    relationships = [
        {
            "spdxElementId": "SPDXRef-DOCUMENT",
            "relationshipType": "DESCRIBES",
            "relatedSpdxElement": _spdx_id(component),
        }
        for component in components
    ]
    return _json(
        {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": name,
            "documentNamespace": f"https://transom.dev/spdx/{_identity(name, components)}",
            "creationInfo": {"created": _NO_TIME, "creators": [f"Tool: transom-{__version__}"]},
            "packages": packages,
            "relationships": relationships,
        }
    )


def cyclonedx(fleets: Iterable[str], components: Sequence[Component]) -> bytes:
    """The CycloneDX document."""
    name = _name(fleets)
    return _json(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "serialNumber": f"urn:uuid:{_identity(name, components)}",
            "version": 1,
            "metadata": {
                "timestamp": _NO_TIME,
                "tools": {
                    "components": [
                        {"type": "application", "name": "transom", "version": __version__}
                    ]
                },
                "component": {"type": "application", "name": name, "bom-ref": name},
            },
            "components": [
                {
                    "type": "container" if component.is_image else "application",
                    "bom-ref": f"{component.name}@{component.sha256}",
                    "name": component.name,
                    "version": component.version,
                    "hashes": [{"alg": "SHA-256", "content": component.sha256}],
                    "purl": component.purl,
                    **_distribution(component),
                }
                for component in components
            ],
        }
    )


def _name(fleets: Iterable[str]) -> str:
    return "bundle-" + "-".join(fleets)


def _distribution(component: Component) -> dict[str, Any]:
    if not component.url.startswith("https://"):
        return {}
    return {"externalReferences": [{"type": "distribution", "url": component.url}]}


def _location(component: Component) -> str:
    return component.url if component.url.startswith("https://") else _NONE


def _spdx_id(component: Component) -> str:
    letters = "".join(c if c.isalnum() and c.isascii() else "-" for c in component.name)
    return f"SPDXRef-{letters}-{component.sha256[:16]}"


def _identity(name: str, components: Sequence[Component]) -> uuid.UUID:
    sums = hashlib.sha256("".join(component.sha256 for component in components).encode())
    return uuid.uuid5(_NAMESPACE, f"{name} {sums.hexdigest()}")


def _json(document: dict[str, Any]) -> bytes:
    return json.dumps(document, indent=1).encode() + b"\n"
