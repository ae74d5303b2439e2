"""The verb `keep-networks`: Docker's networks of the recipe, made again whenever they are lost.

Docker forgets them with a reset of the host network service, as after some reboots, and the kubelet
then starts no pod with hostNetwork. Legacy only. Runs as a Windows service.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from transom.errors import TransomError
from transom.node.engine.kept_recipe import kept_recipe
from transom.node.host.protocols import Machine
from transom.node.layout import Layout
from transom.node.steps.host_networks import make_network
from transom.node.supervise.log import ProgramLog
from transom.node.supervise.waiting import Stopped, Waiting

_LOOK_S = 5.0


def run(options: argparse.Namespace, machine: Machine, layout: Layout) -> int:
    """Be the service until it is stopped."""
    log = ProgramLog(machine, layout, options.service)

    def serve(stopped: Callable[[], bool]) -> int:
        return Keeper(machine, layout, log.write, stopped).run()

    return machine.background.be_service(options.service, serve)


@dataclass
class Keeper:
    """Looks again and again; what fails is said once and tried again."""

    machine: Machine
    layout: Layout
    write: Callable[[bytes], None]
    stopped: Callable[[], bool]
    _said: str = ""

    def run(self) -> int:
        """Keep the networks until asked to stop."""
        waiting = Waiting(self.machine.clock, self.stopped, self._say)
        try:
            while True:
                self._look()
                waiting.pause(_LOOK_S)
        except Stopped:
            return 0

    def _look(self) -> None:
        recipe = kept_recipe(self.machine.files, self.layout)
        for network in recipe.host_networks if recipe else ():
            try:
                if not self.machine.network.hns_network(network.name):
                    make_network(self.machine.processes, network)
                    self._say(f"the network {network.name} was lost and is made again")
            except TransomError as error:
                self._say(error.message)

    def _say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self.write(f"{text}\n".encode())
