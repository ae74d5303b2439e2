"""wins, the legacy way to run privileged programs: its configuration and nothing else.

The pipe is for SYSTEM and Administrators only, and only the programs named here may be run.
"""

from transom.model.recipe import File
from transom.recipe.case import Case


def wins_files(case: Case) -> list[File]:
    """The configuration of the wins service, where it is used."""
    if case.privileged != "wins":
        return []
    # The node program, which keeps kube-proxy and flanneld running.
    programs = [f"{case.places['transom']}\\python\\python.exe"]
    lines = [
        "white_list:",
        "  processPaths:",
        *(f"  - {program}" for program in programs),
        "  proxyPorts: []",
        "",
    ]
    return [
        File(
            path=f"{case.places['wins_conf']}\\config",
            content="\n".join(lines),
            acl="",
            why="privileged-wins",
        )
    ]
