"""Module files for a Kubernetes version that has none committed."""

from transom_lab.gomodules import staging_replacements

_GO_MOD = """
require (
	github.com/spf13/pflag v1.0.10
	k8s.io/api v0.0.0
	k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad
	k8s.io/component-base v0.0.0 // indirect
	k8s.io/klog/v2 v2.140.0
)
"""


def test_only_staging_modules_are_replaced_each_at_the_matching_version():
    assert staging_replacements(_GO_MOD, "1.35.4") == {
        "k8s.io/api": "v0.35.4",
        "k8s.io/component-base": "v0.35.4",
    }
