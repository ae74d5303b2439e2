"""The story we tell of boot data is what the real cloudbase-init does with it, act by act."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.cloudbase import execute
from tests.support.bootstrap_story import CASES, data_of, machine_of, told

from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.bootstrap.reader import tell
from transom.facts.cloudbaseinit import Trap
from transom.facts.platforms import Platform
from transom.facts.rows import At, one, read

ORIGIN = Origin("user-data")


def done(executed):
    return executed.acts, executed.outcome, executed.reboot, executed.again


def test_there_are_enough_cases():
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_story_is_what_cloudbase_init_does(case):
    """Documents that execute code are left to nobody: they are told to fail, with an error."""
    if getattr(case, "code", False):
        assert told(tell(data_of(case), machine_of(case))) == ([], "failed", False, False)
        return
    data, machine = data_of(case), machine_of(case)
    assert told(tell(data, machine)) == done(execute(data, machine))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_traps_of_a_case_are_named(case):
    found = lint(data_of(case), machine_of(case), ORIGIN).findings
    rules = [finding.rule for finding in found if finding.rule not in getattr(case, "ignore", ())]
    assert sorted(rules) == sorted(case.traps)
    assert all(finding.line > 0 for finding in found), found


def test_every_trap_has_a_case():
    met = {trap for case in CASES for trap in case.traps}
    assert {row.id for row in read(Trap)} - met == {"BOOT008"}  # a matter of size, below


@pytest.mark.parametrize(
    ("platform", "size", "fits"),
    [("azure", 65535, True), ("azure", 65536, False), ("aws", 16384, True), ("aws", 16385, False),
     ("openstack", 49150, False), ("openstack", 49149, True), ("proxmox", 200000, True)],
)  # fmt: skip
def test_a_platform_takes_so_much_and_no_more(platform, size, fits):
    data = b"rem cmd\n" + b"x" * (size - 8)
    machine = Machine(platform=one(Platform, platform, At()))
    rules = [finding.rule for finding in lint(data, machine, ORIGIN).findings]
    assert rules == ([] if fits else ["BOOT008"])


def test_a_document_nested_without_end_is_refused_and_ends_nothing():
    data = b"#cloud-config\nruncmd: " + b"[" * 100_000
    assert told(tell(data, Machine()))[1] == "failed"


# Generated documents: values of every kind in every section, as YAML would make them.

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 2000), st.floats(allow_nan=False), st.dates(),
    st.sampled_from(["", "a", "x, y", "C:\\k\\f", "/run/a", "aGk=", "b64", "gzip", "0644", "9", "é"]),
    st.binary(max_size=4),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "path", "content", "servers", "x", "passwd"]), inner
        )
    ),
    max_leaves=6,
)
FILES = st.fixed_dictionaries(
    {"path": VALUES, "content": VALUES},
    optional={"permissions": VALUES, "encoding": VALUES, "append": VALUES, "owner": VALUES},
)
USERS = st.fixed_dictionaries(
    {"name": SCALARS},
    optional=dict.fromkeys(
        ("passwd", "groups", "primary_group", "expiredate", "inactive", "no_create_home",
         "ssh_authorized_keys", "sudo"), VALUES),
)  # fmt: skip
CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "write_files": st.lists(FILES | VALUES, max_size=4) | VALUES,
        "users": st.lists(USERS | VALUES, max_size=3) | VALUES,
        "groups": VALUES,
        "runcmd": VALUES,
        "hostname": VALUES,
        "timezone": VALUES,
        "ntp": VALUES,
        "bootcmd": VALUES,
    },
)


@given(CONFIGS, st.sampled_from([0, 1, 1001, 1002, 1003]))
@settings(max_examples=150, deadline=None)
def test_the_story_of_any_cloud_config_is_what_cloudbase_init_does(config, code):
    import yaml

    data = b"#cloud-config\n" + yaml.safe_dump(config, allow_unicode=True).encode()
    machine = Machine(exit_code=lambda _script: code)
    assert told(tell(data, machine)) == done(execute(data, machine))


PIECES = st.lists(
    st.sampled_from(
        ["#cloud-config\n", "## template: jinja\n", "\n", "runcmd: [echo a]\n", "{{ v1 }}", "{%", "- ",
         "Content-Type: multipart/mixed; boundary=b\n", "--b\n", "Content-Type: text/cloud-config\n",
         "Content-Type: text/x-shellscript; name=a.ps1\n", "<script>", "</script>", "rem cmd\n", "#ps1\n",
         "\ufeff", "é", "---\n", ": ", "'", "&a ", "*a", "!x ", "\t", "\r\n", "write_files:\n"]
    ),
    max_size=8,
)  # fmt: skip


@given(PIECES, st.sampled_from([0, 1002, 1003]))
@example(["#cloud-config\n", "!x ", "- "], 0)
@settings(max_examples=250, deadline=None)
def test_the_story_of_any_text_is_what_cloudbase_init_does(pieces, code):
    data = "".join(pieces).encode()
    machine = Machine(exit_code=lambda _script: code)
    assert told(tell(data, machine)) == done(execute(data, machine))
