"""The Linux side of a pod network, as objects: a node, and Services whose pod is on it."""

# A node on the other side, so that its pods are known to be on the overlay.
LINUX_NODE = """
apiVersion: v1
kind: Node
metadata:
  name: lin1
  labels: {kubernetes.io/os: linux}
  annotations:
    flannel.alpha.coreos.com/kube-subnet-manager: "true"
    flannel.alpha.coreos.com/public-ip: 10.77.0.100
    flannel.alpha.coreos.com/backend-type: vxlan
    flannel.alpha.coreos.com/backend-data: '{"VNI":4096,"VtepMAC":"c6:71:81:86:b2:77"}'
spec: {podCIDR: 10.244.200.0/24, podCIDRs: [10.244.200.0/24]}
"""


def service(name: str, address: str, pod: str) -> str:
    """A Service with one pod on the Linux node."""
    return f"""
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec:
  clusterIP: {address}
  ports: [{{name: http, port: 80, targetPort: 8080, protocol: TCP}}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {{name: {name}-1, labels: {{kubernetes.io/service-name: {name}}}}}
addressType: IPv4
ports: [{{name: http, port: 8080, protocol: TCP}}]
endpoints: [{{addresses: [{pod}], nodeName: lin1, conditions: {{ready: true}}}}]
"""
