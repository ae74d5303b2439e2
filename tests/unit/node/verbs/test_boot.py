"""The verb boot: success leaves the sentinel and no token, failure a report and no sentinel."""

import json
import random

import pytest
from tests.support.node_verbs_boot import CONFIGURATION, TOKEN

from transom.model.codec import encode
from transom.model.places import JOIN_CONFIGURATION, SENTINEL
from transom.model.recipe import Recipe
from transom.model.request import Verb
from transom.model.sddl import ADMINISTRATORS_ONLY
from transom.model.secret import SecretPlace
from transom.node.host.values import Completed, PathKind, WebAnswer
from transom.node.kubernetes import block_yaml
from transom.node.kubernetes.join_configuration import secrets
from transom.node.layout import Layout
from transom.node.verbs.boot import REBOOT_AND_AGAIN, Boot, adapted, boot
from transom.testing.faults import Fault, PowerCut


def refuses(host, argv):
    """A kubeadm that does not join, and says the token while it does not."""
    del host
    if argv[1] == "reset":
        return Completed(code=0, output="")
    return Completed(code=1, output=f"refused {TOKEN}")


REQUEST = r"C:\k\transom\boot\request.json"
PLAN = Boot(request=REQUEST)


class Machine:
    """A host on which boot data has written its files."""

    def __init__(self, host, request, configuration=CONFIGURATION):
        self.host = host
        self.runs = 0
        for path in (REQUEST, JOIN_CONFIGURATION):
            host.files.make_directory(path.rpartition("\\")[0])
        host.files.write(REQUEST, json.dumps(encode(request)).encode())
        if configuration:
            host.files.write(JOIN_CONFIGURATION, configuration.encode())

    def boot(self, plan=PLAN):
        self.runs += 1
        self.said: list[object] = []
        return boot(
            self.host, Layout(), plan, run=f"r{self.runs}", say=self.said.append,
            afterwards=lambda _request, _outcome: None,
        )  # fmt: skip

    def has(self, path):
        return self.host.files.kind(path) is not PathKind.ABSENT

    def everything(self):
        return b"".join(entry.data for entry in self.host.disk._seen.values())


@pytest.fixture
def machine(make_host, request_for):
    return Machine(make_host(), request_for(Verb.JOIN, join=None))


def test_a_join_ends_with_the_sentinel_and_without_the_token(machine):
    assert machine.boot() == 0
    assert machine.has(SENTINEL)
    assert not machine.has(JOIN_CONFIGURATION)
    assert TOKEN.encode() not in machine.everything()


@pytest.mark.parametrize(
    ("more", "patience"),
    [
        ("", "1m0s"),
        ("timeouts:\n  discovery: 5m0s\n", "5m0s"),
        ("  timeout: 2m0s\n", "2m0s"),  # before v1beta4, below `discovery`
    ],
)
def test_how_long_the_configuration_lets_kubeadm_look_for_the_cluster_is_kept(more, patience):
    text = CONFIGURATION.replace("kind:", f"{more}kind:", 1)
    assert secrets(block_yaml.read(text), "join.yaml").discovery == patience


def test_the_configuration_is_closed_to_others_before_anything_is_done(machine):
    machine.host.system.admin = False
    assert machine.boot() != 0
    assert machine.host.files.acl(JOIN_CONFIGURATION) == ADMINISTRATORS_ONLY


def test_a_failed_join_leaves_a_report_and_no_sentinel(machine):
    machine.host.files.make_directory(SENTINEL.rpartition("\\")[0])
    machine.host.files.write(SENTINEL, b"of an earlier image")
    machine.host.programs["kubeadm.exe"] = refuses
    assert machine.boot() == 5
    assert not machine.has(SENTINEL)
    report = json.loads(machine.host.files.read(PLAN.report))
    assert report["kind"] == "BootReport"
    assert "kubeadm join ended with 1" in report["message"]
    assert TOKEN not in json.dumps(report)


def test_a_report_is_gone_after_a_success(machine):
    good = machine.host.programs["kubeadm.exe"]
    machine.host.programs["kubeadm.exe"] = refuses
    machine.boot()
    machine.host.programs["kubeadm.exe"] = good
    assert machine.boot() == 0
    assert not machine.has(PLAN.report)


def test_a_restart_in_between_goes_on_where_it_stopped(machine):
    """cloudbase-init restarts the machine on 1003 and runs the boot data, this verb in it, again."""
    machine.host.features.need_reboot.add("Containers")
    assert machine.boot() == REBOOT_AND_AGAIN
    assert not machine.has(SENTINEL)
    machine.host.features.reboot()
    assert machine.boot() == 0
    assert machine.has(SENTINEL)


def test_a_machine_that_has_joined_is_left_alone(machine):
    machine.boot()
    before = machine.host.snapshot()
    assert machine.boot() == 0
    assert machine.host.snapshot() == before


def test_without_a_configuration_the_report_says_who_writes_it(make_host, request_for):
    machine = Machine(make_host(), request_for(Verb.JOIN, join=None), configuration="")
    assert machine.boot() == 2
    assert "Boot data writes it" in json.loads(machine.host.files.read(PLAN.report))["hint"]


