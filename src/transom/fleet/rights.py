"""The least rights in the cluster that work on a fleet needs, as ClusterRoles. Pure.

Printed by `transom init --print-rbac`. Approving certificates is a role of its own, to be given or not.
"""

from typing import Any

_READ = ("get", "list")


def rights() -> list[dict[str, Any]]:
    """The roles, ready to be bound to whoever runs Transom."""
    return [
        _role(
            "transom-fleet",
            [
                _rule("", ["configmaps"], ("get",)),
                _rule("", ["nodes"], (*_READ, "patch", "delete")),
                _rule("", ["pods"], _READ),
                _rule("", ["pods/eviction"], ("create",)),
                _rule("apps", ["daemonsets"], _READ),
                _rule("certificates.k8s.io", ["certificatesigningrequests"], _READ),
                _rule("rbac.authorization.k8s.io", ["clusterrolebindings"], _READ),
            ],
        ),
        _role(
            "transom-tokens",
            [_rule("", ["secrets"], ("create", "delete"))],
            namespace="kube-system",
        ),
        _role(
            "transom-approve",
            [
                _rule("certificates.k8s.io", ["certificatesigningrequests/approval"], ("update",)),
                {
                    **_rule("certificates.k8s.io", ["signers"], ("approve",)),
                    "resourceNames": ["kubernetes.io/kubelet-serving"],
                },
            ],
        ),
    ]


def _role(name: str, rules: list[dict[str, Any]], *, namespace: str = "") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role" if namespace else "ClusterRole",
        "metadata": metadata,
        "rules": rules,
    }


def _rule(group: str, resources: list[str], verbs: tuple[str, ...]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}
