"""`node.pyz keep-networks`: Docker's host network comes back whenever it is lost."""

import json

from tests.support.node import RECIPE, docker, new_host

from transom.model.codec import encode
from transom.node.host.values import Completed
from transom.node.layout import Layout
from transom.node.verbs.program import main

LOG = Layout().program_file("host-networks", "log")


class Night:
    """A host with a kept recipe, and what happens while the service sleeps."""

    def __init__(self, *events):
        self.host = new_host()
        self.host.files.make_directory(Layout().state)
        self.host.files.write(Layout().recipe, json.dumps(encode(RECIPE)).encode())
        self.events = list(events)
        self.host.clock.meanwhile = self._meanwhile
        self.host.background.asked_to_stop = lambda: not self.events
        self.seconds = 0

    def _meanwhile(self):
        self.seconds += 1
        if self.seconds % 5 == 0:
            self.events.pop(0)(self.host)

    def pass_(self):
        argv = ["keep-networks", "--service", "host-networks"]
        return main(argv, machine=self.host)


def nothing(_host):
    """Nothing happens."""


def lose(host):
    """The host network service forgets the network, and Docker does not notice."""
    host.settings.put("hns", "host", None)


def test_a_network_that_is_lost_is_made_again_and_that_is_said_once():
    night = Night(nothing, lose, nothing, nothing)
    assert night.pass_() == 0
    assert night.host.network.hns_network("host")
    said = night.host.files.read(LOG).decode().splitlines()
    assert said == ["the network host was lost and is made again"]


def test_a_docker_that_cannot_is_asked_again():
    night = Night(nothing, lambda host: host.programs.update({"docker.exe": docker}), nothing)
    refusal = Completed(code=1, output="the daemon is not running")
    night.host.programs["docker.exe"] = lambda _host, _argv: refusal
    assert night.pass_() == 0
    assert night.host.network.hns_network("host")
    assert "the daemon is not running" in night.host.files.read(LOG).decode()


def test_without_a_recipe_nothing_is_made():
    night = Night(nothing)
    night.host.files.remove(Layout().recipe)
    assert night.pass_() == 0
    assert not night.host.network.hns_network("host")
