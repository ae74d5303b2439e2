"""The `lab` command of `transom`: arguments in, words out. The work is in `lab`.

Found through the entry point group `transom.commands`. Results go to stdout, progress to stderr.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from transom.errors import PermanentError, UsageError
from transom_lab.controlplane import Component
from transom_lab.doctor import NEEDS, lacking
from transom_lab.fleet import join_flags, prepare_fleet, shell_line
from transom_lab.hns.summary import summary
from transom_lab.lab import DEFAULT_WINDOWS, Lab, Wish
from transom_lab.logs import log_files
from transom_lab.places import cache_directory, lab_directory, labs_directory
from transom_lab.programs import default_version
from transom_lab.progress import Progress
from transom_lab.record import Record
from transom_lab.registry import windows_releases
from transom_lab.sshd import USER

SUMMARY = "a real control plane and Windows hosts on this Linux machine"

_HOSTS = 2
_EXAMPLES = """
Examples:
  transom lab doctor                        what this machine lacks
  transom lab up                            a cluster and two Windows hosts
  transom lab up --components etcd,apiserver
  transom lab kubectl get nodes -o wide
  transom lab exec win1 -- sc query kubelet
  transom lab ssh win1
  transom lab fleet                         serve artifacts, print how to join the hosts
  transom lab down
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--name", default="default", help="which lab (default: %(default)s)")
    subparsers = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str) -> argparse.ArgumentParser:
        return subparsers.add_parser(
            name, parents=[common], help=summary, description=summary, allow_abbrev=False
        )

    up = action("up", "start the lab, or what of it does not run")
    up.add_argument(
        "--hosts",
        type=int,
        metavar="N",
        help=f"Windows hosts (default: {_HOSTS}; none for a partial control plane)",
    )
    up.add_argument(
        "--kubernetes",
        metavar="VERSION",
        help=f"default: {default_version('kubernetes')}, or what the lab already runs",
    )
    up.add_argument(
        "--windows",
        choices=[release.name for release in windows_releases()],
        help=f"Windows Server release of new hosts (default: {DEFAULT_WINDOWS})",
    )
    up.add_argument(
        "--components",
        metavar="LIST",
        default=",".join(Component),
        help="parts of the control plane; less than all has no hosts and needs no Wine",
    )
    up.add_argument(
        "--bare", action="store_true", help="hosts without Kubernetes' programs and services"
    )
    up.add_argument(
        "--with",
        dest="extras",
        action="append",
        default=[],
        choices=["cluster-api"],
        help="also run the Cluster API core and kubeadm bootstrap controllers",
    )
    up.add_argument("--binaries", type=Path, metavar="DIR", help="look here first for programs")
    down = action("down", "end every process of the lab and remove its files")
    down.add_argument(
        "--purge", action="store_true", help="also remove the cache of built programs"
    )
    status = action("status", "what runs, and where")
    status.add_argument("-o", "--output", choices=["text", "json"], default="text")
    for name, about, command in (
        ("exec", "run a Windows program on a host", "-- COMMAND, as in `-- sc query kubelet`"),
        (
            "ssh",
            "open an SSH session to a host, or run a command through it",
            "what to run there; without it, an interactive session",
        ),
    ):
        run_on = action(name, about)
        run_on.add_argument("host", help="for example win1")
        run_on.add_argument("command", nargs=argparse.REMAINDER, help=command)
    logs = action("logs", "print a log; without a name, list the logs")
    logs.add_argument("log", nargs="?", help="for example apiserver or win1/kubelet")
    logs.add_argument("-f", "--follow", action="store_true")
    kubectl = action("kubectl", "run kubectl as the cluster's administrator")
    kubectl.add_argument("command", nargs=argparse.REMAINDER, help="kubectl's own arguments")
    hns = action("hns", "what is programmed into a host's networking service")
    hns.add_argument("host", help="for example win1")
    fleet = action("fleet", "serve artifacts to the hosts, and print how to join them")
    fleet.add_argument(
        "--kubernetes",
        metavar="VERSION",
        action="append",
        default=[],
        help="also serve this version, for upgrades; the first is the fleet's (default: the lab's)",
    )
    reboot = action("reboot", "reboot a host")
    reboot.add_argument("host", help="for example win1")
    action("doctor", "what this machine lacks to run the lab")


