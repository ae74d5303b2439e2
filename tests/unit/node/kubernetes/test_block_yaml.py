"""The YAML that Kubernetes' programs write is read as it is meant, and nothing else is guessed."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from transom.node.kubernetes.block_yaml import read

KUBELET = """\
# by kubeadm
apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
  x509:
    clientCAFile: C:\\etc\\kubernetes\\pki\\ca.crt
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
cpuManagerReconcilePeriod: 0s
evictionHard: {}
kind: KubeletConfiguration
logging:
  flushFrequency: 0
  options:
    json:
      infoBufferSize: "0"
memorySwap: {}
ratio: 0.5
empty:
nothing: null
"""
KUBECONFIG = """\
---
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: https://10.0.0.1:6443
  name: kubernetes
-
  name: other
contexts:
- name: 'it''s'
  context:
    cluster: kubernetes
users: []
args:
- --v=2
-
- "a: b"
"""


@pytest.mark.parametrize(
    "text", [KUBELET, KUBECONFIG, "", "a: 1\n", "- 1\n- 2\n", "- - 1\n  - - 2\n- 3\n", '{"a": [1]}']
)
def test_documents_are_read_as_by_a_yaml_library(text):
    assert read(text) == yaml.safe_load(text)


# Made once: to make letters of a regular expression for every key took most of the time.
KEYS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8) | st.sampled_from(
    ["y", "n", "yes", "no", "on", "off", "null", "true", "false"]
)
TEXTS = st.text([chr(code) for code in range(0x20, 0x7F)], max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_is_written_in_blocks_is_read_or_refused_but_never_misread(document):
    text = yaml.safe_dump(document, default_flow_style=False, width=10_000)
    try:
        found = read(text)
    except ValueError:
        return
    assert found == yaml.safe_load(text)


@given(VALUES.filter(lambda value: isinstance(value, dict | list)))
def test_json_is_read_too(document):
    assert read(json.dumps(document)) == document


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: |\n  text\n", 2),
        ("a: &x 1\n", 1),
        ("a: !!int 1\n", 1),
        ("a: 1\n  b: 2\n", 2),
        ("a: b # said\n", 1),
        ("just words\n", 1),
        ("a: 'open\n", 1),
        ("a: '\n", 1),
        ('a: "open\n', 1),
        ("a: {b: 1}\n", 1),
        ("- a\nb: 1\n", 2),
    ],
)
def test_whatever_else_is_refused_with_its_line(text, line):
    with pytest.raises(ValueError, match=f"line {line} is YAML of a kind"):
        read(text)
