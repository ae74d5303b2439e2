"""Whatever is written, reading gives fleets or mistakes; what v1alpha1 takes is right as v1alpha2."""

import json
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transom.errors import InvalidDocument
from transom.spec.fleet import read_fleets
from transom.spec.shape import Count, Flag, Free, Items, Number, Object, Table, Text
from transom.spec.shapes.client import CLIENT
from transom.spec.shapes.document import FLEET, WINDOWS_HOST
from transom.spec.v1alpha1.convert import convert
from transom.spec.v1alpha1.document import FLEET as OLD_FLEET
from transom.spec.validation import faults_of

# A whole fleet is a large thing to draw: fewer of them, and no complaint about their size.
SLOW = settings(
    max_examples=60,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.large_base_example,
        HealthCheck.data_too_large,
    ],
    deadline=None,
)
TOKEN = "abcdef.0123456789abcdef"
HEX = "0123456789abcdef" * 4
WORDS = {
    "name": ["web", "build-2", "0"],
    "host-name": ["win-01", "WIN-02", "a.b"],
    "version": ["1.30.0", "2.2.1", "1.4.0-beta.2"],
    "loose-version": ["1.30", "v0.28.0", "2.2.1", "1.4.0-beta.2"],
    "version-or-cluster": ["1.30", "1.37.1", "cluster"],
    "release": ["ltsc2022", "20H2", "1809"],
    "loose-release": ["2022", "20H2", "1809"],
    "pointer": ["/labels/os"],
    "credential-name": ["admins"],
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


def trees(leaves, keys):
    return st.recursive(
        leaves,
        lambda below: st.lists(below, max_size=2) | st.dictionaries(keys, below, max_size=2),
        max_leaves=6,
    )


anything = trees(scalars, st.text(max_size=8))
configuration = trees(st.integers() | st.text("abc"), st.text("abc", min_size=1, max_size=3))
wrong_values = st.sampled_from([None, True, -1, 2.5, "", "x y", [], [None], {}, {"colour": 1}])


@st.composite
def objects(draw, shape, *, wrong):
    """A map of the shape; with `wrong` some of its values are not."""
    some = st.sets(st.sampled_from(list(shape.keys))) if shape.keys else st.just(set())
    chosen = draw(some) | set(shape.required)
    if shape.exactly_one:
        chosen = chosen.difference(shape.exactly_one) | {draw(st.sampled_from(shape.exactly_one))}
    if shape.at_least_one:
        chosen.add(draw(st.sampled_from(shape.at_least_one)))
    if shape.union is not None:
        chosen.difference_update({"type", *shape.union.members.values()})
        chosen.update({"type"} & set(shape.required))
    for key, needs in [*shape.needs.items()] * 2:  # what is needed may itself need something
        chosen.update(needs if key in chosen else ())
    for first, second in shape.not_both:
        if {first, second} <= chosen:
            chosen.discard(first if first not in shape.exactly_one else second)
    document = {key: draw(of_shape(shape.keys[key], wrong=wrong)) for key in sorted(chosen)}
    if wrong and draw(st.integers(0, 9)) == 0:
        document[draw(st.sampled_from([*shape.keys, "colour"]))] = draw(wrong_values)
    return document


@cache
def of_shape(shape, *, wrong):
    drawn: st.SearchStrategy[Any]
    match shape:
        case Text():
            syntax = shape.syntax.name if shape.syntax else "text"
            drawn = st.sampled_from(shape.choices or WORDS[syntax])
        case Count():
            drawn = st.sampled_from([1, "25%"])
        case Number():
            drawn = st.integers(shape.minimum, shape.maximum)
        case Flag():
            drawn = st.just(value=True) if shape.only_true else st.booleans()
        case Items():
            drawn = st.lists(of_shape(shape.of, wrong=wrong), min_size=shape.least, max_size=2)
        case Table():
            keys = st.sampled_from(WORDS[shape.keys.name])
            drawn = st.dictionaries(keys, of_shape(shape.of, wrong=wrong), max_size=2)
        case Free():
            drawn = st.dictionaries(st.text("abc", min_size=1), configuration, max_size=2)
        case Object():
            drawn = objects(shape, wrong=wrong)
    return drawn


def made_consistent(document):
    """Give hosts and pools what no schema asks for: own names, own addresses, known pools."""
    spec = document["spec"]
    spec["defaults"] = {"windows": {"release": "2022"}} | spec.get("defaults", {})
    if "weave" in spec["network"]:
        spec["network"]["flannel"] = spec["network"].pop("weave")
    pools = spec.setdefault("pools", [])
    levels = [spec["defaults"], *pools, *spec.get("hosts", [])]
    for index, pool in enumerate(pools):
        pool["name"] = f"pool-{index}"
    for index, host in enumerate(spec.get("hosts", [])):
        host["name"] = f"win-{index}"
        host.pop("address", None)
        host.pop("pool", None)
        host.pop("upgrade", None)
        if pools:
            host["pool"] = pools[index % len(pools)]["name"]
    for level in levels:
        taints = {(taint["key"], taint["effect"]): taint for taint in level.get("taints", ())}
        if "taints" in level:
            level["taints"] = list(taints.values())
        level.pop("role", None)
        if "local" in level.get("connection", {}):
            del level["connection"]
    return document


def mistakes_of(source):
    try:
        read_fleets(source, name="any")
    except InvalidDocument as error:
        return error.mistakes
    return ()


@given(anything)
def test_any_document_gives_mistakes_and_never_an_accident(value):
    assert mistakes_of(json.dumps(value, ensure_ascii=False))


@given(st.text() | st.binary())
def test_any_text_gives_mistakes_and_never_an_accident(text):
    assert mistakes_of(text)


@SLOW
@given(
    st.one_of(*(of_shape(shape, wrong=True) for shape in (FLEET, WINDOWS_HOST, CLIENT, OLD_FLEET)))
)
def test_an_almost_valid_document_gives_a_fleet_or_mistakes_with_places(document):
    for mistake in mistakes_of(json.dumps(document)):
        assert mistake.message
        assert mistake.file == "any"
        assert mistake.line == 1 or mistake.message == "there is no Fleet in here"


@settings(SLOW, max_examples=20)
@given(of_shape(OLD_FLEET, wrong=False).map(made_consistent))
def test_what_v1alpha1_takes_is_right_as_v1alpha2(document):
    (fleet,) = read_fleets(json.dumps(document), name="any")
    assert len(fleet.hosts) == len(document["spec"].get("hosts", []))
    new = convert(document)
    assert faults_of(FLEET, new.fleet) == []
    assert new.client is None or faults_of(CLIENT, new.client) == []
    texts = [json.dumps(each) for each in new if each is not None]
    assert read_fleets("\n---\n".join(texts), name="again") == [fleet]


def leaves(value, path=()):
    if isinstance(value, dict | list) and value:
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(below, (*path, key))
    else:
        yield path


@SLOW
@given(of_shape(FLEET, wrong=True), st.data())
def test_a_token_planted_anywhere_is_a_mistake_and_in_no_message(document, data):
    *parents, last = data.draw(st.sampled_from(list(leaves(document))))
    place = document
    for part in parents:
        place = place[part]
    place[last] = TOKEN
    mistakes = mistakes_of(json.dumps(document))
    assert any("a secret has no place here" in mistake.message for mistake in mistakes)
    assert not any(TOKEN in f"{each.message}{each.hint}{each.path}" for each in mistakes)
