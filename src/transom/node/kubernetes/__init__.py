"""What kubeadm, the kubelet and the API server leave on a host, read and written as they do."""
