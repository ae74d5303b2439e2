"""Keeps one program running: waits for what it needs, starts it, watches it, and says why it does not run.

In a pod it ends when the program ends, with its exit code, because the kubelet starts pods again. A
service begins again by itself.
"""

import ntpath
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from transom.errors import TemporaryError, TransomError, UsageError
from transom.model import records
from transom.model.answers import ProgramState
from transom.model.recipe import Program, Recipe
from transom.node.engine.kept_recipe import kept_recipe
from transom.node.host.nouns.processes import Child
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.steps.join import Layout as JoinLayout
from transom.node.supervise.credential import kubeconfig_for
from transom.node.supervise.leftovers import remove_leftovers
from transom.node.supervise.source_vip import Reservation
from transom.node.supervise.states import keep_state
from transom.node.supervise.waiting import POLL_S, NotYet, Stopped, Waiting

_RECIPE_WAIT_S = 300
_LOOK_EVERY = 5
_STEADY_S = 600
_LAST_LINES = 50


@records.dataclass(frozen=True, slots=True)
class _Ready:
    """Everything the program needs, and the HNS network it was started on."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    network: str


@records.dataclass(frozen=True, slots=True)
class _Ended:
    """How the program ended: by itself with a code, or because of a `reason` to start it anew."""

    code: int
    reason: str = ""


@dataclass
class Supervisor:
    """One program on one machine."""

    machine: Machine
    layout: Layout
    name: str
    write: Callable[[bytes], None]
    stopped: Callable[[], bool] = lambda: False
    begins_again: bool = False
    _last: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST_LINES))
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> int:
        """Keep the program running; give its exit code, or 0 when asked to stop."""
        failures = 0
        try:
            while True:
                begun = self.machine.clock.monotonic()
                ended = self._live()
                if ended.reason:
                    self._tell("restarting", ended.reason)
                    continue
                if not self.begins_again:
                    return ended.code
                steady = self.machine.clock.monotonic() - begun > _STEADY_S
                failures = 0 if steady else failures
                self._waiting().pause(self._delay(failures))
                failures += 1
        except Stopped:
            self._tell("stopped", f"{self.name} was asked to stop")
            return 0

    def _live(self) -> _Ended:
        """One life of the program, from waiting to its end."""
        try:
            recipe, program = self._waiting().until(self._wanted, within_s=_RECIPE_WAIT_S)
            ready = self._waiting().until(
                lambda: self._prepared(recipe, program), within_s=program.wait_s
            )
            return self._watched(program, ready)
        except TransomError as error:
            self._tell("failed", error.message)
            if not self.begins_again:
                raise
            return _Ended(error.exit_code)

    def _wanted(self) -> tuple[Recipe, Program]:
        recipe = kept_recipe(self.machine.files, self.layout)
        if recipe is None:
            raise NotYet(f"no run has left a recipe in {self.layout.recipe} yet")
        for program in recipe.programs:
            if program.name == self.name:
                return recipe, program
        names = ", ".join(program.name for program in recipe.programs)
        raise UsageError(
            f"the recipe of this host has no program {self.name}",
            subject=self.name,
            hint=f"Its programs are {names or 'none'}.",
        )

    def _prepared(self, recipe: Recipe, program: Program) -> _Ready:
        """See to everything the program needs; raise NotYet with what is missing."""
        node_kubeconfig = JoinLayout.of(recipe.join).kubeconfig
        if self.machine.files.kind(node_kubeconfig) is not PathKind.FILE:
            raise NotYet(f"this host has not joined: there is no {node_kubeconfig}")
        words = {"nodeAddress": "", "sourceVIP": "", "kubeconfig": ""}
        words["nodeAddress"], pods = self._node(
            node_kubeconfig, recipe.join.node_name, with_range=_needs_range(program)
        )
        network = self._network(program.network)
        if not network and not program.makes_network:
            raise NotYet(
                f"there is no HNS network {program.network} yet: whoever makes it must run"
            )
        if program.source_vip is not None:
            kept = self.layout.source_vip
            plan = program.source_vip
            reservation = Reservation(self.machine, plan, program.network, kept, self._say)
            words["sourceVIP"] = reservation.address(pods)
        words["kubeconfig"] = kubeconfig_for(
            self.machine,
            own=self.layout.program_file(self.name, "kubeconfig"),
            node=node_kubeconfig,
        )
        if program.leaves:
            removed = remove_leftovers(
                self.machine.hns,
                program.leaves,
                network=program.network,
                source_vip=words["sourceVIP"],
            )
            self._say(f"removed {removed.balancers} balancers, {removed.endpoints} endpoints")
        argv = tuple(_filled(word, words) for word in program.command)
        environment = {key: _filled(value, words) for key, value in program.environment.items()}
        return _Ready(argv, environment, network)

    def _node(self, kubeconfig: str, name: str, *, with_range: bool) -> tuple[str, str]:
        """The node's address and its pod range, as the cluster has them; some clusters give no range."""
        try:
            node = self.machine.cluster.node(kubeconfig, name)
        except TemporaryError as error:
            raise NotYet(error.message) from error
        if node is None:
            raise NotYet(f"the cluster has no node {name} yet")
        if with_range and not node.pod_range:
            raise NotYet(f"the cluster has not given {name} a pod range yet")
        address = next((item for item in node.addresses if ":" not in item), "")
        if not address:
            raise NotYet(f"the node {name} has no address yet")
        return address, node.pod_range

    def _network(self, name: str) -> str:
        """The identity of the HNS network, empty where there is none."""
        try:
            return self.machine.hns.network(name)
        except TransomError as error:
            raise NotYet(error.message) from error

    def _watched(self, program: Program, ready: _Ready) -> _Ended:
        self._last.clear()
        processes = self.machine.processes
        child = processes.start(ready.argv, environment=ready.environment, output=self._forward)
        self._tell("running", " ".join(ready.argv))
        try:
            return self._watch(program, ready, child)
        finally:
            child.stop()

    def _watch(self, program: Program, ready: _Ready, child: Child) -> _Ended:
        network, away, polls = ready.network, "", 0
        while (code := child.ended()) is None:
            self._waiting().pause(POLL_S)
            polls += 1
            if polls % _LOOK_EVERY:
                continue
            try:
                now = self._network(program.network)
            except NotYet as reason:
                if not away:
                    away = str(reason)
                    self._tell("waiting", away)
                continue
            if away:
                return _Ended(
                    0, "the host network service answers again, and may have lost changes"
                )
            if network and now != network:
                what = "was made anew" if now else "is gone"
                return _Ended(0, f"the HNS network {program.network} {what}")
            network = now
            if self._definition_changed(program):
                return _Ended(0, f"the recipe says something else of {self.name}")
        for line in self._last:
            if any(word in line for word in program.restart_on):
                return _Ended(code, f"{self.name} ended on purpose: {line.strip()}")
        self._tell("failed", f"{ntpath.basename(ready.argv[0])} ended with {code}")
        return _Ended(code)

    def _definition_changed(self, program: Program) -> bool:
        recipe = kept_recipe(self.machine.files, self.layout)
        return recipe is not None and program not in recipe.programs

    def _delay(self, failures: int) -> int:
        recipe = kept_recipe(self.machine.files, self.layout)
        found = next((p for p in recipe.programs if p.name == self.name), None) if recipe else None
        delays = found.restart_delays_s if found else (_RECIPE_WAIT_S,)
        return delays[min(failures, len(delays) - 1)]

    def _waiting(self) -> Waiting:
        return Waiting(
            self.machine.clock, self.stopped, lambda reason: self._tell("waiting", reason)
        )

    def _forward(self, line: bytes) -> None:
        self._last.append(line.decode("utf-8", "replace"))
        with self._writing:
            self.write(line)

    def _say(self, text: str) -> None:
        time = datetime.fromtimestamp(self.machine.clock.now(), UTC).strftime("%H:%M:%S")
        with self._writing:
            self.write(f"{time} transom run {self.name}: {text}\n".encode())

    def _tell(self, state: str, reason: str) -> None:
        """Say it, and leave it where `status` finds it."""
        self._say(reason)
        now = datetime.fromtimestamp(self.machine.clock.now(), UTC).isoformat(timespec="seconds")
        said = ProgramState(name=self.name, state=state, reason=reason, since=now)
        keep_state(self.machine.files, self.layout, said)


def _needs_range(program: Program) -> bool:
    """Whether a program needs the node's `spec.podCIDR`.

    flanneld does (flannel pkg/subnet/kube/kube.go), and so does host-local to reserve a source address.
    """
    vip = program.source_vip
    return program.makes_network or (vip is not None and not vip.endpoint)


def _filled(text: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        text = text.replace("{{" + name + "}}", value)
    return text
