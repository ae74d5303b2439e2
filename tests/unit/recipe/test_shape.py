"""What hosts of one shape share is made once, and nobody can tell it from their recipes."""

from dataclasses import replace
from pathlib import Path

import pytest

from transom.errors import Refused
from transom.model.codec import encode
from transom.model.fleet import Proxy
from transom.model.journal import Owner
from transom.model.order import Order, read_order, write_order
from transom.model.request import JoinSecrets, Request, SourceAccess, Verb
from transom.recipe.resolve import cases_of, resolve
from transom.spec.fleet import read_fleets

FLEETS = sorted((Path(__file__).parents[2] / "data" / "fleets").glob("k1*.yaml"))


def many(path):
    """The fleet with more hosts like its own: by address, by name, and one with another label."""
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    (host,) = fleet.hosts
    hosts = (
        host,
        replace(host, name="NODE-with-2", address="192.0.2.7"),
        replace(host, name="other", address="2001:db8::9", labels={"disk": "fast"}),
        replace(host, name="named", address="named.example"),
    )
    proxy = Proxy(http="http://proxy.example:3128", https="http://proxy.example:3128")
    return replace(fleet, hosts=hosts, proxy=proxy)


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_a_host_among_many_gets_the_recipe_that_it_gets_alone(path):
    fleet = many(path)
    alone = [resolve(replace(fleet, hosts=(host,)))[0] for host in fleet.hosts]
    assert alone == resolve(fleet)


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_an_order_reads_back_whole_whoever_was_ordered_before(path):
    join = JoinSecrets(endpoint="10.0.0.1:6443", token="a.b", ca_hashes=("sha256:0",))
    owner = Owner(cluster="sha256:0", fleet="shop", who="cli")
    for recipe in resolve(many(path)):
        request = Request(verb=Verb.PLAN, recipe=recipe, owner=owner, join=join)
        again = replace(request, access=SourceAccess(authorities=recipe.identity.name))
        for asked in (request, again):
            order = Order(verb="survey", options=("--run", "a"), input=asked)
            read = read_order(write_order(order).decode())
            assert read == replace(order, input=encode(asked))


def test_hosts_that_differ_in_name_and_address_alone_have_one_shape():
    first, second, labelled, named = cases_of(many(FLEETS[0]), hosts=(), detected_runtimes={})
    assert first.shape is second.shape is named.shape
    assert labelled.shape is not first.shape


def test_a_runtime_that_was_found_on_a_host_gives_it_a_shape_of_its_own():
    first, second, *_ = cases_of(
        many(FLEETS[0]), hosts=(), detected_runtimes={"NODE-with-2": ("docker",)}
    )
    assert first.shape is not second.shape


def test_a_shape_does_not_say_what_only_a_host_knows():
    (case, *_) = cases_of(many(FLEETS[0]), hosts=(), detected_runtimes={})
    with pytest.raises(KeyError):
        case.shape.say("{node}")
    assert case.say("{node} {kubernetes}") == f"{case.host.node_name} {case.shape.kubernetes}"


def refused(fleet):
    """What the hosts of a fleet are refused for."""
    with pytest.raises(Refused) as caught:
        resolve(fleet)
    return [(refusal.subject, refusal.id) for refusal in caught.value.refusals]


def test_every_host_that_cannot_work_is_named_however_alike_they_are():
    fleet = many(FLEETS[0])
    hosts = tuple(
        replace(host, windows=replace(host.windows, release="1803")) for host in fleet.hosts
    )
    reasons = refused(replace(fleet, hosts=hosts))
    alone = [refused(replace(fleet, hosts=(host,))) for host in hosts]
    assert reasons == [reason for found in alone for reason in found]
    assert len(alone) == len(hosts)


def test_a_name_that_cannot_work_is_found_beside_a_faultless_host_like_it():
    fleet = many(FLEETS[0])
    wrong = replace(fleet.hosts[0], name="under_score")
    subjects = [subject for subject, _ in refused(replace(fleet, hosts=(*fleet.hosts, wrong)))]
    assert subjects == ["hosts[under_score].computerName"]
