"""Upstream's jobs by either name, the commands that run the same, and images from a fleet's mirror."""

import shlex

import pytest

from transom.errors import UnsupportedError, UsageError
from transom.model.version import Version
from transom.verify import upstream

MINOR = Version(1, 37)


def test_a_job_is_found_by_the_name_of_every_minor_and_by_upstreams():
    job = upstream.find(MINOR, "windows")
    assert job.job == "ci-kubernetes-e2e-capz-master-windows-1-37"
    assert upstream.find(Version(1, 37, 2), job.job) is job
    assert upstream.find(Version(1, 36), "windows").job.endswith("-1-36")


def test_what_is_not_known_names_what_is():
    with pytest.raises(UsageError) as error:
        upstream.find(MINOR, "windows-9")
    assert "windows-serial-slow" in error.value.hint
    with pytest.raises(UnsupportedError):
        upstream.jobs(Version(1, 30))


@pytest.mark.parametrize("has_repo_list", [True, False])
def test_every_command_carries_focus_and_skip_as_they_are(has_repo_list):
    focus, skip = r"\[sig-windows\]|a 'b'", r"\[LinuxOnly\]|$HOME"
    commands = upstream.commands(focus=focus, skip=skip, processes=4, has_repo_list=has_repo_list)
    assert list(commands) == ["e2e.test", "hydrophone", "sonobuoy"]
    for command in commands.values():
        words = shlex.split(command)
        values = [word.partition("=")[2] or word for word in words]
        assert {focus, skip} <= set(values)
        assert (upstream.REPO_LIST in command) is has_repo_list


def test_images_come_from_the_fleets_mirror():
    mirrors = {
        "registry.k8s.io": ("https://registry.corp/k8s", "https://second.corp"),
        "docker.io": ("https://h.corp:5000/v2/hub/",),
    }
    found = upstream.registries(MINOR, mirrors)
    assert found["promoterE2eRegistry"] == "registry.corp/k8s/e2e-test-images"
    assert found["gcRegistry"] == "registry.corp/k8s"
    assert found["dockerLibraryRegistry"] == "h.corp:5000/hub/library"
    assert "privateRegistry" not in found  # no mirror for it
    assert "invalidRegistry" not in found  # a test needs it to stay invalid
    assert upstream.repo_list({"a": "b/c"}) == "a: b/c\n"


def test_a_mirror_that_no_image_name_leads_to_is_passed_over():
    mirrors = {"registry.k8s.io": ("https://a.corp/api/v2/x", "https://b.corp")}
    assert upstream.registries(MINOR, mirrors)["gcRegistry"] == "b.corp"
