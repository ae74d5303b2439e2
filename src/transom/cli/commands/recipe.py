"""`transom recipe`: what would be installed on each host, and why."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from transom.cli.options import fleet_file, lock_file
from transom.cli.output import console
from transom.model.recipe import Recipe

SUMMARY = "Show what would be installed on each host of a fleet, and why; nothing is touched."

_EXAMPLES = """\
examples:
  transom recipe -f fleet.yaml
  transom recipe -f fleet.yaml --host win-01 -o json
  cat fleet.yaml | transom recipe -f - -o yaml

exit codes: 0 printed, 2 the fleet has mistakes, 3 it cannot work (every reason is printed)
"""


_CLOSED = ", SYSTEM and Administrators only"


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the hosts and the form."""
    parser.epilog = _EXAMPLES
    fleet_file.add_argument(parser)
    parser.add_argument("--host", action="append", default=[], help="only this host; repeatable")
    parser.add_argument(
        "--lock",
        metavar="FILE",
        help="take SHA-256 sums from it (default: transom.lock beside the fleet)",
    )
    parser.add_argument(
        "--inventory",
        metavar="FILE",
        help="what hosts have: JSON of host name to inventory, as `node.pyz inventory` prints it",
    )
    parser.add_argument("-o", "--output", choices=["text", "json", "yaml"], default="text")


def run(args: Namespace) -> int:
    """Resolve every fleet in the file and print the recipes."""
    from transom.site.recipes import recipes_of, runtimes_in

    locked = lock_file.read_locked(args.filename, args.lock)
    detected = {}
    if args.inventory is not None:
        detected = runtimes_in(fleet_file.read_bytes(args.inventory), name=args.inventory)
    _PRINTERS[args.output](recipes_of(locked, args.host, detected))
    return 0


def _print_json(recipes: list[Recipe]) -> None:
    from transom.documents.recipes import RecipeList

    console.print_json(RecipeList(items=tuple(recipes)))


def _print_yaml(recipes: list[Recipe]) -> None:
    from transom.documents.recipes import RecipeList
    from transom.model.codec import encode
    from transom.yamlio.writing import write

    document = encode(RecipeList(items=tuple(recipes)))
    print(write(document, width=100), end="")


def _print_text(recipes: list[Recipe]) -> None:
    for number, recipe in enumerate(recipes):
        if number:
            print()
        for line in _lines(recipe):
            print(line)


_PRINTERS = {"json": _print_json, "yaml": _print_yaml, "text": _print_text}


def _lines(recipe: Recipe) -> Iterator[str]:
    identity, target, network = recipe.identity, recipe.target, recipe.network
    title = f"{identity.name} ({identity.address}), fleet {identity.fleet}"
    yield console.paint(title, "bold", stream=sys.stdout)
    yield (
        f"  Kubernetes {target.kubernetes}, Windows Server {target.windows_release} "
        f"(build {target.windows_build}), {target.runtime} {target.runtime_version}, "
        f"privileged programs by {target.privileged}"
    )
    vxlan = f", VNI {network.vni}, port {network.port}" if network.vni else ""
    yield (
        f"  network {network.plugin} {network.version} {network.mode} as {network.name}{vxlan}, "
        f"MTU {network.mtu}"
    )
    if target.end_of_life:
        yield "  end of life: applying it needs endOfLifePolicy: Allow"
    for heading, entries in _sections(recipe):
        rows = list(entries)
        if rows:
            yield ""
            yield console.paint(f"  {heading}", "bold", stream=sys.stdout)
            for text, why in rows:
                yield f"    {text}" + (
                    console.paint(f"  [{why}]", "dim", stream=sys.stdout) if why else ""
                )


def _sections(recipe: Recipe) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    yield "Windows features", ((f.name, f.why) for f in recipe.features)
    yield "Windows updates", ((f"{u.kb} (revision {u.revision})", u.why) for u in recipe.updates)
    yield (
        "Directories",
        ((d.path + (_CLOSED if d.acl else ""), d.why) for d in recipe.directories),
    )
    yield "Artifacts", _artifacts(recipe)
    yield "Files", ((f"{f.path} ({len(f.content)} characters)", f.why) for f in recipe.files)
    yield "Closed after the join", ((f.path, f.why) for f in recipe.protected_files)
    yield "Registry", ((rf"HKLM\{r.key} {r.name} = {r.value}", r.why) for r in recipe.registry)
    yield (
        "Environment",
        ((f"{e.name} {'gets' if e.append else '='} {e.value}", e.why) for e in recipe.environment),
    )
    yield "DNS suffixes", ((suffix, "fleet longName") for suffix in recipe.dns_suffixes)
    yield (
        "Routes",
        ((f"{r.prefix}" + (" kept where it was" if r.keep else ""), r.why) for r in recipe.routes),
    )
    yield "Firewall", ((f"{r.name} {r.protocol} {r.port}", r.why) for r in recipe.firewall)
    yield "Defender leaves alone", ((e.process, e.why) for e in recipe.defender_exclusions)
    yield "Images", ((f"{i.purpose} {i.reference}", i.why) for i in recipe.images)
    yield "Docker networks", ((f"{n.name} ({n.driver})", n.why) for n in recipe.host_networks)
    yield "Services", _services(recipe)
    yield "Kubelet configuration", _settings(recipe.kubelet.config, recipe.kubelet.why)
    yield "Join", _join(recipe)
    yield "Notes", ((note, "") for note in recipe.notes)


def _artifacts(recipe: Recipe) -> Iterator[tuple[str, str]]:
    for artifact in recipe.artifacts:
        where = artifact.url or artifact.file
        sha256 = artifact.sha256 or "to be locked"
        yield f"{artifact.id} {artifact.version}  {where}  sha256 {sha256}", artifact.why


def _services(recipe: Recipe) -> Iterator[tuple[str, str]]:
    for service in recipe.services:
        after = f", after {', '.join(service.depends_on)}" if service.depends_on else ""
        yield f"{service.name} ({service.start}{after})", service.why
        for word in service.command:
            yield f"  {word}", ""
        if service.flags_file:
            yield f"  and what {service.flags_file} says at each start", ""


def _settings(config: Mapping[str, Any], why: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, value in config.items():
        yield f"{path}: {json.dumps(value)}", why.get(path, "")


def _join(recipe: Recipe) -> Iterator[tuple[str, str]]:
    join = recipe.join
    yield f"kubeadm configuration {join.api_version}, runtime at {join.cri_socket}", join.why
    yield f"node name {join.node_name}", ""
    for taint in join.taints:
        yield f"taint {taint.key}={taint.value}:{taint.effect}", "fleet taints"
    for key, value in join.labels.items():
        yield f"label {key}={value}", "fleet labels" if "transom.dev" not in key else "add-ons"
    for key, value in join.kubelet_extra_args.items():
        yield f"kubelet --{key}={value}", "fleet kubelet.extraArgs"
