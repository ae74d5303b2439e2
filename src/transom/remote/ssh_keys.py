"""New SSH keys, as OpenSSH writes them."""

from pathlib import Path

from transom.remote.ssh_library import asyncssh


def write_new_key(path: Path) -> None:
    """Make a private key that only its owner can read."""
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(path)
    path.chmod(0o600)
