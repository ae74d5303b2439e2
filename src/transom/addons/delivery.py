"""How manifests leave: one YAML stream, or a folder that kustomize takes. Text only, no files."""

import re
from collections.abc import Iterable, Mapping, Sequence

from transom.facts import rows
from transom.facts.addons import ServedVersion
from transom.facts.rows import At
from transom.model.manifest import Manifest, name_of
from transom.yamlio.loader import load_what_is_whole
from transom.yamlio.writing import as_blocks, write

_FILE = re.compile(r"[a-z0-9.-]+\.yaml")
_SAFE = str.maketrans({":": "-", "/": "-"})


def stream(manifests: Iterable[Manifest]) -> str:
    """All of them as one YAML stream."""
    return "---\n".join(document(manifest) for manifest in manifests)


def folder(manifests: Iterable[Manifest]) -> dict[str, str]:
    """A file for each, and the kustomization that lists them; file names sort as applied."""
    files = {_file_name(manifest): document(manifest) for manifest in manifests}
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": list(files),
    }
    return {**files, "kustomization.yaml": document(kustomization)}


def resource_set(
    manifests: Sequence[Manifest], *, name: str, namespace: str, cluster_labels: Mapping[str, str]
) -> list[Manifest]:
    """For Cluster API: a ConfigMap with all of them, and the set that brings it to clusters."""
    place = {"name": name, "namespace": namespace}
    served = rows.one(ServedVersion, "served-ClusterResourceSet", At())
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": place,
            "data": {"addons.yaml": stream(manifests)},
        },
        {
            "apiVersion": served.api_version,
            "kind": "ClusterResourceSet",
            "metadata": place,
            "spec": {
                "strategy": "Reconcile",
                "clusterSelector": {"matchLabels": dict(cluster_labels)},
                "resources": [{"kind": "ConfigMap", "name": name}],
            },
        },
    ]


def listed(kustomization: str) -> list[str]:
    """The files beside it that a kustomization of ours lists; nothing for any other text."""
    documents, _mistakes = load_what_is_whole(kustomization.encode(), name="kustomization.yaml")
    found = documents[0].value if documents else None
    names = found.get("resources") if isinstance(found, dict) else None
    return [name for name in names or () if isinstance(name, str) and _FILE.fullmatch(name)]


def document(manifest: Manifest) -> str:
    """One object as YAML, its keys in the order they were written."""
    return write(manifest, style=as_blocks)


def _file_name(manifest: Manifest) -> str:
    name = name_of(manifest)
    return f"{name.kind.lower()}-{name.name.translate(_SAFE)}.yaml"
