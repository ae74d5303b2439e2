"""Compiled boot data: what cloudbase-init does with it, and what it never holds or does."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from tests import cloudbase
from tests.cloudbase import execute
from tests.support.bootstrap_compile import SECRETS, TOKEN, plan, recipe

from transom.bootstrap.compile import (
    FORMATS,
    User,
    boot_files,
    carried_configuration,
    compile_boot_data,
)
from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.bootstrap.reader import tell
from transom.errors import UsageError
from transom.facts.platforms import Platform
from transom.facts.rows import At, one

MACHINE = Machine()


@pytest.mark.parametrize("form", ["cloud-config", "multipart"])
def test_cloudbase_init_writes_every_file_and_starts_the_program(form):
    data = compile_boot_data(plan(), form)
    executed = execute(data, MACHINE)
    assert executed.outcome == "done"
    acts = [act for act in executed.acts if act[1] != "python"]
    written = {subject: detail["sha256"] for action, subject, detail in acts if action == "write"}
    assert written == {
        file.path: hashlib.sha256(file.content).hexdigest() for file in boot_files(plan())
    }
    action, _, detail = acts[-1]
    assert action == "run"
    assert r"cmd /c C:\k\transom\boot\boot.cmd" in detail["script"]


@pytest.mark.parametrize("form", FORMATS)
def test_its_story_is_what_cloudbase_init_does(form):
    data = compile_boot_data(plan(), form)
    story, executed = tell(data, MACHINE), execute(data, MACHINE)
    assert [(act.action, act.subject, dict(act.detail)) for act in story.acts] == executed.acts


@pytest.mark.parametrize("form", FORMATS)
def test_our_own_linter_finds_no_error(form):
    for platform in ("aws", "azure", "openstack"):
        machine = Machine(platform=one(Platform, platform, At()))
        found = lint(compile_boot_data(plan(), form), machine, Origin("x")).findings
        assert [finding for finding in found if finding.severity.value == "error"] == []


@pytest.mark.parametrize("form", FORMATS)
def test_a_restart_is_passed_on_and_everything_runs_again(form):
    machine = Machine(exit_code=lambda _script: 1003)
    executed = execute(compile_boot_data(plan(), form), machine)
    assert (executed.reboot, executed.again) == (True, True)


def test_without_a_join_there_is_no_token_and_no_configuration():
    without = plan(join=None)
    assert not [file for file in boot_files(without) if "kubeadm" in file.path]
    for form in FORMATS:
        data = compile_boot_data(without, form)
        assert TOKEN.encode() not in data
        assert base64.b64encode(TOKEN.encode())[:-4] not in data


def test_the_token_is_in_the_join_configuration_alone():
    holding = [file.path for file in boot_files(plan()) if TOKEN.encode() in file.content]
    assert holding == [r"C:\run\kubeadm\kubeadm-join-config.yaml"]


def test_a_request_with_secrets_is_not_compiled():
    request = replace(plan().request, join=SECRETS)
    with pytest.raises(UsageError):
        compile_boot_data(plan(request=request), "cloud-config")


def test_users_get_keys_and_a_random_password():
    data = compile_boot_data(
        plan(users=(User(name="capi", keys=("ssh-ed25519 AAAA a",)),)), "cloud-config"
    )
    (user,) = [act for act in execute(data, MACHINE).acts if act[0] == "user"]
    assert user[1] == "capi"
    assert user[2]["password"] == "random"
    assert user[2]["keys"] == ["ssh-ed25519 AAAA a"]
    assert user[2]["groups"] == ["Administrators"]


@pytest.mark.parametrize("failed", [True, False])
def test_only_multipart_data_tells_the_platform_of_a_failure(failed, tmp_path):
    """The part handler runs inside the real cloudbase-init, which fails at the end of the parts."""
    report = tmp_path / "report.json"
    if failed:
        report.write_text('{"message": "kubeadm join ended with 1"}')
    data = cloudbase.with_handler(compile_boot_data(plan(), "multipart"), report)
    executed = execute(data, MACHINE, handlers=tmp_path)
    assert executed.outcome == ("failed" if failed else "done")


@pytest.mark.parametrize(
    "name",
    ["k120-2019-docker-wins-l2bridge", "k130-2019-containerd-flannel-l2bridge",
     "k137-2022-containerd-flannel-overlay"],
)  # fmt: skip
def test_kubeadm_s_document_has_the_version_of_the_recipe(name):
    found = carried_configuration(recipe(name).join, SECRETS)
    assert found["apiVersion"] == recipe(name).join.api_version
    assert re.fullmatch(r"kubeadm\.k8s\.io/v1beta[1-4]", found["apiVersion"])
