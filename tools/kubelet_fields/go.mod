module transom.dev/tools/kubelet_fields

go 1.21
