"""`transom node`: the program that runs on hosts; one module per verb."""

SUMMARY = "The node program: what Transom runs on Windows hosts, for those who bring it themselves."

VERBS = {"build": "a folder with node.pyz and its Python, the same bytes each time"}

EXAMPLES = """\
examples:
  transom node build -o transom-node
  transom node build --help
"""
