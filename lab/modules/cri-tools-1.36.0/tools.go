//go:build tools

package lab

import _ "sigs.k8s.io/cri-tools/cmd/crictl"
