"""The CronJob of checks: what it may do is what checks ask, and its command is one that the program takes."""

import asyncio
import json

import pytest
import yaml
from tests import kubernetes_schemas
from tests.support.windows_cluster import Clock, WindowsCluster

from transom.cli.commands.verify import run as run_command
from transom.cli.commands.verify import schedule as schedule_command
from transom.cli.main import main
from transom.cli.parser import Parser
from transom.kube.api import Api
from transom.kube.errors import Forbidden
from transom.model.manifest import name_of
from transom.site.verification import Order, verify
from transom.testing.store import resource_of
from transom.verify.check import CheckOutcome
from transom.verify.checks import CHECKS
from transom.verify.running.case import Wish
from transom.verify.schedule import Schedule, command, manifests

IMAGE = "registry.example/transom:1"


def printed(capsys, *arguments):
    assert main(["verify", "schedule", "--transom-image", IMAGE, *arguments]) == 0
    return {item["kind"]: item for item in yaml.safe_load_all(capsys.readouterr().out)}


def container(found):
    return found["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]


def test_results_are_on_a_volume_unless_a_bucket_is_named(capsys):
    found = printed(capsys)
    assert found["PersistentVolumeClaim"]["spec"]["resources"]["requests"]["storage"] == "1Gi"
    assert container(found)["args"] == ["verify", "run", "--store", "/results/results.db"]


def test_a_bucket_takes_its_credentials_from_a_secret_and_never_from_here(capsys, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    arguments = ("--bucket", "s3://results/windows", "--endpoint", "https://minio.example")
    found = printed(capsys, *arguments, "--credentials", "keys")
    assert "PersistentVolumeClaim" not in found
    assert container(found)["envFrom"] == [{"secretRef": {"name": "keys"}}]
    assert container(found)["args"][2:] == [
        *("--endpoint", "https://minio.example", "--bucket", "s3://results/windows"),
    ]
    assert "very-secret" not in json.dumps(found)


def test_what_the_container_runs_is_a_command_of_this_program(capsys):
    found = printed(
        capsys,
        *("--suite", "network", "--check", "exec", "--node", "win1", "--disruptive"),
        *("--image-repository", "registry.example/tests", "--patience", "2", "--node-conditions"),
    )
    words = container(found)["args"]
    parser = Parser()
    run_command.configure(parser)
    args = parser.parse_args(words[2:])
    assert words[:2] == ["verify", "run"]
    assert (args.suite, args.check, args.node) == (["network"], ["exec"], ["win1"])
    assert args.disruptive
    assert args.node_conditions
    assert (args.image_repository, args.patience) == ("registry.example/tests", 2.0)


def test_every_option_of_a_run_reaches_the_schedule():
    """A new option of the run is passed on, or the schedule says why not."""
    parser = Parser()
    run_command.add_arguments(parser)
    own = {"help", "filename", "lock", "store", "node_conditions", "bucket", "ca_file"}
    known = {action.dest for action in parser._actions}
    assert known - own == set(schedule_command._PASSED)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--cron", "tomorrow"), "is no schedule"),
        (("--bucket", "s3://results"), "a bucket needs credentials"),
        (("--bucket", "results", "--credentials", "keys"), "is no bucket"),
        (("--check", "nonsense"), "there is no check nonsense"),
        (("--store", "here.db"), "not of the pod"),
    ],
)
def test_mistakes_are_said_now_and_not_at_night(capsys, arguments, told):
    assert main(["verify", "schedule", "--transom-image", IMAGE, *arguments]) == 2
    assert told in capsys.readouterr().err


class Guarded(WindowsCluster):
    """A cluster whose server lets only what a role allows happen."""

    def __init__(self, rules, *faults):
        super().__init__(*faults)
        self.rules = rules
        self.used = set()

    def _allow(self, verb, api_version, plural):
        group = api_version.rpartition("/")[0]
        for number, rule in enumerate(self.rules):
            if group in rule["apiGroups"] and plural in rule["resources"] and verb in rule["verbs"]:
                self.used.add((number, plural, verb))
                return
        raise Forbidden(f"{verb} {plural} of {group!r} is not allowed")

    def _of(self, name):
        known = self._served.get(name[:2]) or resource_of(*name[:2])
        return name.api_version, known.plural

    async def get(self, name):
        self._allow("get", *self._of(name))
        return await super().get(name)

    async def page(self, resource, *arguments, **given):
        self._allow("list", resource.api_version, resource.plural)
        return await super().page(resource, *arguments, **given)

    async def create(self, manifest):
        self._allow("create", *self._of(name_of(manifest)))
        return await super().create(manifest)

    async def patch(self, name, change, **given):
        version, plural = self._of(name)
        below = given.get("subresource")
        self._allow("patch", version, f"{plural}/{below}" if below else plural)
        return await super().patch(name, change, **given)

    async def delete(self, name, *arguments):
        self._allow("delete", *self._of(name))
        return await super().delete(name, *arguments)

    async def execute(self, pod, command, **given):
        self._allow("create", "v1", "pods/exec")
        self._allow("get", "v1", "pods/exec")
        return await super().execute(pod, command, **given)

    async def logs(self, pod, **given):
        self._allow("get", "v1", "pods/log")
        return await super().logs(pod, **given)

    def forward(self, pod, port):
        self._allow("create", "v1", "pods/portforward")
        self._allow("get", "v1", "pods/portforward")
        return super().forward(pod, port)

    async def ask_kubelet(self, node, path):
        self._allow("get", "v1", "nodes/proxy")
        return await super().ask_kubelet(node, path)


def role(**given):
    found = manifests(Schedule(image=IMAGE, **given))
    return next(item for item in found if item["kind"] == "ClusterRole")["rules"]


def test_the_rights_are_enough_for_every_check_and_none_is_unused():
    cluster = Guarded(role(node_conditions=True))
    order = Order(
        checks=CHECKS,
        nodes=("win1",),
        is_disruptive=True,
        parallel=1,
        node_conditions=True,
        wish=Wish(gmsa="app"),
    )
    found = asyncio.run(verify(Api(cluster), order, clock=Clock()))
    assert {item.outcome for item in found.results} == {CheckOutcome.PASSED}, [
        item for item in found.results if item.outcome is not CheckOutcome.PASSED
    ]
    given = {
        (number, plural, verb)
        for number, rule in enumerate(role(node_conditions=True))
        for plural in rule["resources"]
        for verb in rule["verbs"]
    }
    # Judged by an admission of OpenShift, which this server does not have.
    assert {item[1] for item in given - cluster.used} == {"endpointslices/restricted"}


def test_nodes_may_be_written_only_where_conditions_are_asked_for():
    resources = [name for rule in role() for name in rule["resources"]]
    assert "nodes/status" not in resources
    assert "nodes/status" in [n for rule in role(node_conditions=True) for n in rule["resources"]]


def test_the_command_alone_is_what_the_manifests_have():
    schedule = Schedule(image=IMAGE, arguments=("--suite", "network"))
    assert command(schedule) == (
        *("verify", "run", "--suite", "network"),
        "--store",
        "/results/results.db",
    )


@pytest.mark.parametrize("bucket", ["", "s3://results/windows"])
def test_every_manifest_is_one_that_kubernetes_takes(bucket):
    for item in manifests(
        Schedule(image=IMAGE, bucket=bucket, credentials="keys", time_zone="UTC")
    ):
        kubernetes_schemas.validate(item, 37)
