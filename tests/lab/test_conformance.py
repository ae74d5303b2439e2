"""Microsoft's own integration tests of hcn pass against the HNS stand-in, in a host."""

import pytest

from transom_lab.conformance import HNS_OPTIONS, build_suites, run_suite
from transom_lab.places import cache_directory


@pytest.fixture(scope="module")
def host(cluster):
    """The second host with a networking service that has every feature; put back after."""
    found = cluster.lab.host("win2")
    cluster.reset("win2")
    found.start_hns(*HNS_OPTIONS)
    yield found
    found.start_hns()
    found.hns.reset()


@pytest.mark.parametrize("name", ["hcsshim", "hnslib"])
def test_every_test_of_microsofts_library_passes(host, name):
    suite = next(s for s in build_suites(cache_directory(), print) if s.name == name)
    host.hns.reset()
    outcome = run_suite(
        suite, host.drive_c, lambda argv: host.run(argv, timeout_s=240, check=False)
    )
    assert outcome.failed == (), outcome.output[-3000:]
    assert len(outcome.passed) == 78, outcome.output[-3000:]
