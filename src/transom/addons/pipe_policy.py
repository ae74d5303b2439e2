"""Who may mount a host's named pipes, through which wins lets a pod do everything on the host.

A PodSecurityPolicy where those exist, an admission policy where the server has those; between the
two, Pod Security's level baseline forbids every mount of the host.
"""

from collections.abc import Iterator
from typing import Any

from transom.addons.manifest import NAMESPACE, metadata
from transom.addons.setting import Setting
from transom.addons.wins import PIPE
from transom.errors import UnsupportedError
from transom.facts import rows
from transom.facts.addons import ServedVersion
from transom.model.manifest import Manifest

NAME = "transom-wins-pipe"
_RBAC = "rbac.authorization.k8s.io"
_PIPES = r"^[\\\\/]{2}[.?][\\\\/]pipe[\\\\/]"
_VOLUMES = ("configMap", "downwardAPI", "emptyDir", "persistentVolumeClaim", "projected", "secret")


def pipe_policy(setting: Setting) -> list[Manifest]:
    """The policy that this version of Kubernetes has."""
    legacy = rows.find(ServedVersion, "served-PodSecurityPolicy", setting.at)
    current = rows.find(ServedVersion, "served-ValidatingAdmissionPolicy", setting.at)
    if legacy is not None:
        return list(_security_policies(setting, legacy.api_version))
    if current is not None:
        return list(_admission_policy(setting, current.api_version))
    raise UnsupportedError(
        f"Kubernetes {setting.kubernetes} has neither PodSecurityPolicy nor admission policies",
        subject="--with pipe-policy",
        hint="label namespaces pod-security.kubernetes.io/enforce: baseline, which forbids "
        "every mount of the host",
    )


def _security_policies(setting: Setting, api_version: str) -> Iterator[Manifest]:
    paths = [{"pathPrefix": PIPE}, {"pathPrefix": setting.places.install, "readOnly": True}]
    ours = {
        **_anyone(),
        "hostNetwork": True,
        "volumes": [*_VOLUMES, "hostPath"],
        "allowedHostPaths": paths,
    }
    yield _security_policy(setting, api_version, NAME, ours)
    head = metadata(setting, f"transom:{NAME}", component=NAME)
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": head,
        "rules": [
            {
                "apiGroups": ["policy"],
                "resources": ["podsecuritypolicies"],
                "resourceNames": [NAME],
                "verbs": ["use"],
            }
        ],
    }
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": metadata(setting, NAME, namespace=NAMESPACE),
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": f"transom:{NAME}"},
        "subjects": [
            {
                "apiGroup": _RBAC,
                "kind": "Group",
                "name": f"system:serviceaccounts:{NAMESPACE}",
            }
        ],
    }
    # A sample for everybody else: bind it where pods of Windows may have no part of the host.
    others = {**_anyone(), "volumes": list(_VOLUMES)}
    yield _security_policy(setting, api_version, "transom-no-host", others)


def _security_policy(
    setting: Setting, api_version: str, name: str, spec: dict[str, Any]
) -> Manifest:
    head = metadata(setting, name, component=NAME)
    return {
        "apiVersion": api_version,
        "kind": "PodSecurityPolicy",
        "metadata": head,
        "spec": {"privileged": False, "allowPrivilegeEscalation": False, **spec},
    }


def _anyone() -> dict[str, Any]:
    rules = ("runAsUser", "seLinux", "supplementalGroups", "fsGroup")
    return {rule: {"rule": "RunAsAny"} for rule in rules}


def _admission_policy(setting: Setting, api_version: str) -> Iterator[Manifest]:
    mounts = "object.spec.volumes.all(v, !has(v.hostPath) || "
    mounts += f"!v.hostPath.path.lowerAscii().matches('{_PIPES}'))"
    yield {
        "apiVersion": api_version,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata(setting, NAME),
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["pods"],
                    }
                ],
                "namespaceSelector": {
                    "matchExpressions": [
                        {
                            "key": "kubernetes.io/metadata.name",
                            "operator": "NotIn",
                            "values": ["kube-system", NAMESPACE],
                        }
                    ]
                },
            },
            "validations": [
                {
                    "expression": f"!has(object.spec.volumes) || {mounts}",
                    "message": "a named pipe of the host may be mounted in kube-system "
                    f"and {NAMESPACE} only",
                    "reason": "Forbidden",
                }
            ],
        },
    }
    yield {
        "apiVersion": api_version,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": metadata(setting, NAME),
        "spec": {"policyName": NAME, "validationActions": ["Deny"]},
    }