def run(args: argparse.Namespace) -> int:
    """Run one subcommand and return its exit code."""
    if args.action == "doctor":
        return _doctor()
    if args.action == "up" and args.hosts is None:
        args.hosts = _HOSTS if set(_components(args.components)) == set(Component) else 0
    _require_machine(windows=args.action == "fleet" or (args.action == "up" and args.hosts > 0))
    lab = Lab(lab_directory(args.name), cache=cache_directory(), progress=Progress())
    return _ACTIONS[args.action](lab, args)


def _require_machine(*, windows: bool) -> None:
    missing = lacking(windows=windows)
    if missing:
        names = ", ".join(need.name for need in missing)
        raise PermanentError(
            f"this machine cannot run the lab: it lacks {names}",
            subject="machine",
            hint="run `transom lab doctor`",
        )


def _doctor() -> int:
    missing = lacking()
    for need in NEEDS:
        mark = "MISSING" if need in missing else "ok"
        _say(f"{mark:<8} {need.name:<24} {need.purpose}")
    for need in missing:
        _say(f"\n{need.name}: {need.remedy}")
    if missing and all(need.windows_only for need in missing):
        _say("\nwithout hosts the lab works as it is: transom lab up --hosts 0")
    return 1 if missing else 0


def _up(lab: Lab, args: argparse.Namespace) -> int:
    wish = Wish(
        hosts=args.hosts,
        kubernetes=args.kubernetes,
        windows=args.windows,
        components=_components(args.components),
        bare=args.bare,
        cluster_api="cluster-api" in args.extras,
        binaries=args.binaries,
    )
    record = lab.up(wish)
    _describe(lab, record)
    _say("\ntry:\n  transom lab kubectl get nodes")
    for plan in record.hosts[:1]:
        _say(f"  transom lab exec {plan.name} -- cmd /c ver\n  transom lab ssh {plan.name}")
    return 0


def _components(text: str) -> tuple[Component, ...]:
    asked = [name.strip() for name in text.split(",") if name.strip()]
    unknown = sorted(set(asked) - set(Component))
    if unknown:
        raise UsageError(
            f"unknown component: {', '.join(unknown)}",
            subject="--components",
            hint=f"choose from {', '.join(Component)}",
        )
    return tuple(component for component in Component if component in asked)


def _describe(lab: Lab, record: Record) -> None:
    _say(f"kubernetes  {record.kubernetes}")
    _say(f"kubeconfig  {lab.kubeconfig}")
    for host in lab.hosts():
        plan = host.plan
        _say(
            f"host        {plan.name}  {plan.address}  Windows Server {plan.windows}"
            f"  {USER}@127.0.0.1:{plan.local_port}"
        )
        _say(f"            key {lab.key}  password in {host.password_file}")


def _down(lab: Lab, args: argparse.Namespace) -> int:
    others = sorted({file.parent for file in labs_directory().glob("*/lab.json")} - {lab.directory})
    if args.purge and others:
        raise UsageError(
            f"cannot purge the cache: {', '.join(other.name for other in others)} runs from it",
            subject="--purge",
            hint=f"first take it down: transom lab down --name {others[0].name}",
        )
    was_there = lab.exists
    lab.down()
    if args.purge:
        shutil.rmtree(cache_directory(), ignore_errors=True)
    _say(f"{lab.directory}: {'down, and removed' if was_there else 'there was no lab'}")
    return 0


def _status(lab: Lab, args: argparse.Namespace) -> int:
    record = lab.record
    alive = lab.control_plane.alive()
    parts = {name: Component(name) in alive for name in record.components}
    hosts = {host.plan.name: host.is_complete and host.is_up for host in lab.hosts()}
    is_whole = record.complete and all({**parts, **hosts}.values())
    if args.output == "json":
        document = {
            "apiVersion": "lab.transom.dev/v1alpha1",
            "kind": "LabStatus",
            "directory": str(lab.directory),
            "kubernetes": record.kubernetes,
            "kubeconfig": str(lab.kubeconfig),
            "key": str(lab.key),
            "components": parts,
            "hosts": [
                {
                    "name": host.plan.name,
                    "address": host.plan.address,
                    "windows": host.plan.windows,
                    "up": hosts[host.plan.name],
                    "ssh": {
                        "address": "127.0.0.1",
                        "port": host.plan.local_port,
                        "user": USER,
                        "hostKey": host.public_key,
                        "passwordFile": str(host.password_file),
                    },
                }
                for host in lab.hosts()
            ],
        }
        _say(json.dumps(document, indent=2))
    else:
        _describe(lab, record)
        for name, up in {**parts, **hosts}.items():
            _say(f"{'up' if up else 'DOWN':<11} {name}")
        if not is_whole:
            _say("\nnot all of it runs: `transom lab up` starts what is missing")
    return 0 if is_whole else 1


