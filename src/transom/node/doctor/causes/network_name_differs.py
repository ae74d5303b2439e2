"""The network's configuration, the recipe and kube-proxy name different networks."""

import json
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_FOLDER = r"C:\etc\cni\net.d"


def _examine(seen: Observation) -> Iterator[Trouble]:
    wanted = seen.recipe.network.name if seen.recipe is not None else ""
    names: dict[str, str] = {}
    for path, text in sorted(seen.texts_in(_FOLDER).items()):
        try:
            document = json.loads(text)
            names[path] = str(document["name"])
        except (ValueError, KeyError, TypeError) as error:
            yield Trouble(
                subject=path,
                message=f"{path} is no network configuration: {error}",
                file=path,
            )
    if names and wanted:
        # The runtime takes the first file by name.
        path, name = next(iter(names.items()))
        if name != wanted:
            yield Trouble(
                subject=name,
                message=f"pods are put on the network {name}, the host has {wanted}",
                evidence=tuple(f"{file}: {found}" for file, found in names.items()),
                file=path,
            )
    proxy = seen.service("kube-proxy")
    given = proxy.option("network-name") if proxy is not None else None
    if given and wanted and given != wanted:
        yield Trouble(
            subject=given,
            message=f"kube-proxy works on the network {given}, the host has {wanted}",
            evidence=(f"--network-name={given}",),
        )


DIAGNOSIS = Diagnosis(
    id="network-name-differs",
    title="Network names differ",
    symptom="Pods stay in ContainerCreating with `network ... not found`, or Services do not answer.",
    cause="A file in the network configuration's directory comes first by its name and names "
    "another network, is no JSON, or kube-proxy was given another network.",
    remedy=Remedy(
        "Remove the file that does not belong there, or correct the name, and restart the "
        "kubelet or kube-proxy.",
        "Correcting the file interrupts nothing, and restarting the kubelet leaves running "
        "containers alone. Restarting kube-proxy deletes every balancer: no Service answers "
        "from this node until it has written all of them again, which takes seconds, and "
        "minutes with thousands of Services.",
    ),
    looks_at=("texts", "services", "recipe"),
    seen=Seen.WINE,
    examine=_examine,
    hides=("node-not-ready",),
)
