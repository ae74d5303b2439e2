"""Which labels a node registers with, and which only the API can give it. Pure."""

from collections.abc import Mapping

from transom.facts import rows
from transom.facts.join import OwnLabels
from transom.facts.rows import At


def own_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Those that the kubelet may set itself."""
    return {key: value for key, value in labels.items() if _is_own(key)}


def given_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Those that somebody else has to set once the Node is there."""
    return {key: value for key, value in labels.items() if not _is_own(key)}


def _is_own(key: str) -> bool:
    fact = rows.one(OwnLabels, "own-labels", At())
    namespace = key.rpartition("/")[0]
    kubernetes = any(
        namespace == domain or namespace.endswith(f".{domain}") for domain in fact.domains
    )
    return not kubernetes or key in fact.keys or namespace in fact.namespaces
