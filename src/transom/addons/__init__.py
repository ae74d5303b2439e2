"""What the cluster runs for its Windows nodes: functions from a setting to manifests. Pure."""
