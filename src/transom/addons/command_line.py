"""What a HostProcess pod starts on a host: the node program, which keeps the upstream one running.

Its command line is the recipe's (`Recipe.programs`), which the host has; the pod only names the program.
"""

from transom.addons.setting import Setting


def command_line(setting: Setting, program: str) -> list[str]:
    """The whole command."""
    places = setting.places
    return [places.python, places.node_program, "run", program, "--home", places.home]
