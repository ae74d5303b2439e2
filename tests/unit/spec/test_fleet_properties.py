"""Whatever is written, reading gives fleets or mistakes; what is read can be written back."""

import json
import re
from dataclasses import fields, is_dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transom.errors import InvalidDocument
from transom.model import fleet as model
from transom.spec.fleet import read_fleets
from transom.spec.shape import Flag, Free, Items, Number, Object, Table, Text
from transom.spec.shapes.document import FLEET

HEX = "0123456789abcdef" * 4
WORDS = {
    "name": ["web", "build-2", "0"],
    "host-name": ["win-01", "WIN-02", "a.b"],
    "version": ["1.30", "v0.28.0", "2.2.1", "1.4.0-beta.2"],
    "version-or-cluster": ["1.30", "1.37.1", "cluster"],
    "release": ["2022", "20H2", "1e3"],
    "address": ["10.96.0.10", "fd00::a"],
    "cidr": ["10.244.0.0/16", "fd00::/64"],
    "host": ["10.0.0.21", "fd00::1", "win.corp"],
    "dns-name": ["corp.example"],
    "endpoint": ["10.0.0.10:6443", "[fd00::1]:6443"],
    "jump": ["bastion", "me@bastion:22"],
    "url": ["https://a.b/c", "http://proxy:3128"],
    "no-proxy": [".corp", "10.0.0.0/8"],
    "duration": ["10m", "1h30m"],
    "registry": ["docker.io", "localhost:5000"],
    "count": ["1", "25%"],
    "qualified-name": ["os", "example.com/tier"],
    "label-value": ["", "web", "1.10", "yes"],
    "gate": ["WinDSR"],
    "flag-name": ["v", "max-pods"],
    "variable": ["KEY"],
    "object-name": ["windows-hosts"],
    "secret-key": ["ssh-privatekey"],
    "artifact": ["containerd", "kube-proxy"],
    "sha256": [HEX, "0" * 64],
    "ca-hash": [f"sha256:{HEX}"],
    "thumbprint": [HEX[:40]],
    "host-key": ["ssh-ed25519 AAAA"],
    "windows-path": ["D:\\containerd"],
    "member": ["kubernetes/node/bin/kubelet.exe"],
    "text": ["a b", "~/x"],
}
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
values = st.recursive(
    scalars,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=8), below, max_size=3)
    ),
    max_leaves=12,
)


@st.composite
def objects(draw, shape, *, wrong):
    chosen = {key for key in shape.keys if draw(st.booleans())} | set(shape.required)
    if shape.exactly_one:
        chosen -= set(shape.exactly_one)
        chosen.add(draw(st.sampled_from(shape.exactly_one)))
    if shape.at_least_one:
        chosen.add(draw(st.sampled_from(shape.at_least_one)))
    for first, second in shape.not_both:
        if {first, second} <= chosen:
            chosen.discard(
                draw(st.sampled_from([first, second])) if not shape.exactly_one else second
            )
    for _ in shape.needs:
        for key, needs in shape.needs.items():
            if key in chosen:
                chosen |= set(needs)
    for first, second in shape.not_both:
        if second in chosen:
            chosen.discard(first)
    document = {
        key: draw(of_shape(shape.keys[key], wrong=wrong)) for key in shape.keys if key in chosen
    }
    if wrong and draw(st.integers(0, 9)) == 0:
        document[draw(st.sampled_from([*shape.keys, "colour"]))] = draw(values)
    return document


def of_shape(shape, *, wrong):
    match shape:
        case Text():
            right = st.sampled_from(
                shape.choices or WORDS[shape.syntax.name if shape.syntax else "text"]
            )
        case Number():
            right = st.integers(shape.minimum, shape.maximum)
        case Flag():
            right = st.just(True) if shape.only_true else st.booleans()
        case Items():
            right = st.lists(of_shape(shape.of, wrong=wrong), min_size=shape.least, max_size=3)
        case Table():
            right = st.dictionaries(
                st.sampled_from(WORDS[shape.keys.name]), of_shape(shape.of, wrong=wrong), max_size=2
            )
        case Free():
            right = st.dictionaries(st.text("abc", min_size=1, max_size=3), values, max_size=2)
        case Object():
            right = objects(shape, wrong=wrong)
    return right


def made_consistent(document):
    """Give hosts and pools what no schema asks for: own names, own addresses, known pools."""
    spec = document["spec"]
    spec["defaults"] = {"windows": {"release": "2022"}} | spec.get("defaults", {})
    pools = spec.setdefault("pools", [])
    levels = [spec["defaults"], *pools, *spec.get("hosts", [])]
    for index, pool in enumerate(pools):
        pool["name"] = f"pool-{index}"
    for index, host in enumerate(spec.get("hosts", [])):
        host["name"] = f"win-{index}"
        host.pop("address", None)
        host.pop("pool", None)
        if pools:
            host["pool"] = pools[index % len(pools)]["name"]
    for level in levels:
        taints = {(taint["key"], taint["effect"]): taint for taint in level.get("taints", ())}
        if "taints" in level:
            level["taints"] = list(taints.values())
    return document


