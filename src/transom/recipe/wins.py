"""wins, the legacy way to run privileged programs: its configuration and nothing else.

The pipe is for SYSTEM and Administrators only, and only the programs named here may be run.
"""

from transom.model.recipe import File
from transom.recipe.shape import Shape


def wins_files(shape: Shape) -> list[File]:
    """The configuration of the wins service, where it is used."""
    if shape.privileged != "wins":
        return []
    # The node program, which keeps kube-proxy and flanneld running.
    programs = [f"{shape.places['transom']}\\python\\python.exe"]
    lines = [
        "white_list:",
        "  processPaths:",
        *(f"  - {program}" for program in programs),
        "  proxyPorts: []",
        "",
    ]
    return [
        File(
            path=f"{shape.places['wins_conf']}\\config",
            content="\n".join(lines),
            acl="",
            why="privileged-wins",
        )
    ]
