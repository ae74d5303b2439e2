"""Tokens are as the API server wants them, differ, and are not shown."""

import re
from datetime import UTC, datetime

from transom.kube.bootstrap_token import new_token, token_secret

EXPIRES = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_token_has_the_form_the_api_server_accepts():
    token = new_token()
    assert re.fullmatch(r"[a-z0-9]{6}\.[a-z0-9]{16}", token.text)
    assert token.secret_name == f"bootstrap-token-{token.id}"


def test_no_two_tokens_are_the_same():
    assert len({new_token().text for _ in range(100)}) == 100


def test_the_secret_is_valid_for_joining_until_it_expires():
    token = new_token()
    secret = token_secret(token, expires=EXPIRES, description="join of win-01")
    assert secret.data["expiration"] == "2026-01-02T03:04:05Z"
    assert secret.data["usage-bootstrap-authentication"] == "true"
    assert secret.data["usage-bootstrap-signing"] == "true"
    assert secret.type == "bootstrap.kubernetes.io/token"


def test_neither_shows_what_is_secret():
    token = new_token()
    secret = token_secret(token, expires=EXPIRES, description="")
    assert token.secret not in repr(token) + repr(secret)
