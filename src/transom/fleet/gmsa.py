"""Whether pods of a fleet can have group-managed service accounts (gMSA): its hosts, and the cluster.

Called by `transom status --gmsa`. Reads only.
"""

from collections.abc import AsyncIterator

from transom.facts import rows
from transom.facts.addons import AddonLimit
from transom.facts.rows import At
from transom.kube.objects import Objects
from transom.model.answers import Survey

_CREDENTIALS = ("windows.k8s.io/v1", "GMSACredentialSpec")
_WEBHOOK = "admission-webhook.windows-gmsa.sigs.k8s.io"
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def host_lacks(survey: Survey) -> str:
    """What a host lacks for it; empty where nothing."""
    return "" if survey.inventory.domain else f"gMSA: {_text('gmsa-domain')}"


async def cluster_lacks(objects: Objects) -> AsyncIterator[str]:
    """What the cluster lacks for it."""
    if not await objects.serves(*_CREDENTIALS):
        yield f"gMSA: {_text('gmsa-credentials')}"
    for kind in _WEBHOOKS:
        found = await objects.list("admissionregistration.k8s.io/v1", kind)
        names = [hook["name"] for item in found for hook in item.get("webhooks") or ()]
        if _WEBHOOK not in names:
            yield f"gMSA: {_text('gmsa-webhook')} ({kind} with {_WEBHOOK})"


def _text(row: str) -> str:
    return rows.one(AddonLimit, row, At()).text
