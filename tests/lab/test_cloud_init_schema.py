"""cloud-init's own schema agrees where both systems read the same: what we write, and what we find nothing in."""

import json
import os
import re
import shutil
import subprocess

import pytest
from tests.support.bootstrap_compile import plan
from tests.support.bootstrap_story import CASES, data_of, machine_of

from transom.bootstrap.compile import User, compile_boot_data
from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.bootstrap.safe.rewrite import rewrite
from transom.errors import UsageError

_ORIGIN = Origin("x")
# Debian's cloud-init is a package of the system's own Python.
_PYTHON = "/usr/bin/python3"
# What cloudbase-init takes and cloud-init does not: one file without a list, any case of an
# encoding, whatever Python takes for true, and a section with nothing in it.
_LAXER = {"one file without a list", "every encoding", "appending", "an empty runcmd"}
_LAX = re.compile(
    r"is too short$|encoding: .* is not one of|append: .* is not of type 'boolean'"
    r"|write_files: .* is not of type 'array'"
)
_VALIDATE = """
import json, sys, yaml
from cloudinit.config.schema import SchemaValidationError, get_schema, validate_cloudconfig_schema
schema, answers = get_schema(), []
for text in json.load(sys.stdin):
    try:
        validate_cloudconfig_schema(yaml.safe_load(text), schema, strict=True)
        answers.append([])
    except SchemaValidationError as error:
        answers.append([f"{path}: {message}" for path, message in error.schema_errors])
    except Exception as error:
        answers.append([type(error).__name__])
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def verdicts():
    """What cloud-init has against each document."""
    if shutil.which("cloud-init") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("cloud-init is not installed; see tests/setup.sh")
        pytest.skip("cloud-init is not installed")

    def judge(documents: list[str]) -> list[list[str]]:
        done = subprocess.run(
            [_PYTHON, "-c", _VALIDATE],
            input=json.dumps(documents), capture_output=True, text=True, check=True, timeout=100,
        )  # fmt: skip
        answers: list[list[str]] = json.loads(done.stdout)
        return answers

    return judge


def _cloud_configs():
    """The cases that are plain cloud-configs, with the machine each is for."""
    for case in CASES:
        if not hasattr(case, "base64") and case.text.startswith("#cloud-config"):
            yield case


def test_what_we_compile_is_valid(verdicts):
    users = (User(name="capi", keys=("ssh-ed25519 AAAA a",)),)
    data = compile_boot_data(plan(users=users), "cloud-config").decode()
    assert verdicts([data]) == [[]]


def test_what_we_find_nothing_in_is_valid_there_too(verdicts):
    clean = [
        case.text
        for case in _cloud_configs()
        if not lint(data_of(case), machine_of(case), _ORIGIN)[1]
    ]
    assert len(clean) >= 5
    for text, found in zip(clean, verdicts(clean), strict=True):
        assert [message for message in found if not _LAX.search(message)] == [], text


def test_what_is_invalid_there_is_found_here(verdicts):
    cases = [case for case in _cloud_configs() if not getattr(case, "code", False)]
    wrong = [
        case
        for case, found in zip(cases, verdicts([case.text for case in cases]), strict=True)
        if found
    ]
    assert len(wrong) >= 20
    missed = {case.name for case in wrong if not lint(data_of(case), machine_of(case), _ORIGIN)[1]}
    assert missed == _LAXER


def test_what_we_rewrite_is_valid_where_nothing_is_left_to_say(verdicts):
    made = []
    for case in _cloud_configs():
        try:
            data = rewrite(data_of(case), Machine()).data
        except UsageError:
            continue
        if {finding.rule for finding in lint(data, Machine(), _ORIGIN)[1]} <= {"BOOT045"}:
            made.append(data.decode())
    assert len(made) >= 20
    for text, found in zip(made, verdicts(made), strict=True):
        assert [message for message in found if not _LAX.search(message)] == [], text
