"""A simulated host that has joined and is well, with what real programs leave on it."""

import pytest
from tests.support.node_doctor import well_host

from transom.model.sight import (
    Given,
)
from transom.node.doctor.observe import observe
from transom.node.layout import Layout


@pytest.fixture
def host(request_for):
    return well_host(request_for)


@pytest.fixture
def look():
    """Look at a host, with the cluster's view where one is given."""

    def at(host, cluster=None, recipe=None):
        return observe(host, Layout(), Given(cluster=cluster, recipe=recipe))

    return at
