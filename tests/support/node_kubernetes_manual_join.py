"""A kubeconfig that somebody made for a node."""

import base64

KEY = "PRIVATE s3cret KEY"


def coded(text):
    return base64.b64encode(text.encode()).decode()


KUBECONFIG = f"""\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: {coded("CA" + chr(10))}
    server: https://10.0.0.1:6443
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: node
  name: node
current-context: node
kind: Config
users:
- name: node
  user:
    client-certificate-data: {coded("CERT" + chr(10))}
    client-key-data: {coded(KEY + chr(10))}
"""