@pytest.mark.parametrize(
    "text", ["kind: Other", "kind: JoinConfiguration\ndiscovery:\n  file: x", "a: &x 1", "- a"]
)
def test_a_configuration_that_cannot_be_used_is_told(make_host, request_for, text):
    machine = Machine(make_host(), request_for(Verb.JOIN, join=None), configuration=text)
    assert machine.boot() == 2
    assert not machine.has(SENTINEL)


def test_a_request_with_secrets_is_refused(make_host, request_for):
    machine = Machine(make_host(), request_for(Verb.JOIN))
    assert machine.boot() == 2


def test_preparing_leaves_the_join_to_others(machine):
    assert machine.boot(Boot(request=REQUEST, prepare=True)) == 0
    assert not machine.has(SENTINEL)
    assert machine.has(JOIN_CONFIGURATION)
    assert not [argv for argv in machine.host.processes.ran if "join" in argv]


def test_a_pool_s_recipe_becomes_that_of_its_machine(recipe):
    found = adapted(recipe, name="win-77", address="10.9.9.9")
    assert isinstance(found, Recipe)
    assert found.identity.name == found.join.node_name == "win-77"
    assert found.identity.address == "10.9.9.9"
    assert recipe.identity.address not in json.dumps(encode(found))


# A join configuration that is kept in a cloud's store.

SECRET = r"C:\k\transom\boot\secret.json"
FETCHING = Boot(request=REQUEST, secret=SECRET)


class Vault:
    """A key vault as the machine reaches it."""

    def __init__(self, machine, *, keep=False):
        self.kept: dict[str, str] = {"join": CONFIGURATION}
        self.may_delete = True
        place = SecretPlace(
            store="azure-key-vault",
            name="join",
            endpoint="https://v",
            metadata="http://m",
            keep=keep,
        )
        machine.host.files.write(SECRET, json.dumps(encode(place)).encode())
        machine.host.web.server = self.answer

    def answer(self, method, url, headers, body):
        del headers, body
        if url.startswith("http://m/metadata/identity"):
            return WebAnswer(200, b'{"access_token": "t"}')
        if "join" not in self.kept:
            return WebAnswer(404, b"{}")
        if method == "DELETE":
            if not self.may_delete:
                return WebAnswer(403, b'{"error": {"code": "Forbidden", "message": "no"}}')
            del self.kept["join"]
            return WebAnswer(200, b"{}")
        return WebAnswer(200, json.dumps({"value": self.kept["join"]}).encode())


@pytest.fixture
def fetching(make_host, request_for):
    return Machine(make_host(), request_for(Verb.JOIN, join=None), configuration="")


def test_a_configuration_is_fetched_deleted_in_its_store_and_gone_after_the_join(fetching):
    vault = Vault(fetching)
    assert fetching.boot(FETCHING) == 0
    assert vault.kept == {}
    assert fetching.has(SENTINEL)
    assert not fetching.has(JOIN_CONFIGURATION)
    assert TOKEN.encode() not in fetching.everything()
    assert fetching.boot(FETCHING) == 0


def test_a_secret_that_others_need_too_stays(fetching):
    vault = Vault(fetching, keep=True)
    assert fetching.boot(FETCHING) == 0
    assert "join" in vault.kept


def test_after_a_restart_what_was_fetched_is_still_there(fetching):
    vault = Vault(fetching)
    fetching.host.features.need_reboot.add("Containers")
    assert fetching.boot(FETCHING) == REBOOT_AND_AGAIN
    assert vault.kept == {}
    assert fetching.host.files.acl(JOIN_CONFIGURATION) == ADMINISTRATORS_ONLY
    fetching.host.features.reboot()
    assert fetching.boot(FETCHING) == 0
    assert fetching.has(SENTINEL)


def test_a_secret_that_cannot_be_deleted_is_told_and_nothing_is_joined(fetching):
    Vault(fetching).may_delete = False
    assert fetching.boot(FETCHING) == 5
    report = json.loads(fetching.host.files.read(PLAN.report))
    assert "cannot delete the secret join: 403: Forbidden" in report["message"]
    assert not [argv for argv in fetching.host.processes.ran if "join" in argv]


@pytest.mark.parametrize("fault", [Fault.CUT_BEFORE, Fault.CUT_AFTER])
@pytest.mark.parametrize("at", range(1, 30, 2))
def test_a_power_cut_loses_the_secret_nowhere(make_host, request_for, fault, at):
    """It is in its store or on the disk, and the next boot joins."""
    machine = Machine(make_host(), request_for(Verb.JOIN, join=None), configuration="")
    vault = Vault(machine)
    machine.host.flush()
    machine.host.calls.inject(fault, at=at)
    with pytest.raises(PowerCut):
        machine.boot(FETCHING)
    machine.host.power_cycle(random.Random(at))
    assert machine.boot(FETCHING) == 0
    assert machine.has(SENTINEL)
    assert vault.kept == {}
