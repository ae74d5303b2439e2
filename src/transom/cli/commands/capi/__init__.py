"""`transom capi`: Cluster API; one module per verb."""

SUMMARY = "Cluster API with Windows machines."

VERBS = {
    "names": "the computer names that machines get, and where two get the same",
    "template": "a Windows pool for a cluster, with ${VAR} for clusterctl",
}

EXAMPLES = """\
examples:
  transom capi names --pools prod-blue/prod-blue-mp-win prod-green/prod-green-mp-win
  transom capi template --provider azure > windows.yaml
  transom capi VERB --help
"""
