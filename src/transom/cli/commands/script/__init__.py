"""`transom script`: files to start the node program with at a host's own prompt; one module per verb."""

SUMMARY = "A PowerShell script and what it needs, for machines that are prepared by hand."

VERBS = {"prepare": "Prepare-Node.ps1 with the recipe of one host beside it"}

EXAMPLES = """\
examples:
  transom script prepare -f fleet.yaml --host win-01 -o win-01
  transom script prepare --help
"""
