"""`transom addons`: what the cluster runs for its Windows nodes."""

SUMMARY = "kube-proxy, the network and runtime classes for a fleet's Windows nodes."

VERBS = {
    "render": "print the manifests; reads no cluster",
    "diff": "what apply would change; changes nothing",
    "apply": "have the cluster run them, and wait until it does",
    "delete": "take away what Transom made for this fleet",
}

EXAMPLES = """\
examples:
  transom addons render -f fleet.yaml                 one YAML stream; nothing is asked of a cluster
  transom addons render -f fleet.yaml --to addons     a folder that kustomize takes
  transom addons diff -f fleet.yaml                   what apply would change; exit 1 if anything
  transom addons apply -f fleet.yaml                  change it, and wait until it runs
  transom addons delete -f fleet.yaml --yes           take away what Transom made for this fleet

exit codes: 0 done or nothing to do, 1 diff found something, 2 the fleet has mistakes,
3 fleet or cluster do not fit (every reason is printed), 4 not all pods run in time, 5 failed
"""
