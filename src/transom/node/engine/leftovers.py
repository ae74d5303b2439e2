"""What a node left on a host that has no journal: found by its name or place, with the reason.

Read for `leftovers`, so that a person can see it first; taken by a reset with force. Registry
values, DNS suffixes, routes and Windows features are nobody's by their look, and stay.
"""

import ntpath
from collections.abc import Callable, Iterator

from transom.model.answers import Leftover
from transom.model.recipe import Recipe, Service
from transom.node.host.environment import has_entry
from transom.node.host.files import BESIDE, PART
from transom.node.host.protocols import ReadHost, UndoHost
from transom.node.host.values import FirewallPort, PathKind
from transom.node.steps.artifacts import MANIFEST
from transom.node.steps.join import Layout, kubeadm_path, reset_node


def leftovers(host: ReadHost, recipe: Recipe) -> tuple[Leftover, ...]:
    """Everything that would be taken, in the order it is taken; reads only."""
    return tuple(item for finder in _FINDERS for item in finder(host, recipe))


def take(host: UndoHost, recipe: Recipe, item: Leftover) -> None:
    """Take one of them away; there is no record to put it back from."""
    _TAKERS[item.kind](host, recipe, item.subject)


def tidy(host: UndoHost, recipe: Recipe) -> None:
    """Remove the directories of the recipe in which nothing is left."""
    paths = [item.path for item in recipe.directories]
    for path in sorted(paths, key=len, reverse=True):
        if host.files.kind(path) is PathKind.DIRECTORY and not host.files.entries(path):
            host.files.remove_tree(path)


def _node(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    layout = Layout.of(recipe.join)
    for path in (layout.kubeconfig, layout.bootstrap):
        if host.files.kind(path) is PathKind.FILE:
            name = recipe.join.node_name
            yield Leftover(kind="node", subject=name, why=f"{path} is the credential of a node")
            return


def _take_node(host: UndoHost, recipe: Recipe, _name: str) -> None:
    for service in recipe.services:
        if service.flags_file and host.services.get(service.name) is not None:
            host.services.stop(service.name)
    kubeadm = kubeadm_path(recipe)
    if host.files.kind(kubeadm) is PathKind.FILE:
        reset_node(host.processes, kubeadm, recipe.join.cri_socket)
    layout = Layout.of(recipe.join)
    for path in (layout.kubeconfig, layout.bootstrap):
        host.files.remove(path)


def _services(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    for service in reversed(recipe.services):
        found = host.services.get(service.name)
        if found is not None and (why := _service_is_ours(service, found.command)):
            yield Leftover(kind="service", subject=service.name, why=why)


def _service_is_ours(service: Service, command: str) -> str:
    """By its program; the node's own agent by its name too, whatever wrapper runs it."""
    programs = [word for word in service.command if word.lower().endswith(".exe")]
    for program in programs:
        if program.lower() in command.lower():
            return f"it runs {program}"
    return "its name is that of the node's agent" if service.flags_file else ""


def _take_service(host: UndoHost, _recipe: Recipe, name: str) -> None:
    host.services.put(name, None)


def _network(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    name = recipe.network.name
    if name and host.network.hns_network(name):
        yield Leftover(kind="hns-network", subject=name, why="it has the pod network's name")


def _take_network(host: UndoHost, _recipe: Recipe, name: str) -> None:
    host.network.delete_hns_network(name)


def _firewall(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    for rule in recipe.firewall:
        if host.firewall.get(rule.name) == FirewallPort(protocol=rule.protocol, port=rule.port):
            why = f"it opens {rule.protocol} {rule.port} as the recipe does"
            yield Leftover(kind="firewall-rule", subject=rule.name, why=why)


def _take_rule(host: UndoHost, _recipe: Recipe, name: str) -> None:
    host.firewall.put(name, None)


def _exclusions(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    for item in recipe.defender_exclusions:
        if host.defender.present() and host.defender.excluded(item.process):
            why = "it names a program of the recipe"
            yield Leftover(kind="defender-exclusion", subject=item.process, why=why)


def _take_exclusion(host: UndoHost, _recipe: Recipe, process: str) -> None:
    host.defender.include(process)


def _path_entries(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    own = {item.path.lower() for item in recipe.directories}
    for item in recipe.environment:
        found = host.environment.get(item.name) or ""
        if item.append and item.value.lower() in own and has_entry(found, item.value):
            subject = f"{item.name}={item.value}"
            yield Leftover(kind="list-entry", subject=subject, why="a directory of the recipe")


def _take_entry(host: UndoHost, _recipe: Recipe, subject: str) -> None:
    name, _, entry = subject.partition("=")
    host.environment.remove_entry(name, entry)


def _files(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    places = {item.path: "a program of the recipe has this place" for item in recipe.artifacts}
    places |= {
        member.path: f"a program of {artifact.id} has this place"
        for artifact in recipe.artifacts
        for member in artifact.members
    }
    places |= {item.path: "a file of the recipe has this place" for item in recipe.files}
    for path, why in places.items():
        if any(host.files.kind(path + end) is PathKind.FILE for end in _ENDINGS):
            yield Leftover(kind="file", subject=path, why=why)


def _take_file(host: UndoHost, _recipe: Recipe, path: str) -> None:
    for end in _ENDINGS:
        host.files.remove(path + end)


def _directories(host: ReadHost, recipe: Recipe) -> Iterator[Leftover]:
    layout = Layout.of(recipe.join)
    for path in (layout.kubernetes, layout.kubelet):
        if host.files.kind(path) is PathKind.DIRECTORY:
            why = f"kubeadm and the kubelet keep what they write in {ntpath.basename(path)}"
            yield Leftover(kind="directory", subject=path, why=why)


def _take_directory(host: UndoHost, _recipe: Recipe, path: str) -> None:
    host.files.remove_tree(path)


_ENDINGS = ("", PART, MANIFEST, BESIDE)
_FINDERS: tuple[Callable[[ReadHost, Recipe], Iterator[Leftover]], ...] = (
    _node,
    _services,
    _network,
    _firewall,
    _exclusions,
    _path_entries,
    _files,
    _directories,
)
_TAKERS: dict[str, Callable[[UndoHost, Recipe, str], None]] = {
    "node": _take_node,
    "service": _take_service,
    "hns-network": _take_network,
    "firewall-rule": _take_rule,
    "defender-exclusion": _take_exclusion,
    "list-entry": _take_entry,
    "file": _take_file,
    "directory": _take_directory,
}
