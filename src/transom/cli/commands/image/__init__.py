"""`transom image`: images of machines and of containers that a fleet's nodes need."""

SUMMARY = "Images that Windows nodes need."

VERBS = {
    "pause": "how to make a pause image for a build that no published one has",
    "list": "published images of machines that the facts know",
    "render": "a packer template that builds an image of a prepared node",
    "validate": "every mistake in a rendered folder, before anything is built",
}

EXAMPLES = """\
examples:
  transom image pause --windows 2025 --name registry.corp/pause:3.10.2-ltsc2025 -o pause
  transom image list --platform azure --kubernetes 1.37.1
  transom image render --platform qemu --windows 2022 --cloudbase-init CloudbaseInitSetup.msi -o image
  transom image validate image
"""
