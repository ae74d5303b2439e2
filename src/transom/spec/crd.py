"""Fleet and WindowsHost as CustomResourceDefinitions, from the declaration that files are read by. Pure."""

from typing import Any

from transom.model.records import dataclass
from transom.spec.shape import Object, Text
from transom.spec.shapes.document import API_VERSION, FLEET, GROUP, WINDOWS_HOST
from transom.spec.structural import Choices, structural
from transom.spec.structural_text import text_schema

_READY = '.status.conditions[?(@.type=="Ready")].status'
_REASON = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"


@dataclass(frozen=True, slots=True)
class Column:
    """What `kubectl get` shows of an object beside its name."""

    name: str
    path: str
    about: str
    type: str = "string"
    wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A document that a cluster keeps, and how it is called there."""

    document: Object
    plural: str
    short: tuple[str, ...]
    choices: Choices
    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        """The name of its CustomResourceDefinition."""
        return f"{self.plural}.{GROUP}"


_READY_COLUMN = Column("Ready", _READY, "Whether everything is as the spec wants it.")
_AGE = Column("Age", ".metadata.creationTimestamp", "How long it exists.", type="date")

RESOURCES = (
    Resource(
        document=FLEET,
        plural="fleets",
        short=(),
        choices=Choices(
            # In a cluster each host is a WindowsHost, with its own status and rights.
            left_out=frozenset({"spec.hosts"}),
            immutable=frozenset({"spec.network.type"}),
            inherited=frozenset({"HostOverrides", "Pool"}),
        ),
        columns=(
            Column("Version", ".spec.kubernetes.version", "The version of Kubernetes on hosts."),
            Column("Network", ".spec.network.type", "The network's plugin."),
            Column("Paused", ".spec.paused", "Whether hosts are left alone.", type="boolean"),
            _READY_COLUMN,
            _AGE,
        ),
    ),
    Resource(
        document=WINDOWS_HOST,
        plural="windowshosts",
        short=("wh",),
        choices=Choices(
            immutable=frozenset({"spec.fleetName", "spec.nodeName"}),
            inherited=frozenset({"HostOverrides"}),
        ),
        columns=(
            Column("Fleet", ".spec.fleetName", "The fleet it belongs to."),
            Column("Pool", ".spec.poolName", "The pool it belongs to."),
            Column("Address", ".spec.address", "How it is reached."),
            Column("Node", ".spec.nodeName", "What its Node is called.", wide=True),
            _READY_COLUMN,
            _AGE,
        ),
    ),
)


def definition(resource: Resource) -> dict[str, Any]:
    """The CustomResourceDefinition of a resource."""
    kind = resource.document.title
    version = {
        "name": API_VERSION.rpartition("/")[2],
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": [_column(column) for column in resource.columns],
        "schema": {"openAPIV3Schema": _schema(resource)},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": resource.name},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": resource.plural,
                "singular": kind.lower(),
                "shortNames": list(resource.short),
                "categories": ["transom"],
            },
            "versions": [version],
        },
    }


def _column(column: Column) -> dict[str, Any]:
    shown = {
        "name": column.name,
        "type": column.type,
        "jsonPath": column.path,
        "description": column.about,
    }
    return shown | ({"priority": 1} if column.wide else {})


def _schema(resource: Resource) -> dict[str, Any]:
    document = resource.document
    return {
        "type": "object",
        "description": document.about,
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": _metadata(document),
            "spec": structural(document.keys["spec"], "spec", resource.choices),
            "status": _status(document.title),
        },
    }


def _metadata(document: Object) -> dict[str, Any]:
    """An API server defines metadata; of it only the name may be restricted."""
    metadata = document.keys["metadata"]
    assert isinstance(metadata, Object)
    name = metadata.keys["name"]
    assert isinstance(name, Text)
    return {"type": "object", "properties": {"name": text_schema(name)}}


def _status(kind: str) -> dict[str, Any]:
    condition = {
        "type": "object",
        "required": ["type", "status", "lastTransitionTime", "reason", "message"],
        "properties": {
            "type": {"type": "string", "maxLength": 316},
            "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
            "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
            "lastTransitionTime": {"type": "string", "format": "date-time"},
            "reason": {"type": "string", "minLength": 1, "maxLength": 1024, "pattern": _REASON},
            "message": {"type": "string", "maxLength": 32768},
        },
    }
    return {
        "type": "object",
        "description": f"What was last seen of the {kind}; a controller writes it.",
        "properties": {
            "observedGeneration": {
                "type": "integer",
                "format": "int64",
                "description": "The generation of the spec that this was seen with.",
            },
            "conditions": {
                "type": "array",
                "description": "What holds and what does not. `Ready` sums it up.",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["type"],
                "items": condition,
            },
        },
    }
