"""The least rights in the cluster that work on a fleet needs, as ClusterRoles. Pure.

Approving certificates and add-ons are roles of their own, to be
given or not.
"""

from typing import Any

from transom.addons.rights import role_name

_READ = ("get", "list")
_OWN = (*_READ, "create", "patch", "delete")
_RBAC = "rbac.authorization.k8s.io"


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
                _rule(_RBAC, ["clusterrolebindings"], _READ),
            ],
        ),
        _role(
            "transom-tokens",
            [_rule("", ["secrets"], ("create", "delete"))],
            namespace="kube-system",
        ),
        _role(
            "transom-addons",
            [
                _rule("", ["namespaces", "serviceaccounts"], _OWN),
                _rule("", ["configmaps"], ("list",)),
                _rule("apps", ["daemonsets"], _OWN),
                _rule("node.k8s.io", ["runtimeclasses"], _OWN),
                _rule(_RBAC, ["clusterroles", "clusterrolebindings"], _OWN),
                # Who gives a role rights must have them, or this; only for the add-ons' own roles.
                {
                    **_rule(_RBAC, ["clusterroles"], ("bind", "escalate")),
                    "resourceNames": [role_name(program) for program in ("flannel", "kube-proxy")],
                },
                _rule(_RBAC, ["rolebindings"], ("list",)),
                _rule(
                    "admissionregistration.k8s.io",
                    ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
                    ("list",),
                ),
            ],
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
        "apiVersion": f"{_RBAC}/v1",
        "kind": "Role" if namespace else "ClusterRole",
        "metadata": metadata,
        "rules": rules,
    }


def _rule(group: str, resources: list[str], verbs: tuple[str, ...]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}
