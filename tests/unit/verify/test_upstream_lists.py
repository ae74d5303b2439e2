"""The committed lists of upstream's tests, counted as Ginkgo counts them."""

import pytest

from transom.facts import e2e_names
from transom.model.version import Version
from transom.verify import upstream
from transom.verify.selection import select

# `e2e.test --ginkgo.dry-run` of 1.37.1 with the focus and skip of each job: "Will run N of 3206 specs".
COUNTED_BY_GINKGO = {
    "windows": 493,
    "windows-serial-slow": 30,
    "windows-gce": 473,
    "windows-alpha": 99,
}


@pytest.mark.parametrize("name", COUNTED_BY_GINKGO)
def test_a_job_selects_as_many_tests_as_ginkgo_does(name):
    job = upstream.find(Version.parse("1.37"), name)
    names = e2e_names.names("1.37")
    assert names is not None
    assert len(names) == 3206
    found = select(names, focus=job.focus, skip=job.skip)
    assert len(found.tests) == COUNTED_BY_GINKGO[name]


def test_every_job_of_a_minor_with_a_list_selects_some():
    names = e2e_names.names("1.37")
    assert names is not None
    for job in upstream.jobs(Version.parse("1.37")):
        assert select(names, focus=job.focus, skip=job.skip).tests, job.job
