"""Simulated hosts as JSON, to keep one beside the journal that was written on it."""

import base64

from transom.model.codec import decode, encode
from transom.node.host.values import (
    FeatureState,
    FirewallPort,
    PathKind,
    RegistryData,
    ServiceDefinition,
)
from transom.testing.simulated_disk import Entry

_KINDS = {"rule": FirewallPort, "service": ServiceDefinition, "value": RegistryData}


def dump(host):
    """Everything on a host, the node program's own files too."""
    files = {
        entry.path: {
            "kind": entry.kind.value,
            "acl": entry.acl,
            "data": base64.b64encode(entry.data).decode(),
        }
        for entry in host.disk._seen.values()
    }
    settings = [
        [noun, subject, encode(value)] for (noun, subject), value in host.settings.seen.items()
    ]
    return {"files": files, "settings": settings, "running": sorted(host.services.alive)}


def load(host, document):
    """Make a simulated host what a document says."""
    entries = {
        path.lower(): Entry(
            PathKind(item["kind"]), path, base64.b64decode(item["data"]), item["acl"]
        )
        for path, item in document["files"].items()
    }
    settings = {
        (noun, subject): _value(noun, value) for noun, subject, value in document["settings"]
    }
    host.disk.durable, host.disk._seen = dict(entries), dict(entries)
    host.settings.durable, host.settings.seen = dict(settings), dict(settings)
    host.disk.pending, host.settings.pending = [], []
    host.services.be_running(document["running"])


def _value(noun, value):
    if noun == "feature":
        return FeatureState(value)
    if noun in _KINDS:
        return decode(_KINDS[noun], value)
    return tuple(value) if isinstance(value, list) else value
