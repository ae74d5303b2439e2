"""The verb `run` of the node program: as a service with a log of its own, else with its log as output."""

import argparse
from collections.abc import Callable
from typing import Any

from transom.node.host.protocols import Machine
from transom.node.layout import Layout
from transom.node.supervise.log import ProgramLog
from transom.node.supervise.supervisor import Supervisor


def run(
    options: argparse.Namespace, machine: Machine, layout: Layout, say: Callable[[Any], None]
) -> int:
    """Keep a program running until it ends, or as a service until it is stopped."""
    if options.service:
        log = ProgramLog(machine, layout, options.name)

        def serve(stopped: Callable[[], bool]) -> int:
            keeper = Supervisor(
                machine, layout, options.name, log.write, stopped, begins_again=True
            )
            return keeper.run()

        return machine.background.be_service(options.service, serve)

    def work(stopped: Callable[[], bool]) -> int:
        return Supervisor(machine, layout, options.name, write, stopped).run()

    def write(line: bytes) -> None:
        say(line.decode("utf-8", "replace"))

    return machine.background.be_session(work)