def camel(name):
    known = {"pod_cidrs": "podCIDRs", "service_cidrs": "serviceCIDRs", "cluster_dns": "clusterDNS"}
    return known.get(name) or re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


CREDENTIALS = {
    model.FromAgent: lambda _: {"agent": True},
    model.FromFile: lambda place: {"file": place.path},
    model.FromEnvironment: lambda place: {"env": place.name},
    model.FromCommand: lambda place: {"command": list(place.argv)},
    model.FromPrompt: lambda _: {"prompt": True},
    model.FromSecret: lambda place: {"secretRef": plain(place)},
    model.FromURL: lambda place: {"url": place.url, "sha256": place.sha256},
    model.FromLocalFile: lambda place: (
        {"file": place.path} | ({"sha256": place.sha256} if place.sha256 else {})
    ),
    model.FromNodeTarball: lambda place: {"member": place.member},
}
PLUGINS = {
    model.FlannelSpec: "flannel",
    model.CalicoSpec: "calico",
    model.AzureCNISpec: "azureCNI",
    model.OVNKubernetesSpec: "ovnKubernetes",
    model.WinCNISpec: "wincni",
    model.WinBridgeSpec: "winBridge",
    model.WinOverlaySpec: "winOverlay",
    model.WeaveSpec: "weave",
    model.ExternalSpec: "external",
}


def plain(value):
    """A model's value as its part of a document."""
    if type(value) in CREDENTIALS and not (type(value) is model.FromSecret and False):
        return (
            secret_ref(value)
            if isinstance(value, model.FromSecret)
            else CREDENTIALS[type(value)](value)
        )
    if isinstance(value, model.Network):
        rest = {
            each.name: getattr(value, each.name) for each in fields(value) if each.name != "plugin"
        }
        return {**named(rest), PLUGINS[type(value.plugin)]: plain(value.plugin)}
    if isinstance(value, model.Connection):
        rest = {
            each.name: getattr(value, each.name)
            for each in fields(value)
            if each.name != "transport"
        }
        return {value.transport.value: named(rest)}
    if isinstance(value, model.Drain):
        rest = {each.name.removesuffix("_s"): getattr(value, each.name) for each in fields(value)}
        return named(rest) | {"timeout": f"{value.timeout_s}s"}
    if is_dataclass(value):
        return named({each.name: getattr(value, each.name) for each in fields(value)})
    if isinstance(value, dict):
        return {key: plain(below) for key, below in value.items()}
    if isinstance(value, tuple):
        return [plain(below) for below in value]
    return value


def secret_ref(value):
    return {"secretRef": {"namespace": value.namespace, "name": value.name, "key": value.key}}


def named(parts):
    return {
        camel(name): plain(part) for name, part in parts.items() if part is not None and part != ()
    }


def written(fleet):
    """The document of a fleet whose hosts say everything themselves."""
    spec = plain(fleet)
    name = spec.pop("name")
    pools = sorted({host.pool for host in fleet.hosts if host.pool})
    spec["pools"] = [{"name": pool} for pool in pools]
    return {
        "apiVersion": "transom.dev/v1alpha1",
        "kind": "Fleet",
        "metadata": {"name": name},
        "spec": spec,
    }


@given(values)
def test_any_document_gives_mistakes_and_never_an_accident(value):
    try:
        read_fleets(json.dumps(value), name="any")
    except InvalidDocument as error:
        assert error.mistakes
    else:
        raise AssertionError("nothing random is a fleet")


@given(st.text() | st.binary())
def test_any_text_gives_mistakes_and_never_an_accident(text):
    try:
        read_fleets(text, name="any")
    except InvalidDocument as error:
        assert error.mistakes


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(of_shape(FLEET, wrong=True))
def test_an_almost_valid_fleet_gives_a_fleet_or_mistakes_with_places(document):
    try:
        read_fleets(json.dumps(document), name="any")
    except InvalidDocument as error:
        assert all(each.message and each.line == 1 and each.column > 0 for each in error.mistakes)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(of_shape(FLEET, wrong=False).map(made_consistent))
def test_a_valid_fleet_is_read_and_written_back_the_same(document):
    (fleet,) = read_fleets(json.dumps(document), name="any")
    assert len(fleet.hosts) == len(document["spec"].get("hosts", []))
    assert read_fleets(json.dumps(written(fleet)), name="again") == [fleet]
