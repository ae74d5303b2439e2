"""What a program may do: an account, a role with only what it needs, and the reason of each rule."""

from collections.abc import Sequence
from typing import Any

from transom.addons.manifest import NAMESPACE, metadata
from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.addons import Right
from transom.model.manifest import Manifest

REASONS = "transom.dev/reasons"
_RBAC = "rbac.authorization.k8s.io"


def role_name(role: str) -> str:
    """The name of the ClusterRole and of what binds it."""
    return f"transom:{role}-windows"


def account(setting: Setting, name: str) -> Manifest:
    """The account a program's pods have."""
    head = metadata(setting, name, namespace=NAMESPACE)
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": head}


def cluster_role(setting: Setting, role: str, *, component: str) -> Manifest:
    """The rules of a program, each explained in an annotation."""
    rights = [right for right in rows.rows(Right, setting.at) if right.role == role]
    head = metadata(setting, role_name(role), component=component)
    head["annotations"] = {
        REASONS: "\n".join(f"{', '.join(r.resources)}: {r.reason}" for r in rights)
    }
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": head,
        "rules": [
            {
                "apiGroups": list(right.groups),
                "resources": list(right.resources),
                "verbs": list(right.verbs),
            }
            for right in rights
        ],
    }


def bound_to_account(setting: Setting, role: str, name: str) -> Manifest:
    """The binding of a role to its program's account."""
    return _binding(
        setting,
        role,
        component=name,
        subjects=[{"kind": "ServiceAccount", "name": name, "namespace": NAMESPACE}],
    )


def bound_to_nodes(setting: Setting, role: str, *, component: str) -> Manifest:
    """The binding of a role to the nodes themselves, for programs that use their credential."""
    return _binding(
        setting,
        role,
        component=component,
        subjects=[
            {"apiGroup": _RBAC, "kind": "User", "name": f"system:node:{node}"}
            for node in sorted(setting.nodes)
        ],
    )


def _binding(
    setting: Setting, role: str, *, component: str, subjects: Sequence[dict[str, Any]]
) -> Manifest:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": metadata(setting, role_name(role), component=component),
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": role_name(role)},
        "subjects": list(subjects),
    }
