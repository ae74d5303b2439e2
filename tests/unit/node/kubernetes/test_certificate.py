"""A certificate read by hand says what a whole library reads in it, and garbage says nothing."""

import base64
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.support.node_doctor import pem

from transom.kube.authority import authority_pins
from transom.node.kubernetes.certificate import certificates_in

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(
    name=st.text("abcdefghijklmnopqrstuvwxyz0123456789:-.", min_size=1, max_size=60),
    start=st.integers(0, 4_000_000_000),
    days=st.integers(1, 20_000),
)
def test_holder_and_times_are_read_back(name, start, days):
    begin = EPOCH + timedelta(seconds=start)
    end = begin + timedelta(days=days)
    (found,) = certificates_in(pem(name, begin, end).decode())
    assert (found.subject, found.issuer) == (name, "kubernetes")
    assert (found.not_before, found.not_after) == (start, start + days * 86400)


def test_the_pin_of_a_key_is_the_one_that_kubeadm_takes():
    now = datetime(2026, 1, 1, tzinfo=UTC)
    text = pem("kubernetes", now, now + timedelta(days=1))
    (found,) = certificates_in(text.decode())
    assert (found.key_pin,) == authority_pins(text)


@given(st.binary(max_size=80))
def test_garbage_gives_nothing(data):
    body = base64.b64encode(data).decode()
    text = f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"
    assert list(certificates_in(text)) == []


def test_several_in_one_file_are_all_read():
    now = datetime(2026, 1, 1, tzinfo=UTC)
    text = b"".join(pem(name, now, now + timedelta(days=1)) for name in ("a", "b")).decode()
    assert [found.subject for found in certificates_in(text)] == ["a", "b"]
