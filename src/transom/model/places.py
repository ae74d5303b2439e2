"""Places on a host on which the node program agrees with those who bring and start it.

Texts that go to hosts (`.ps1`, `.cmd`, `bootstrap/windows`) spell them out; a test compares.
"""

PARENT = r"C:\k"
HOME = PARENT + r"\transom"
"""Where the node program lies, with its Python and what it keeps."""

# Cluster API's boot data and its controllers look for these.
JOIN_CONFIGURATION = r"C:\run\kubeadm\kubeadm-join-config.yaml"
SENTINEL = r"C:\run\cluster-api\bootstrap-success.complete"
