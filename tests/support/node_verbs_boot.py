"""The join configuration and token of a machine that boots."""

TOKEN = "abcdef.0123456789abcdef"

CONFIGURATION = f"""---
apiVersion: kubeadm.k8s.io/v1beta4
discovery:
  bootstrapToken:
    apiServerEndpoint: 10.0.0.4:6443
    caCertHashes:
    - sha256:{"a" * 64}
    token: {TOKEN}
kind: JoinConfiguration
nodeRegistration:
  criSocket: npipe:////./pipe/containerd-containerd
"""
