"""A secret's value is found wherever it stands, and no message repeats it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.errors import InvalidDocument
from transom.spec.fleet import read_fleets
from transom.spec.secret import find_secrets

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n"
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl"


def fleet(**spec):
    return {
        "apiVersion": "transom.dev/v1alpha1",
        "kind": "Fleet",
        "metadata": {"name": "shop"},
        "spec": {
            "kubernetes": {"version": "1.37.1"},
            "network": {
                "podCIDRs": ["10.244.0.0/16"],
                "serviceCIDRs": ["10.96.0.0/12"],
                "flannel": {},
            },
            **spec,
        },
    }


def told(document):
    with pytest.raises(InvalidDocument) as caught:
        read_fleets(json.dumps(document), name="fleet.yaml")
    return caught.value.mistakes


FOUND = {
    "an inline token": ({"cluster": {"token": "abcdef.0123456789abcdef"}}, "spec.cluster.token"),
    "a token where its place belongs": (
        {"cluster": {"tokenFrom": "abcdef.0123456789abcdef"}},
        "spec.cluster.tokenFrom",
    ),
    "a token without digits": (
        {"cluster": {"context": "abcdef.abcdefghijklmnop"}},
        "spec.cluster.context",
    ),
    "a token in a flag": (
        {"defaults": {"kubelet": {"extraArgs": {"join": "--token abcdef.0123456789abcdef"}}}},
        "spec.defaults.kubelet.extraArgs.join",
    ),
    "a password": (
        {"defaults": {"connection": {"ssh": {"password": "hunter2"}}}},
        "spec.defaults.connection.ssh.password",
    ),
    "a password that is a number": (
        {"defaults": {"connection": {"winrm": {"password": 12345678}}}},
        "spec.defaults.connection.winrm.password",
    ),
    "a password deep in somebody else's map": (
        {"defaults": {"kubelet": {"config": {"a": [{"clientSecret": "hunter2"}]}}}},
        "spec.defaults.kubelet.config.a[0].clientSecret",
    ),
    "a password in a proxy's URL": (
        {"proxy": {"http": "http://me:hunter2@proxy:3128"}},
        "spec.proxy.http",
    ),
    "a user in a proxy's URL": ({"proxy": {"http": "http://hunter2@proxy"}}, "spec.proxy.http"),
    "a password in a mirror's URL": (
        {"source": {"mirrors": {"https://a.b": "https://me:hunter2@c.d"}}},
        'spec.source.mirrors["https://a.b"]',
    ),
    "a signature in a URL": (
        {"source": {"overrides": {"a": {"url": "https://a.b/c?sv=1&sig=hunter2", "sha256": "0" * 64}}}},
        "spec.source.overrides.a.url",
    ),
    "a password before a jump host": (
        {"defaults": {"connection": {"ssh": {"jump": "me:hunter2@bastion"}}}},
        "spec.defaults.connection.ssh.jump",
    ),
    "a key in the place of its file": (
        {"defaults": {"connection": {"ssh": {"credential": {"file": KEY}}}}},
        "spec.defaults.connection.ssh.credential.file",
    ),
    "a token in the place of its file": (
        {"defaults": {"connection": {"ssh": {"credential": {"file": JWT}}}}},
        "spec.defaults.connection.ssh.credential.file",
    ),
    "a password assigned in a command": (
        {"defaults": {"connection": {"ssh": {"credential": {"command": ["x", "--password=hunter2"]}}}}},
        "spec.defaults.connection.ssh.credential.command[1]",
    ),
    "a password after its option": (
        {"defaults": {"connection": {"ssh": {"credential": {"command": ["x", "--token", "hunter2"]}}}}},
        "spec.defaults.connection.ssh.credential.command[2]",
    ),
    "an authorization header": (
        {"defaults": {"kubelet": {"config": {"staticPodURLHeader": {"Authorization": ["Bearer hunter2hunter2"]}}}}},
        "spec.defaults.kubelet.config.staticPodURLHeader.Authorization[0]",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "path"), FOUND.values(), ids=FOUND)
def test_a_secret_is_refused_and_not_repeated(spec, path):
    mistakes = told(fleet(**spec))
    (mistake,) = [each for each in mistakes if "a secret has no place here" in each.message]
    assert mistake.path == path
    assert [each.message for each in mistakes if each.path == path] == [mistake.message]
    said = " ".join(f"{each.message} {each.hint} {each.path}" for each in mistakes)
    for value in ("hunter2", "0123456789abcdef", "12345678", "b3BlbnNz", "eyJpc3Mi"):
        assert value not in said


def test_a_secret_in_a_key_is_masked_in_the_path_too():
    mistakes = told(fleet(source={"mirrors": {"https://me:hunter2@a.b": "https://c.d"}}))
    assert [each.path for each in mistakes] == ['spec.source.mirrors["(secret)"]']


def test_a_wrong_name_of_a_variable_is_not_repeated_because_it_may_be_the_password():
    credential = {"connection": {"winrm": {"credential": {"env": "s3cret!"}}}}
    (mistake,) = told(fleet(defaults=credential))
    assert mistake.message == "this is not the name of an environment variable"


INNOCENT = {
    "an image by tag and digest": {
        "kubelet": {"extraArgs": {"pod-infra-container-image": f"a.b/pause:3.9@sha256:{'0' * 64}"}}
    },
    "a command that names the secret": {
        "connection": {
            "ssh": {
                "credential": {
                    "command": ["vault", "kv", "get", "-field=password", "op://vault/win/password"]
                }
            }
        }
    },
    "a key of a Secret called password": {
        "connection": {"winrm": {"credential": {"secretRef": {"name": "win", "key": "password"}}}}
    },
    "a variable called token": {"connection": {"winrm": {"credential": {"env": "TOKEN"}}}},
    "a file called token": {"connection": {"winrm": {"credential": {"file": "./token"}}}},
    "a jump host with a user": {"connection": {"ssh": {"jump": "me@bastion:22"}}},
    "a duration for tokens": {"kubelet": {"config": {"tokenTTL": "10m", "token": True}}},
}


@pytest.mark.parametrize("defaults", INNOCENT.values(), ids=INNOCENT)
def test_what_only_speaks_of_a_secret_is_accepted(defaults):
    (read,) = read_fleets(json.dumps(fleet(defaults=defaults)), name="fleet.yaml")
    assert read.name == "shop"


def test_a_dns_name_shaped_like_a_token_is_an_address():
    host = {"name": "a", "address": "worker.mycompanynetwork", "windows": {"release": "2022"}}
    (read,) = read_fleets(json.dumps(fleet(hosts=[host])), name="fleet.yaml")
    assert read.hosts[0].address == "worker.mycompanynetwork"


alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
tokens = st.builds(
    "{}.{}".format,
    st.text(alphabet, min_size=6, max_size=6),
    st.text(alphabet, min_size=16, max_size=16),
)
trees = st.recursive(
    st.just(...),
    lambda below: st.one_of(
        st.dictionaries(st.text(max_size=5), below, min_size=1, max_size=3),
        st.lists(below, min_size=1, max_size=3),
    ),
    max_leaves=4,
)


@given(tree=trees, token=tokens)
def test_a_bootstrap_token_is_found_at_any_place(tree, token):
    def planted(node):
        if node is ...:
            return token
        if isinstance(node, dict):
            return {key: planted(below) for key, below in node.items()}
        return [planted(below) for below in node]

    secrets = find_secrets({"free": planted(tree)})
    assert secrets.values == (token,)


@pytest.mark.parametrize(
    "part",
    ["a", "https://", "x?", "://", "a:", "a@", "eyJ", "?token", "basic ", "-----BEGIN ", "abcdef."],
)
def test_the_search_takes_time_in_proportion_to_the_text(part):
    """A search that backtracks would run into the test's time limit here."""
    assert find_secrets({"free": part * 200_000}).values == ()


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("hunter2", ("hunter2",)),
        (20260102, ("20260102",)),
        ("--next", ()),
        (True, ()),
        (None, ()),
        (["hunter2"], ()),
        ({"any": "thing"}, ()),
    ],
)
def test_what_follows_an_option_is_a_secret_where_it_can_be_one(value, found):
    seen = find_secrets({"command": ["vault", "--password", value]})
    assert seen.values == found
    assert [fault.path for fault in seen.faults] == [("command", 2)] * len(found)


def test_what_follows_no_text_is_judged_by_itself():
    assert find_secrets({"command": [7, "hunter2"]}).faults == ()