def _exec(lab: Lab, args: argparse.Namespace) -> int:
    argv, environment = lab.host(args.host).command(_command(args))
    if all(os.isatty(number) for number in range(3)):
        return subprocess.call(argv, env=environment)
    return _piped(argv, environment)


def _piped(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run with pipes, which is all Wine can use beside a terminal: it has no name for other files."""
    with subprocess.Popen(
        argv,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        feeder = threading.Thread(target=_feed, args=(child.stdin,), daemon=True)
        errors = threading.Thread(target=_copy, args=(child.stderr, sys.stderr.buffer))
        feeder.start()
        errors.start()
        _copy(child.stdout, sys.stdout.buffer)
        errors.join()
    return child.returncode


def _feed(target: IO[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError), target:
        _copy(sys.stdin.buffer, target)


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    """Pass on what comes as it comes."""
    while part := os.read(source.fileno(), 1 << 16):
        target.write(part)
        target.flush()


def _ssh(lab: Lab, args: argparse.Namespace) -> int:
    if not shutil.which("ssh"):
        raise PermanentError(
            "no ssh client is installed", subject="ssh", hint="apt-get install openssh-client"
        )
    host = lab.host(args.host)
    known = host.directory / "known_hosts"
    known.write_text(f"[127.0.0.1]:{host.plan.local_port} {host.public_key}\n", encoding="ascii")
    options = ["-i", str(lab.key), "-o", f"UserKnownHostsFile={known}", "-o", "IdentitiesOnly=yes"]
    command = [part for part in args.command if part != "--"]
    return subprocess.call(
        ["ssh", *options, "-p", str(host.plan.local_port), f"{USER}@127.0.0.1", *command]
    )


def _logs(lab: Lab, args: argparse.Namespace) -> int:
    files = log_files(lab)
    if args.log is None:
        _say("\n".join(sorted(files)))
        return 0
    if args.log not in files:
        raise UsageError(
            f"the lab has no log {args.log!r}", subject=args.log, hint="see `transom lab logs`"
        )
    follow = ["-F"] if args.follow else []
    return subprocess.call(["tail", "-n", "+1", *follow, str(files[args.log])])


def _kubectl(lab: Lab, args: argparse.Namespace) -> int:
    program = lab.program("kubectl")
    if not lab.kubeconfig.exists():
        raise PermanentError(
            "the control plane was never ready: `up` did not come to its end",
            subject=str(lab.directory),
            hint="run `transom lab up`",
        )
    environment = {**os.environ, "KUBECONFIG": str(lab.kubeconfig)}
    return subprocess.call([str(program), *args.command], env=environment)


def _hns(lab: Lab, args: argparse.Namespace) -> int:
    lines = summary(lab.host(args.host).hns.state())
    _say("\n".join(lines) or f"nothing is programmed on {args.host}")
    return 0


def _fleet(lab: Lab, args: argparse.Namespace) -> int:
    made = prepare_fleet(
        lab, cache=cache_directory(), progress=Progress(), kubernetes=args.kubernetes
    )
    _say(f"fleet       {made.fleet}\nlock        {made.lock}\n\ntry:")
    for host in lab.hosts():
        _say(shell_line(["transom", "join", *join_flags(lab, host, made)]))
    return 0


def _reboot(lab: Lab, args: argparse.Namespace) -> int:
    lab.host(args.host).reboot()
    return 0


def _command(args: argparse.Namespace) -> list[str]:
    command: list[str] = args.command
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        raise UsageError(
            "no command to run", subject=args.action, hint="transom lab exec HOST -- COMMAND"
        )
    return command


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


_ACTIONS: Mapping[str, Callable[[Lab, argparse.Namespace], int]] = {
    "up": _up,
    "down": _down,
    "status": _status,
    "exec": _exec,
    "ssh": _ssh,
    "logs": _logs,
    "kubectl": _kubectl,
    "hns": _hns,
    "fleet": _fleet,
    "reboot": _reboot,
}
