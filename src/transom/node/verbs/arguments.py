"""What the node program takes on its command line, apart from what does it: no verb is imported here."""

import argparse
from functools import partial

from transom.model.places import JOIN_CONFIGURATION, SENTINEL
from transom.model.request import Verb
from transom.node.doctor.arguments import VERBS as LOOKS_FOR_CAUSES
from transom.node.doctor.arguments import add_arguments as add_doctor_arguments
from transom.node.layout import Layout
from transom.node.supervise.arguments import (
    KEEP_NETWORKS,
    KEEP_RUNNING,
    add_networks_arguments,
    add_running_arguments,
)

RUNS = tuple(sorted(verb.value for verb in Verb if verb is not Verb.PLAN))
LOOKING = ("inventory", "status", "plan", "survey", "leftovers")
_OTHERS = (
    *("boot", *LOOKING, "attach", "cancel", "command", "compile", "selftest", "watch"),
    *LOOKS_FOR_CAUSES,
)
_WIDTH = 100
_BY_HAND = (Verb.PREPARE.value, Verb.JOIN.value)


def parser(asked: str = "") -> argparse.ArgumentParser:
    """The whole command line, or only the verb that is asked for, which is sooner made."""
    about = "Reads a request on standard input, answers in JSON, and makes this host match it."
    # A width of its own: to ask the terminal for one, argparse imports half of the library.
    form = partial(argparse.HelpFormatter, width=_WIDTH)
    made = argparse.ArgumentParser(prog="node.pyz", description=about, formatter_class=form)
    verbs = made.add_subparsers(dest="verb", required=True)
    names = (*RUNS, *_OTHERS, KEEP_RUNNING, KEEP_NETWORKS)
    for name in (asked,) if asked in names else names:
        _declare(verbs.add_parser(name, formatter_class=form), name)
    return made


def is_by_hand(options: argparse.Namespace) -> bool:
    """Whether the request comes from files that a person names."""
    return bool(getattr(options, "recipe", "") or getattr(options, "entry", ""))


def _declare(verb: argparse.ArgumentParser, name: str) -> None:
    verb.add_argument("--home", default=Layout().home, help="where the program keeps its state")
    if name in RUNS:
        _add_run_arguments(verb, name)
    if name == "watch":
        verb.add_argument("--run", default="", help="the run's name")
    if name == "attach":
        verb.add_argument("--run", required=True, help="the run's name")
        verb.add_argument("--from", dest="offset", type=int, default=0, help="byte to begin at")
    if name == "selftest":
        verb.add_argument("--service", default="", help=argparse.SUPPRESS)
    if name == "command":
        verb.add_argument("--timeout", type=float, default=3600.0, metavar="S", help="seconds")
        verb.add_argument("words", nargs="+", metavar="WORD", help="program and arguments")
    if name == "boot":
        _add_boot_arguments(verb)
    if name in LOOKS_FOR_CAUSES:
        add_doctor_arguments(verb, name)
    if name == KEEP_RUNNING:
        add_running_arguments(verb)
    if name == KEEP_NETWORKS:
        add_networks_arguments(verb)


def _add_run_arguments(verb: argparse.ArgumentParser, name: str) -> None:
    verb.add_argument("--run", default="", help="the run's name")
    verb.add_argument("--foreground", action="store_true", help="work in this session")
    verb.add_argument("--service", action="store_true", help=argparse.SUPPRESS)
    verb.add_argument("-o", "--output", choices=["text", "json"], default="json")
    if name in _BY_HAND:
        _add_hand_arguments(verb, name)
    if name == Verb.PREPARE.value:
        verb.add_argument(
            "--image", action="store_true", help="make a model for copies, in this session"
        )
    if name == Verb.JOIN.value:
        verb.add_argument(
            "--kubeconfig", default="", help="join without kubeadm, with this file's credential"
        )


def _add_hand_arguments(verb: argparse.ArgumentParser, name: str) -> None:
    """The files, what must agree with them, and for a join where its token is."""
    group = verb.add_argument_group("started on the host, without a request on standard input")
    group.add_argument("--recipe", default="", metavar="FILE", help="recipe.json; with --entry")
    group.add_argument("--entry", default="", metavar="FILE", help="node.json; with --recipe")
    group.add_argument("--kubernetes-version", default="", help="refuse another recipe")
    group.add_argument("--hostname", default="", help="refuse another host's recipe")
    if name == Verb.JOIN.value:
        group.add_argument(
            "--join-config",
            default="",
            metavar="FILE",
            help="kubeadm's JoinConfiguration (default: a token on standard input)",
        )


def _add_boot_arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--request", required=True, help="the request, without secrets")
    verb.add_argument("--join", default=JOIN_CONFIGURATION, help="kubeadm's configuration")
    verb.add_argument("--sentinel", default=SENTINEL, help="written after success")
    verb.add_argument("--secret", default="", help="where the configuration is fetched from")
    verb.add_argument("--prepare", action="store_true", help="somebody else joins")
