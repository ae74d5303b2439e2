"""Where Cluster API's boot data and its controllers agree to find things on a machine."""

JOIN_CONFIGURATION = r"C:\run\kubeadm\kubeadm-join-config.yaml"
SENTINEL = r"C:\run\cluster-api\bootstrap-success.complete"
