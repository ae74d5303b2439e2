"""What a run is told about the machine it is on."""

from pathlib import Path

import pytest
from tests.support.environments import environment

HOME = Path("/home/me")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("~", "/home/me"), ("~/key", "/home/me/key"), ("keys/~", "keys/~"), ("/etc/key", "/etc/key")],
)
def test_a_path_of_the_user_begins_at_the_users_home(text, expected):
    assert environment(HOME).path(text) == Path(expected)


def test_the_environment_lists_kubeconfigs_each_once_and_a_named_one_stands_alone():
    here = environment(HOME, KUBECONFIG="/a::/b:/a")
    assert [str(path) for path in here.kubeconfigs()] == ["/a", "/b"]
    assert [str(path) for path in here.kubeconfigs("~/c")] == ["/home/me/c"]
    assert [str(path) for path in environment(HOME).kubeconfigs()] == ["/home/me/.kube/config"]


def test_variables_may_hold_secrets_and_are_not_shown():
    assert "hunter2" not in repr(environment(HOME, PASSWORD="hunter2"))


def test_the_environments_proxy_wins_over_a_named_one():
    here = environment(HOME, HTTPS_PROXY="http://env:1", NO_PROXY="a, b")
    assert here.proxy(url="http://fleet:2").url == "http://env:1"
    assert here.proxy().no_proxy == ("a", "b")
    assert environment(HOME).proxy(url="http://fleet:2").url == "http://fleet:2"
