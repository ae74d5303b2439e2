"""`transom userdata`: boot data for cloudbase-init; one module per verb."""

SUMMARY = "Boot data for cloudbase-init: what it will do on Windows, and what will go wrong."

VERBS = {
    "lint": "what cloudbase-init will execute, ignore and get wrong",
    "compile": "boot data that makes a machine a node",
    "pack": "boot data as a platform takes it: encoded, as an image, as guestinfo",
}

EXAMPLES = """\
examples:
  transom userdata lint user-data.yaml --platform azure
  transom userdata pack user-data.yaml --platform proxmox --hostname win-01 --out win-01.iso
  transom userdata VERB --help
"""
