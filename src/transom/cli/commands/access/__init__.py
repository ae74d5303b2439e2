"""`transom access`: a user's own way to a host of the fleet: a shell, its remote desktop, an SSH server where it has none."""

SUMMARY = (
    "Reach a host of the fleet yourself: a shell, its remote desktop, or SSH where it has none."
)

VERBS = {
    "ssh": "a shell on the host, by the system's ssh",
    "rdp": "its remote desktop on a port of this machine, until interrupted",
    "install-ssh": "OpenSSH on a host that WinRM reaches, with your public key let in",
    "remove-ssh": "take back what install-ssh did",
}

EXAMPLES = """\
examples:
  transom access ssh win-01
  transom access ssh win-01 --print           the plain ssh command, to use without Transom
  transom access rdp win-01                   then connect to localhost:5555
  transom access rdp win-01 --port 5556
  transom access install-ssh win-01           by WinRM: OpenSSH, your public key, and the host's key to pin
  transom access remove-ssh win-01            takes that back

Through the connection's jump host where it has one; host keys are checked: the fleet's, else known_hosts.
exit codes: 0 done, 2 usage or not confirmed, 4 unreachable, 5 refused by the host; `ssh` ends with ssh's own
"""
