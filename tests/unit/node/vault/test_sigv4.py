"""Our signatures are those of botocore, whatever is signed."""

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Theirs
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.node.vault.sigv4 import Credentials, Scope, signed

WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)


@given(
    st.binary(max_size=40), WORDS, WORDS, WORDS | st.just(""), WORDS,
    st.integers(1_000_000_000, 4_000_000_000),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_a_signature_is_the_one_of_botocore(body, target, secret, token, region, now):  # noqa: PLR0917 - hypothesis gives them in this order
    url = "https://ssm.eu-west-1.amazonaws.com/"
    mine = signed(
        url,
        body,
        {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"},
        credentials=Credentials(key="AKID", secret=secret, token=token),
        scope=Scope(region=region, service="ssm", now=now),
    )
    theirs = SigV4Auth(Theirs("AKID", secret, token or None), "ssm", region)
    sent = {name: value for name, value in mine.items() if name != "authorization"}
    request = AWSRequest("POST", url, headers=sent, data=body)
    request.context["timestamp"] = mine["x-amz-date"]
    text = theirs.string_to_sign(request, theirs.canonical_request(request))
    theirs._inject_signature_to_request(request, theirs.signature(text, request))
    assert mine["authorization"] == request.headers["Authorization"]


def test_secrets_are_in_no_text():
    assert "hush" not in repr(Credentials(key="AKID", secret="hush", token="hush"))
