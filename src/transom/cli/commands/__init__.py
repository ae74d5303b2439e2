"""The table of commands: where each one lives and the line that says what it does.

The table is data so that help and completion need not import a single command. A command module
has three names: `SUMMARY`, `configure(parser)` and `run(args) -> int`; a command with verbs is a package
(`transom.cli.subcommands`).
"""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from transom.cli.subcommands import VerbPackage

# Other distributions add commands under this entry point group: `name = "package.module"`.
ENTRY_POINTS = "transom.commands"


class CommandModule(Protocol):
    """What a module must have to be a command."""

    SUMMARY: str

    def configure(self, parser: "ArgumentParser", /) -> None:
        """Add the command's arguments, its description and its examples."""
        ...

    def run(self, args: "Namespace", /) -> int:
        """Do it and return the exit code; raise only errors of `transom.errors`."""
        ...


class Command(NamedTuple):
    """One entry of the table."""

    name: str
    group: str
    summary: str
    module: str = ""

    def load(self) -> CommandModule:
        """Import the command's module or package."""
        module = import_module(self.module or f"transom.cli.commands.{self.name}")
        if hasattr(module, "VERBS"):
            from transom.cli.subcommands import CommandWithVerbs

            return CommandWithVerbs(cast("VerbPackage", module))
        return cast("CommandModule", module)


COMMANDS = (
    Command("init", "Fleet", "a first fleet.yaml from the cluster that kubectl points at"),
    Command("plan", "Fleet", "what apply would do to each host, and how disruptive it is"),
    Command("apply", "Fleet", "make the hosts of a fleet Ready nodes; again and again"),
    Command("adopt", "Fleet", "take over nodes that were made by other means, as they are"),
    Command("upgrade", "Fleet", "nodes to another version of Kubernetes, wave by wave"),
    Command("maintain", "Fleet", "Windows Update or a command on nodes, wave by wave"),
    Command("status", "Fleet", "how each host stands: Windows, Node, journal, drift"),
    Command("join", "Nodes", "make one Windows machine a Ready node"),
    Command("reset", "Nodes", "undo a join: the machine as it was, its Node gone"),
    Command("doctor", "Nodes", "why a node does not work: the cause by name, and the remedy"),
    Command("collect", "Nodes", "a host's logs, configuration and state in one zip"),
    Command("access", "Nodes", "a shell or the remote desktop of a host, through its jump host"),
    Command("facts", "Know", "what is true for which Kubernetes and Windows version"),
    Command("explain", "Know", "a rule, an API field, a gate, a version or a pasted error"),
    Command("recipe", "Plan", "what would be installed on each host, and why"),
    Command("lock", "Plan", "the exact bytes a fleet installs, pinned by SHA-256"),
    Command(
        "bundle", "Plan", "everything a fleet needs in one archive, for sites without internet"
    ),
    Command("image", "Plan", "images that Windows nodes need"),
    Command("schema", "Plan", "the JSON Schema of fleet.yaml and of what -o json prints"),
    Command("convert", "Plan", "a fleet of an earlier apiVersion written as the present one"),
    Command("addons", "Cluster", "kube-proxy, the network and runtime classes of Windows nodes"),
    Command("lint", "Workloads", "what will not work on Windows in manifests, and why"),
    Command("fix", "Workloads", "correct manifests in place where that is safe"),
    Command("place", "Workloads", "send Windows workloads to Windows nodes, in their manifests"),
    Command("verify", "Results", "results of tests over time: a grid, and what regressed"),
    Command("userdata", "Machines", "boot data for cloudbase-init: what it will do, and why not"),
    Command("capi", "Machines", "Cluster API: names and templates of Windows machines"),
    Command("node", "Machines", "the node program, built with its Python for hosts"),
    Command("script", "Machines", "Prepare-Node.ps1 and its recipe, for machines prepared by hand"),
    Command("completion", "Shell", "a completion script for bash, zsh, fish or PowerShell"),
)


def find(name: str) -> Command | None:
    """The command of that name, of Transom or of an installed distribution."""
    own = next((command for command in COMMANDS if command.name == name), None)
    return own or next((command for command in plugins() if command.name == name), None)


def plugins() -> Iterator[Command]:
    """Commands of other installed distributions, told in their words without importing them."""
    # Looking through installed distributions costs more than most commands do.
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=ENTRY_POINTS)):
        about = point.dist.metadata["Summary"] if point.dist else ""
        yield Command(point.name, "More", about, point.value)
